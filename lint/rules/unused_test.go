package rules_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestComponentsThatOnlyReferToEachOther finds those that nothing else refers to.
func TestComponentsThatOnlyReferToEachOther(t *testing.T) {
	text := moneyHead + "    steps: [{stepId: s, operationId: findCharge}]\n" +
		"  - workflowId: other\n    inputs: {$ref: '#/components/inputs/a'}\n    steps: [{stepId: s, operationId: findCharge}]\n" +
		"components:\n  inputs:\n    a: {type: object, properties: {x: {$ref: '#/components/inputs/b'}}}\n    b: {type: string}\n" +
		"    c: {$ref: '#/components/inputs/d'}\n    d: {$ref: '#/components/inputs/c'}\n"
	input := lint.Input{Path: filepath.Join("testdata", "case.arazzo.yaml"), Data: []byte(text)}
	loader := source.NewLoader(source.Options{Offline: true})
	result, err := lint.Run(context.Background(), []lint.Input{input}, lint.Options{Rules: rules.All(), Loader: loader})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range result.Files[0].Diagnostics {
		if d.Rule == "unused-component" {
			got = append(got, d.Message)
		}
	}
	want := []string{`nothing refers to the component "c" of inputs`, `nothing refers to the component "d" of inputs`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}
