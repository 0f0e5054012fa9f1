package executor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/lint"
)

// TestLintAndRunAgreeOnKeys holds that the linter takes each request of each document at
// hand to have an effect, and to have a key by the same rule and in the same header, as
// a run does.
func TestLintAndRunAgreeOnKeys(t *testing.T) {
	roots := []string{"../specs", "../testdata", "../lint/rules/testdata", "../lint/testdata"}
	if conformance := os.Getenv("WEFT_CONFORMANCE"); conformance != "" {
		roots = append(roots, conformance)
	} else {
		t.Log("WEFT_CONFORMANCE is not set: only the documents of the project are looked at")
	}
	requests, keyed := 0, 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && (strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".json")) {
				seen, withKey := compareKeys(t, path)
				requests, keyed = requests+seen, keyed+withKey
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d requests, %d with a key", requests, keyed)
	if requests < 100 || keyed < 10 {
		t.Errorf("only %d requests were compared, %d with a key", requests, keyed)
	}
}

// compareKeys compares the requests of one document; there are none in another file. It
// gives how many there were, and how many of them have a key.
func compareKeys(t *testing.T, path string) (requests, keyed int) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	document, _ := arazzo.Parse(path, data)
	if document == nil || document.Version == arazzo.VersionUnknown {
		return 0, 0
	}
	linted := lintedSteps(t, path, data)
	for i, w := range compiledWorkflows(t, document, path) {
		for _, s := range w.steps {
			at := [2]int{i, stepIndex(w.model, s.model)}
			seen := linted[at]
			if s.kind != callsOperation || s.operation == nil || s.channel != nil || seen == nil || seen.Target.Kind != lint.CallTarget || slices.ContainsFunc(seen.Parameters, isFaulty) {
				continue
			}
			requests++
			where := path + ": step " + s.id
			run, effect := idempotency.ChooseKey(s.choice(sampleArguments(s), sampleBusinessKey(s))), seen.Effect()
			if effect.Effectful != s.effectful {
				t.Errorf("%s has an effect for the linter: %v, for a run: %v", where, effect.Effectful, s.effectful)
			}
			if effect.Plan.Source != run.Source || effect.Plan.Dialect.Header != run.Dialect.Header || effect.Plan.Contract != run.Contract {
				t.Errorf("%s: the linter says %s (%s, contract %v), a run %s (%s, contract %v)", where,
					effect.Plan.Reason, effect.Plan.Dialect.Header, effect.Plan.Contract, run.Reason, run.Dialect.Header, run.Contract)
			}
			if named := businessAt(s); named != lintedBusinessAt(effect) {
				t.Errorf("%s: the business key is at %q for the linter, at %q for a run", where, lintedBusinessAt(effect), named)
			}
			if run.Source != idempotency.FromNone {
				keyed++
			}
		}
	}
	return requests, keyed
}

// isFaulty tells that a run refuses a parameter.
func isFaulty(p *lint.Parameter) bool { return p.Value == nil || len(p.Value.Faults) > 0 }

// lintedSteps gives the steps of a document as rules see them, by the positions of their
// workflow and of themselves.
func lintedSteps(t *testing.T, path string, data []byte) map[[2]int]*lint.Step {
	steps := make(map[[2]int]*lint.Step)
	look := lint.Rule{Name: "look", Layer: lint.Semantics, Severity: lint.Hint, Check: func(p *lint.Pass) {
		for i, w := range p.Workflows {
			for j, s := range w.Steps {
				steps[[2]int{i, j}] = s
			}
		}
	}}
	options := lint.Options{Rules: []lint.Rule{look}, Loader: source.NewLoader(source.Options{Offline: true})}
	if _, err := lint.Run(context.Background(), []lint.Input{{Path: path, Data: data}}, options); err != nil {
		t.Fatal(err)
	}
	return steps
}

// compiledWorkflows compiles the workflows of a document, also of one that a run refuses.
func compiledWorkflows(t *testing.T, document *arazzo.Document, path string) []*workflow {
	location, err := source.Locate(path)
	if err != nil {
		t.Fatal(err)
	}
	set, _ := source.NewLoader(source.Options{Offline: true}).Load(context.Background(), document, location)
	c := newCompiler(set, Config{})
	selected := c.selectWorkflows(set, nil)
	for _, w := range selected {
		c.compileWorkflow(w)
	}
	return selected
}

func stepIndex(w *arazzo.Workflow, model *arazzo.Step) int {
	for i, s := range w.Steps {
		if s == model {
			return i
		}
	}
	return -1
}

// sampleArguments gives arguments as a run would have them: those that are no constants
// have some value.
func sampleArguments(s *step) []Argument {
	var all []Argument
	for _, a := range s.arguments {
		v := value.String("sample-value-0001")
		if constant, ok := a.value.Constant(); ok {
			v = constant
		}
		all = append(all, Argument{Name: a.name, In: a.in, Value: v})
	}
	return all
}

func sampleBusinessKey(s *step) string {
	if s.key.business == nil {
		return ""
	}
	return "order-1"
}

func businessAt(s *step) string {
	if s.key.business == nil {
		return ""
	}
	return s.key.business.Node().Pointer()
}

func lintedBusinessAt(e *lint.Effect) string {
	if e.Business == nil {
		return ""
	}
	return e.Business.Node.Pointer()
}
