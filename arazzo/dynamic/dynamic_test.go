package dynamic

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// fixed is a Scope with one value for each expression, pointers left out.
type fixed map[string]value.Value

func (f fixed) Resolve(e *expression.Expression) value.Value {
	source, _, _ := strings.Cut(e.Source, "#")
	return f[source]
}

// scopeOf reads the values of expressions from JSON.
func scopeOf(t testing.TB, values map[string]string) fixed {
	t.Helper()
	scope := fixed{}
	for source, text := range values {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatalf("the test's own JSON %s: %v", text, err)
		}
		scope[source] = v
	}
	return scope
}

func nodeOf(t testing.TB, text string) *arazzo.Node {
	t.Helper()
	node, faults := arazzo.ParseTree([]byte(text))
	if node == nil || len(faults) > 0 {
		t.Fatalf("the test's own document %s: %v", text, faults)
	}
	return node
}

// criterionOf reads a Criterion Object.
func criterionOf(t testing.TB, text string) *arazzo.Criterion {
	t.Helper()
	const before = `{"arazzo": "1.1.0", "info": {"title": "t", "version": "1"}, "sourceDescriptions": [{"name": "a", "url": "a.yaml"}],
		"workflows": [{"workflowId": "w", "steps": [{"stepId": "s", "operationId": "o", "successCriteria": [`
	document, _ := arazzo.Parse("test.yaml", []byte(before+text+"]}]}]}"))
	if document == nil || len(document.Workflows) != 1 || len(document.Workflows[0].Steps[0].SuccessCriteria) != 1 {
		t.Fatalf("the test's own criterion %s cannot be read", text)
	}
	return document.Workflows[0].Steps[0].SuccessCriteria[0]
}
