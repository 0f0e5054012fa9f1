package specs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/specs"
)

// loadOrderFlow reads the bundled flow as a user does who has written it to a folder.
func loadOrderFlow(t *testing.T) *source.Set {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(context.Background(), filepath.Join(dir, "orderflow", "order.arazzo.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Errorf("fault: %v", f)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	for _, p := range problems {
		t.Errorf("source %s: %s", p.Source, p.Message)
	}
	return set
}

func TestOrderFlowResolves(t *testing.T) {
	set := loadOrderFlow(t)
	workflow := set.Document.Workflow("placeOrder")
	if workflow == nil {
		t.Fatal("there is no workflow placeOrder")
	}
	want := map[string]string{
		"createOrder":      "createOrder",
		"requestPayment":   "requestPayment",
		"findPayment":      "getPaymentByReference",
		"confirmNoPayment": "getPaymentByReference",
		"awaitPayment":     "paymentChanged",
		"requeryPayment":   "getPaymentByReference",
		"finalizeOrder":    "closeOrder",
		"releaseOrder":     "releaseOrder",
		"readOrder":        "getOrder",
	}
	if len(workflow.Steps) != len(want) {
		t.Errorf("there are %d steps, expected %d", len(workflow.Steps), len(want))
	}
	for _, step := range workflow.Steps {
		_, op, err := set.FindOperation(step.OperationID.Value)
		if err != nil {
			t.Errorf("step %s: %v", step.StepID.Value, err)
			continue
		}
		if op.ID != want[step.StepID.Value] {
			t.Errorf("step %s calls %s, expected %s", step.StepID.Value, op.ID, want[step.StepID.Value])
		}
	}
}

func TestOrderFlowActionsLeadForward(t *testing.T) {
	set := loadOrderFlow(t)
	workflow := set.Document.Workflow("placeOrder")
	place := map[string]int{}
	for i, step := range workflow.Steps {
		place[step.StepID.Value] = i
	}
	for i, step := range workflow.Steps {
		lists := map[string][]*arazzo.Action{arazzo.KindSuccessActions: step.OnSuccess, arazzo.KindFailureActions: step.OnFailure}
		for kind, actions := range lists {
			for _, written := range actions {
				action, err := set.Document.ResolveAction(written, kind)
				if err != nil {
					t.Errorf("step %s: %v", step.StepID.Value, err)
					continue
				}
				if action.Type.Value != "goto" {
					continue
				}
				target, ok := place[action.StepID.Value]
				if !ok || target <= i {
					t.Errorf("step %s, action %s leads to %q, expected a later step", step.StepID.Value, action.Name.Value, action.StepID.Value)
				}
			}
		}
	}
}

func TestOrderFlowWritesAKeyForEachEffect(t *testing.T) {
	set := loadOrderFlow(t)
	steps := map[string]string{}
	for _, step := range set.Document.Workflow("placeOrder").Steps {
		_, op, err := set.FindOperation(step.OperationID.Value)
		if err != nil || op.Kind != source.Request || op.Method != "POST" {
			continue
		}
		declared := op.Parameter("idempotency-key", "header")
		if declared == nil || !declared.Required {
			t.Errorf("%s does not demand a key", op.ID)
		}
		if !step.Timeout.Present() {
			t.Errorf("step %s has no timeout", step.StepID.Value)
		}
		key := ""
		for _, p := range step.Parameters {
			if p.Name.Value == "Idempotency-Key" {
				key = p.Value.Value().Text()
			}
		}
		if other, taken := steps[key]; key == "" || taken {
			t.Errorf("step %s has the key %q, which step %q has too", step.StepID.Value, key, other)
		}
		steps[key] = step.StepID.Value
	}
	if len(steps) != 4 {
		t.Errorf("there are %d keyed requests, expected 4", len(steps))
	}
}
