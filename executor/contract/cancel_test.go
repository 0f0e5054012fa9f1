package contract_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor/contract"
)

// TestACancelIsRepeatedWhereItWas holds that a cancel is bound to what happens in its run:
// over real connections, where the same takes another time, it comes at the same place.
func TestACancelIsRepeatedWhereItWas(t *testing.T) {
	dir := t.TempDir()
	api, err := filepath.Abs("../../testdata/contract/shop.openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "flow.yaml"), `
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: shop, url: 'file://`+api+`', type: openapi}]
workflows:
  - workflowId: order
    inputs: {type: object, properties: {reference: {type: string, default: order-7}}}
    x-weft-on-cancel: [{name: undo, type: goto, stepId: undo}]
    steps:
      - stepId: look
        operationId: getPaymentByReference
        parameters: [{name: orderReference, in: path, value: $inputs.reference}]
        successCriteria: [{condition: $statusCode < 500}]
      - stepId: take
        operationId: charge
        timeout: 300
        requestBody: {payload: {orderReference: $inputs.reference, amount: '1.00'}}
        successCriteria: [{condition: $statusCode == 201}]
        onSuccess: [{name: taken, type: end}]
      - stepId: undo
        operationId: refund
        requestBody: {payload: {orderReference: $inputs.reference}}
        successCriteria: [{condition: $statusCode == 201}]
`)
	set := load(t, filepath.Join(dir, "flow.yaml"))
	report, err := contract.Explore(context.Background(), set, contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	cancelled := 0
	for _, f := range report.Workflows[0].Failures {
		if !slices.ContainsFunc(f.Conditions, func(c string) bool { return strings.Contains(c, "the run is cancelled") }) {
			continue
		}
		cancelled++
		if !strings.Contains(f.Conditions[len(f.Conditions)-1], "step take") {
			t.Errorf("the cancel is not told by its step: %q", f.Conditions)
		}
		for range 3 {
			again, err := contract.Replay(context.Background(), set, contract.Options{Budget: -1}, f.Seed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again.Result.Status != f.Status || !slices.ContainsFunc(again.Problems, func(p contract.Problem) bool { return p.Check == f.Check && p.Step == f.Step }) {
				t.Errorf("%s at %s ended %s, the repetition %s with %v", f.Check, f.Step, f.Status, again.Result.Status, again.Problems)
			}
		}
	}
	if cancelled == 0 {
		t.Errorf("no failure needs a cancel: %+v", report.Workflows[0].Failures)
	}
}
