package report

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/executor"
)

// eventTypes gives the name of every type of event that the executor declares: what
// the Type methods in its source return. So no list of them can be out of date.
func eventTypes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			if method, ok := declaration.(*ast.FuncDecl); ok && method.Recv != nil && method.Name.Name == "Type" {
				types = append(types, returned(t, file, method))
			}
		}
	}
	if len(types) < 10 {
		t.Fatalf("only %d types of events are found", len(types))
	}
	slices.Sort(types)
	return types
}

// returned gives the text that a method returns, which must be a constant.
func returned(t *testing.T, file string, method *ast.FuncDecl) string {
	t.Helper()
	if len(method.Body.List) == 1 {
		if result, ok := method.Body.List[0].(*ast.ReturnStmt); ok && len(result.Results) == 1 {
			if constant, ok := result.Results[0].(*ast.BasicLit); ok {
				if text, err := strconv.Unquote(constant.Value); err == nil {
					return text
				}
			}
		}
	}
	t.Fatalf("%s: a Type method returns something else than a constant", file)
	return ""
}

// A new type of event must be put into wholeStream, and so through the JSON
// document and its closed schema.
func TestEveryTypeOfEventIsTested(t *testing.T) {
	tested := map[string]bool{}
	for _, e := range wholeStream() {
		tested[e.Detail.Type()] = true
	}
	if diff := cmp.Diff(eventTypes(t), slices.Sorted(maps.Keys(tested))); diff != "" {
		t.Errorf("wholeStream lacks types of events, or has unknown ones (-declared +tested):\n%s", diff)
	}
}

// A new field of a detail must be set in wholeStream.
func TestEveryFieldOfEveryDetailIsTested(t *testing.T) {
	unset := map[string]bool{} // by type and field; false: an event has it
	for _, e := range wholeStream() {
		for field, value := range reflect.ValueOf(e.Detail).Fields() {
			name := e.Detail.Type() + "." + field.Name
			before, seen := unset[name]
			unset[name] = value.IsZero() && (before || !seen)
		}
	}
	for name, isUnset := range unset {
		if isUnset {
			t.Errorf("no event sets %s", name)
		}
	}
}

func TestTheSchemaDescribesEveryTypeOfEvent(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "run-report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root struct {
		Defs struct {
			Event struct {
				Properties struct {
					Type struct{ Enum []string }
				}
				AllOf []struct {
					If struct {
						Properties struct {
							Type struct{ Const string }
						}
					}
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	listed, described := root.Defs.Event.Properties.Type.Enum, []string{}
	for _, branch := range root.Defs.Event.AllOf {
		described = append(described, branch.If.Properties.Type.Const)
	}
	slices.Sort(listed)
	slices.Sort(described)
	want := eventTypes(t)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("types that the schema lists (-declared +listed):\n%s", diff)
	}
	if diff := cmp.Diff(want, described); diff != "" {
		t.Errorf("types whose detail the schema describes (-declared +described):\n%s", diff)
	}
}

type strange struct{}

func (strange) Type() string { return "strange" }

func TestAnEventWithoutAFormIsTold(t *testing.T) {
	j := NewJSON()
	err := j.Write(executor.Event{Detail: strange{}})
	if err == nil || !strings.Contains(err.Error(), "strange") {
		t.Errorf("Write = %v", err)
	}
	if len(j.report.Runs) != 1 || len(j.report.Runs[0].Events) != 1 {
		t.Error("the event is not there")
	}
}
