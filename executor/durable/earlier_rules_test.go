package durable

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestWhatAnEarlierProgramSentIsFollowed: a history in which a request was sent, by the rules
// of the program that made it, that this one would withhold goes on as it is recorded. What is
// not recorded goes by the rules of today.
func TestWhatAnEarlierProgramSentIsFollowed(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		shop, servers := playMuted(t, 1)
		s := driving(t, url)
		flow := strings.Replace(againFlow, "OPERATION", "pay", 1)
		run := begin(t, s, Spec{Bundle: flowBundle(t, flow), Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaitsWait(t, s, run, 1)
		if err := s.Settle(t.Context(), run, Settlement{Step: "pay", Outcome: "failed", Operator: "ann"}); err != nil {
			t.Fatal(err)
		}
		deliverPaid(t, s, run, "1", `{"ref":"1"}`)
		awaitsWait(t, s, run, 2)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}

		s = openStore(t, url, quickOptions(t))
		// An earlier program sent the payment also where this was found: that it was done.
		prefix := ""
		if s.db.lite == nil {
			prefix = "dbos."
		}
		changed, err := s.db.exec(t.Context(), "UPDATE "+prefix+`operation_outputs SET output = replace(output, '"Succeeded":false', '"Succeeded":true')
			WHERE workflow_uuid = $1 AND function_name LIKE '%:settled' AND output LIKE '%"Succeeded":false%'`, run)
		if err != nil || changed != 1 {
			t.Fatal(changed, err)
		}
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		deliverPaid(t, s, run, "2", `{"ref":"1","end":true}`)
		result := end(t, s, run)
		if sent, _ := shop.sent("/payments"); result.Status != executor.Recovered || len(sent) != 2 {
			t.Errorf("%s (%s), %d requests", result.Status, result.Reason, len(sent))
		}
	})
}

func deliverPaid(t *testing.T, s *Store, run, id, body string) {
	t.Helper()
	if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: id, Body: []byte(body)}); err != nil {
		t.Fatal(err)
	}
}
