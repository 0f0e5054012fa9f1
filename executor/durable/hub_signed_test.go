package durable

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

// TestAReceiverWithoutTheSecretTakesNothingUnsigned: a process that does not know a source
// whose messages are to be signed keeps none of them, until one that knows it wants no
// signatures any more. One that knows the source goes by what it was told.
func TestAReceiverWithoutTheSecretTakesNothingUnsigned(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		s := openStore(t, url, quickOptions(t))
		run := begin(t, s, Spec{Bundle: flowBundle(t, waitFlow)}, `{"ref":"1"}`).Run
		plan, err := s.Plan(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		sends := func(sources map[string]webhook.Source) int {
			t.Helper()
			receiver, err := webhook.New(s.Hub(), webhook.Options{Sources: sources})
			if err != nil {
				t.Fatal(err)
			}
			request := httptest.NewRequest(http.MethodPost, "/webhooks/shop/paid", strings.NewReader(`{"ref":"1"}`))
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			receiver.ServeHTTP(answer, request)
			return answer.Code
		}
		stranger, open := map[string]webhook.Source{"other": {}}, map[string]webhook.Source{"shop": {}}
		secret := map[string]webhook.Source{"shop": {Secrets: []string{"the secret of the shop"}}}
		for _, step := range []struct {
			signed                 bool
			strange, knows, checks int
		}{{false, 204, 204, 401}, {true, 503, 204, 401}, {false, 204, 204, 401}} {
			boxes := plan.Mailboxes()
			declared := []executor.Mailbox{boxes[0]}
			declared[0].Signed = step.signed
			if err := s.Hub().Declare(t.Context(), declared); err != nil {
				t.Fatal(err)
			}
			if strange, knows, checks := sends(stranger), sends(open), sends(secret); strange != step.strange || knows != step.knows || checks != step.checks {
				t.Errorf("signed %t: answered with %d, %d and %d, want %d, %d and %d", step.signed, strange, knows, checks, step.strange, step.knows, step.checks)
			}
			if _, err := s.Hub().Open(t.Context(), run, boxes); err != nil { // a run's box does not take it back
				t.Fatal(err)
			}
		}
	})
}
