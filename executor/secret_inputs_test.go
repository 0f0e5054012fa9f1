package executor_test

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestHasSecretsLooksAtWhatIsGiven(t *testing.T) {
	f := flowTest{flow: `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string}, pin: {type: string, format: password}}}
  steps: [{stepId: s, operationId: tick}]
`}
	plan, refusals := f.compile(t)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	for inputs, want := range map[string]bool{`{"ref":"hunter2"}`: false, `{"ref":"r","pin":"hunter2"}`: true, `{}`: false} {
		given, err := value.ParseJSON([]byte(inputs))
		if err != nil {
			t.Fatal(err)
		}
		if got := plan.HasSecrets(given); got != want {
			t.Errorf("%s: %t", inputs, got)
		}
	}
}
