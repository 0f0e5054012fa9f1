package format_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

func TestTheListOfRulesFollowsItsSchema(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "lint-rules.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.CompileBytes("lint-rules.schema.json", data)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := format.RulesJSON(&out, rules.All()); err != nil {
		t.Fatal(err)
	}
	for text, valid := range map[string]bool{
		out.String(): true,
		strings.Replace(out.String(), `"severity": "error"`, `"severity": "fatal"`, 1): false,
	} {
		tree, faults := arazzo.ParseTree([]byte(text))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if found := compiled.Validate(tree.Value()); (len(found) == 0) != valid {
			t.Errorf("valid %t: %v", valid, found)
		}
	}
}

func TestRulesAreListedWithALineEach(t *testing.T) {
	var out bytes.Buffer
	if err := format.Rules(&out, exampleRules(), false); err != nil {
		t.Fatal(err)
	}
	want := "retry-bounded      warning  Too many.\nno-literal-secret  warning  A secret.\nnot-met            warning  Never.\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}
