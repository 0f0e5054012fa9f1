package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

const extensionsPage = "../../docs/extensions.md"

// pageExamples gives the YAML examples of the page about extensions by the file
// names that their first lines say.
func pageExamples(t *testing.T) (page string, examples map[string]string) {
	t.Helper()
	data, err := os.ReadFile(extensionsPage)
	if err != nil {
		t.Fatal(err)
	}
	examples = map[string]string{}
	for _, block := range strings.Split(string(data), "```yaml\n")[1:] {
		text, _, closed := strings.Cut(block, "```")
		first, _, _ := strings.Cut(text, "\n")
		name, named := strings.CutPrefix(first, "# ")
		if !closed || !named || !strings.HasSuffix(name, ".yaml") || examples[name] != "" {
			t.Fatalf("an example has no file name of its own: %q", first)
		}
		examples[name] = text
	}
	return string(data), examples
}

// TestTheExamplesOfExtensionsRun: each is linted clean, compiled and run.
func TestTheExamplesOfExtensionsRun(t *testing.T) {
	_, examples := pageExamples(t)
	dir := t.TempDir()
	for name, text := range examples {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name := range examples {
		if !strings.HasSuffix(name, ".arazzo.yaml") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, command := range [][]string{{"lint", "--fail-on", "warn"}, {"run", "--dry-run"}, {"run", "--mock"}} {
				var out bytes.Buffer
				arguments := append(slices.Clone(command), filepath.Join(dir, name))
				if code := cli.Run(arguments, cli.Stdio{In: strings.NewReader(""), Out: &out, Err: &out}); code != 0 {
					t.Errorf("weft %s: exit code %d\n%s", strings.Join(command, " "), code, &out)
				}
			}
		})
	}
}

// TestEveryExtensionIsOnThePage: those that the published schema knows, each with a
// section, a line in the table and an example that has it.
func TestEveryExtensionIsOnThePage(t *testing.T) {
	schema, err := os.ReadFile("../../specs/x-weft.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	page, examples := pageExamples(t)
	var all strings.Builder
	for _, text := range examples {
		all.WriteString(text)
	}
	names := regexp.MustCompile(`"(x-weft-[a-z-]+)"`).FindAllStringSubmatch(string(schema), -1)
	known := 0
	for _, match := range names {
		name := match[1]
		if name == "x-weft-fault" { // annotates the schema itself
			continue
		}
		known++
		for what, text := range map[string]string{"section": "\n## " + name + "\n", "line in the table": "\n| [`" + name + "`](#" + name + ") |"} {
			if !strings.Contains(page, text) {
				t.Errorf("%s has no %s", name, what)
			}
		}
		if !strings.Contains(all.String(), name+":") {
			t.Errorf("no example has %s", name)
		}
	}
	if known < 13 {
		t.Errorf("only %d extensions are found in the schema", known)
	}
}
