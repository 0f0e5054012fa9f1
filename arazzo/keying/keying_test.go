package keying_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/keying"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
)

func text(value string) arazzo.Text { return arazzo.Text{Node: &arazzo.Node{}, Value: value} }

func TestWhatStandsNearerToTheStepWinsFieldByField(t *testing.T) {
	header := func(name string) *arazzo.Idempotency { return &arazzo.Idempotency{Header: text(name)} }
	key := func(value string) *arazzo.Idempotency { return &arazzo.Idempotency{Key: text(value)} }
	format := &arazzo.Idempotency{Format: text("uuid")}
	off := &arazzo.Idempotency{Off: true}
	for name, test := range map[string]struct {
		step, workflow, document *arazzo.Idempotency

		want  *idempotency.Extension
		key   string
		level keying.Level
	}{
		"nothing is said":              {},
		"on the step":                  {step: header("A"), want: &idempotency.Extension{Header: "A", OnStep: true}},
		"on the workflow":              {workflow: header("A"), want: &idempotency.Extension{Header: "A"}},
		"on the document":              {document: header("A"), want: &idempotency.Extension{Header: "A"}},
		"the nearest header":           {step: header("A"), workflow: header("B"), document: header("C"), want: &idempotency.Extension{Header: "A", OnStep: true}},
		"another field from elsewhere": {step: format, document: header("C"), want: &idempotency.Extension{Header: "C", Format: "uuid"}},
		"off on the step":              {step: off, document: header("C"), want: &idempotency.Extension{Off: true, Header: "C"}},
		"off farther away":             {step: header("A"), workflow: off, want: &idempotency.Extension{Header: "A", OnStep: true}},
		"a key of the step":            {step: key("s"), workflow: key("w"), want: &idempotency.Extension{}, key: "s", level: keying.OfStep},
		"a key of the workflow":        {step: header("A"), workflow: key("w"), document: key("d"), want: &idempotency.Extension{Header: "A", OnStep: true}, key: "w", level: keying.OfWorkflow},
		"a key of the document":        {document: key("d"), want: &idempotency.Extension{}, key: "d", level: keying.OfDocument},
	} {
		t.Run(name, func(t *testing.T) {
			said := keying.Of(nil, test.step, test.workflow, test.document)
			if diff := cmp.Diff(test.want, said.Extension); diff != "" {
				t.Error(diff)
			}
			if said.Key.Present() != (test.key != "") || said.Key.Value != test.key || said.Level != test.level {
				t.Errorf("key %q at level %d, want %q at %d", said.Key.Value, said.Level, test.key, test.level)
			}
		})
	}
}

func TestHeadersThatTheOperationDeclares(t *testing.T) {
	quoted := openapi3.NewStringSchema().WithPattern(`^"[a-z]+"$`).WithMaxLength(64)
	operation := &source.Operation{Params: []*source.Parameter{
		{Name: "Idempotency-Key", In: "header", Schema: quoted}, {Name: "Idempotency-Key", In: "query"}, {Name: "X-Bare", In: "header"},
	}}
	want := []idempotency.Declared{{Name: "Idempotency-Key", Quoted: true, MaxLength: 64}, {Name: "X-Bare"}}
	if diff := cmp.Diff(want, keying.Of(operation, nil, nil, nil).Declared); diff != "" {
		t.Error(diff)
	}
}
