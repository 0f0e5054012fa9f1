package contract

import (
	"testing"

	"github.com/weft-flow/weft/executor/mock"
)

// TestEachFaultIsExplained holds that no failure is told by the name of a fault alone.
func TestEachFaultIsExplained(t *testing.T) {
	for _, kind := range mock.FaultKinds() {
		if meanings[kind] == "" {
			t.Errorf("nothing says what %s does", kind)
		}
	}
}

// TestSilenceIsOneThing holds that a message which never comes is told, and counted, once.
func TestSilenceIsOneThing(t *testing.T) {
	var s script
	for n := range 3 {
		s = s.broken(mock.Fault{Operation: "box/paid", Occurrence: n + 1, Kind: mock.WebhookLost})
	}
	s = s.broken(mock.Fault{Operation: "box/pay", Occurrence: 1, Kind: mock.WebhookLost})
	want := "box/paid, messages 1 to 3: webhook-lost (the message is never sent)"
	if got := s.conditions(); len(got) != 2 || got[0] != want || s.size() != 2 {
		t.Errorf("%d: %q", s.size(), got)
	}
}
