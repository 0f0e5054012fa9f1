package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestTheReasonOfManyWorkflowsWithinEachOtherStaysShort, and tells the deepest.
func TestTheReasonOfManyWorkflowsWithinEachOtherStaysShort(t *testing.T) {
	got := flowTest{flow: `
workflows:
- workflowId: w
  steps: [{stepId: again, workflowId: w}]
`, runtime: &script{answer: always(respond(200, nil))}}.run(t)
	if got.Status != executor.Failed {
		t.Fatalf("ended as %s", got.Status)
	}
	reason := got.Workflows[0].Reason
	if strings.Count(reason, `workflow "w"`) != 3 || !strings.HasSuffix(reason, "…: workflows call each other deeper than 32") {
		t.Errorf("the reason is %s", reason)
	}
}
