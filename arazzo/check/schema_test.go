package check_test

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

const partsOfSchema = `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/components/schemas/A"},"b":{"$ref":"#/components/schemas/None"}}}`

func TestSchemasCanBeLookedInto(t *testing.T) {
	for version, old := range map[string]bool{"3.0.3": true, "3.1.0": false} {
		t.Run(version, func(t *testing.T) {
			op := withSchema(t, version, partsOfSchema, `{"A":{"type":"integer","nullable":true,"readOnly":true,"minimum":1}}`)
			s := check.RequestSchema(op, op.Body.Content[0])
			a, ok := s.In("properties", "a").Follow()
			if !ok || a.Value().Get("type").Text() != "integer" {
				t.Fatalf("the reference leads to %s", a.Value())
			}
			if a.RefAlone() != old || a.Nullable() != old {
				t.Errorf("RefAlone is %t, Nullable is %t", a.RefAlone(), a.Nullable())
			}
			if got := a.Place().Pointer.String(); got != "/components/schemas/A" {
				t.Errorf("the place is %s", got)
			}
			if !s.IsExempt("a") || s.IsExempt("b") {
				t.Error("what the server writes need not be there")
			}
			answer := check.ResponseSchema(op, op.Responses[0], op.Responses[0].Content[0])
			if answer.IsExempt("a") {
				t.Error("the server has to write it")
			}
			if broken := s.In("properties", "b"); !broken.IsForeign() {
				t.Errorf("a reference that leads nowhere: %s", broken.Value())
			}
		})
	}
}

func TestValuesAgainstASchema(t *testing.T) {
	op := withSchema(t, "3.1.0", partsOfSchema, `{"A":{"type":"integer","minimum":1}}`)
	var c check.Checker
	a := check.RequestSchema(op, op.Body.Content[0]).In("properties", "a")
	for range 2 { // compiled, then known
		if r := c.Against(a, value.Int(1)); len(r.Findings) > 0 {
			t.Errorf("1: %v", r.Findings)
		}
		if r := c.Against(a, value.Int(0)); len(r.Findings) != 1 {
			t.Errorf("0: %v", r.Findings)
		}
	}
	if r := c.Against(a.In("none"), value.Int(0)); len(r.Findings) > 0 || len(r.Gaps) == 0 {
		t.Errorf("without a schema: %+v", r)
	}
}

func TestTextsOfParameters(t *testing.T) {
	op := load(t, "testdata/shop.yaml").ByID("getOrder")[0]
	tests := []struct {
		parameter, text string
		fits            bool
	}{
		{"limit", "5", true},
		{"limit", "500", false},
		{"limit", "five", false},
		{"sizes", "5", true},
		{"sizes", "5,6", true},
		{"sizes", "5,six", false},
		{"marks", "5|6", true},
		{"tags", "a", true},
		{"where", `{"a": 1}`, true},
		{"where", `{"b": 1}`, false},
		{"gift", "", true},
		{"gift", "yes", false},
		{"wrapped", "", false},
	}
	var c check.Checker
	for _, test := range tests {
		r := c.Text(op, op.Parameter(test.parameter, "query"), test.text)
		if fits := len(r.Findings) == 0; fits != test.fits {
			t.Errorf("%s %s: %v", test.parameter, test.text, r.Findings)
		}
	}
}
