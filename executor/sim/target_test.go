package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/sim"
)

// TestNothingIsSentWhereNothingReceives holds that the mock sends messages only to runs that
// can take them.
func TestNothingIsSentWhereNothingReceives(t *testing.T) {
	for _, test := range []struct {
		name, more string
		sent       int
	}{
		{"nothing receives", "", 0},
		{"a step receives", `
      - stepId: await
        operationId: paymentChanged
        action: receive
        correlationId: r-1
        x-weft-correlation: $message.payload#/orderReference
        timeout: 30000
`, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			api, err := filepath.Abs("../../testdata/contract/shop.openapi.yaml")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "flow.yaml")
			text := `
arazzo: 1.1.0
info: {title: One, version: 1.0.0}
sourceDescriptions: [{name: shop, url: 'file://` + api + `', type: openapi}]
workflows:
  - workflowId: order
    steps:
      - stepId: pay
        operationId: pay
        requestBody: {payload: {orderReference: r-1, amount: '1.00'}}
        onFailure: [{name: again, type: retry, retryAfter: 1}]
` + test.more
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			loader := source.NewLoader(source.Options{Offline: true})
			doc, location, _, err := loader.LoadDocument(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			set, problems := loader.Load(t.Context(), doc, location)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			stage := sim.NewStage(set)
			plan, refusals := executor.Compile(set, nil, executor.Config{Servers: stage.Servers()})
			if len(refusals) > 0 {
				t.Fatal(refusals)
			}
			world, err := stage.New(sim.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			result, err := plan.Run(t.Context(), world, executor.Start{})
			if err != nil || result.Status != executor.Succeeded {
				t.Fatalf("%+v %v", result, err)
			}
			if got := len(world.Server().Ledger().Webhooks); got != test.sent {
				t.Errorf("%d messages were sent, want %d", got, test.sent)
			}
		})
	}
}
