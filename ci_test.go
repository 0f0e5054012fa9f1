package weft_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestFilesForCI reads what CI systems read: each is YAML, and names what there is.
func TestFilesForCI(t *testing.T) {
	for path, word := range map[string]string{
		"action.yml":                        ".ci/action",
		".pre-commit-hooks.yaml":            "weft lint",
		"templates/weft-lint.gitlab-ci.yml": "--format gitlab",
	} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		var read any
		if err := yaml.Unmarshal(data, &read); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if !strings.Contains(string(data), word) {
			t.Errorf("%s says nothing of %s", path, word)
		}
	}
}

// TestTheActionPassesItsInputsOn runs the script of the GitHub Action with a program
// in the place of weft that writes down its arguments and fails as weft does.
func TestTheActionPassesItsInputsOn(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	folder := t.TempDir()
	called := filepath.Join(folder, "called")
	weft := filepath.Join(folder, "weft")
	if err := os.WriteFile(weft, []byte("#!"+bash+"\nprintf '%s|' \"$@\" >>\"$CALLED\"\necho >>\"$CALLED\"\nexit \"$CODE\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		env  []string
		code string
		want string
		fail bool
	}{
		"nothing said":          {nil, "0", "lint|--fail-on|error|--format|github|--|.|\n", false},
		"several paths":         {[]string{"PATHS=a b\n c* \n$(touch x)"}, "0", "lint|--fail-on|error|--format|github|--|a|b|c*|$(touch|x)|\n", false},
		"flags and a file":      {[]string{"ARGS=--offline --only schema", "CONFIG=my weft.yaml", "FAIL_ON=warn"}, "0", "lint|--offline|--only|schema|--fail-on|warn|--config|my weft.yaml|--format|github|--|.|\n", false},
		"findings, with SARIF":  {[]string{"SARIF=out.sarif"}, "1", "lint|--fail-on|error|--format|sarif|--output|out.sarif|--|.|\nlint|--fail-on|error|--format|github|--|.|\n", true},
		"wrong usage of it":     {[]string{"SARIF=out.sarif"}, "2", "lint|--fail-on|error|--format|sarif|--output|out.sarif|--|.|\n", true},
		"findings and no SARIF": {nil, "1", "lint|--fail-on|error|--format|github|--|.|\n", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(called, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), bash, ".ci/action")
			command.Env = append(os.Environ(), "WEFT="+weft, "CALLED="+called, "CODE="+test.code)
			command.Env = append(command.Env, test.env...)
			out, err := command.CombinedOutput()
			if (err != nil) != test.fail {
				t.Errorf("%v: %s", err, out)
			}
			got, err := os.ReadFile(called)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("called\n%swant\n%s", got, test.want)
			}
		})
	}
}
