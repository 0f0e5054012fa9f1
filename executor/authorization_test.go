package executor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// Secrets that become known during a run are masked from then on, and what a
// runtime has to say to a person is said once.
func TestSecretsAreLearnedAndNoticesToldOnce(t *testing.T) {
	f := flowTest{flow: `workflows:
  - workflowId: w
    steps:
      - {stepId: a, operationId: tick}
      - {stepId: b, operationId: tick, outputs: {echo: $response.body#/echo}}
`}
	plan, refusals := f.compile(t)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	known := []string{"first-secret"}
	runtime := &script{t: t, answer: func(_ executor.Call, n int) executor.Exchange {
		known = append(known, fmt.Sprintf("token-%d-secret", n))
		x := respond(200, map[string]any{"echo": strings.Join(known, " ")}, "X-Echo", known[n])
		x.Notices = []string{"something is missing", fmt.Sprintf("told with %s", known[n])}
		return x
	}}
	told := &recorder{}
	_, err := plan.Run(t.Context(), runtime, executor.Start{Sink: told, Learned: func(n int) []string { return known[n:] }})
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, told.events)
	masked := 0
	for _, e := range told.events {
		text := fmt.Sprintf("%+v", e.Detail)
		if d, ok := e.Detail.(executor.AttemptFinished); ok {
			text += string(d.Response.Body)
		}
		if strings.Contains(text, "-secret") {
			t.Errorf("%s holds a secret: %s", e.Detail.Type(), text)
		}
		masked += strings.Count(text, "***")
	}
	if masked != 2+3+2+3 {
		t.Errorf("%d secrets were masked, expected 10", masked)
	}
	if got := strings.Join(told.texts("notice"), "\n"); strings.Count(got, "something is missing") != 1 || strings.Count(got, "told with ***") != 2 {
		t.Errorf("the notices are\n%s", got)
	}
	for _, c := range runtime.calls {
		if c.Source == nil || c.Source.Name != "shop" {
			t.Errorf("the call is of the source %v", c.Source)
		}
	}
}
