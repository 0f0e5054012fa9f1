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

// TestSharedInputsThatSomethingUses holds that the inputs of a component are not
// reported where one of the workflows uses them, nor where it serves another schema.
func TestSharedInputsThatSomethingUses(t *testing.T) {
	for name, inputs := range map[string][2]string{
		"by another workflow":   {"{$ref: '#/components/inputs/order'}", "{$ref: '#/components/inputs/order'}"},
		"in another schema too": {"{$ref: '#/components/inputs/order'}", "{type: object, properties: {colour: {$ref: '#/components/inputs/order'}}}"},
		"in a schema alone":     {"{type: object, properties: {orderId: {$ref: '#/components/inputs/order'}}}", "{type: object, properties: {colour: {type: string}}}"},
	} {
		t.Run(name, func(t *testing.T) {
			document := `arazzo: 1.1.0
info: {title: t, version: 1.0.0}
sourceDescriptions: [{name: shop, url: shop.openapi.yaml, type: openapi}]
workflows:
  - workflowId: one
    inputs: ` + inputs[0] + `
    steps: [{stepId: a, operationId: getOrder, parameters: [{name: orderId, in: path, value: "{$inputs.orderId}"}]}]
  - workflowId: two
    inputs: ` + inputs[1] + `
    steps: [{stepId: a, operationId: getOrder, parameters: [{name: orderId, in: path, value: "{$inputs.colour}"}]}]
components:
  inputs:
    order: {type: object, properties: {orderId: {type: string}, colour: {type: string}}}
`
			for _, d := range lintText(t, "testdata/w.arazzo.yaml", []byte(document)).Files[0].Diagnostics {
				if d.Rule == "unused-input" {
					t.Errorf("%d:%d: %s", d.Span.Start.Line, d.Span.Start.Column, d.Message)
				}
			}
		})
	}
}
