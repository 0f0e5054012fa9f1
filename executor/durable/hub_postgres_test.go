package durable

import (
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// paidFor is the box of a run that expects a message about an order at a fixed address.
func paidFor(t *testing.T, ref string) executor.Mailbox {
	t.Helper()
	where, err := executor.ParseLocator("$message.payload#/ref")
	if err != nil {
		t.Fatal(err)
	}
	return executor.Mailbox{Name: "paid", Kind: executor.WebhookBox, Source: "pay", Operation: "paid",
		Expect: []executor.Expectation{{Box: "paid", Where: where, Value: value.String(ref)}}}
}

// paidArrives is a message about an order.
func paidArrives(box executor.Mailbox, ref string, at time.Time) channel.Arrival {
	return channel.Arrival{Place: channel.PlaceOf(box), Received: at, Identity: ref, Method: "POST",
		Header: executor.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"ref":"` + ref + `"}`)}
}

// awaitLocked waits until somebody waits for a lock of the database.
func awaitLocked(t *testing.T, s *Store) {
	t.Helper()
	waiting := 0
	for deadline := time.Now().Add(10 * time.Second); waiting == 0; time.Sleep(time.Millisecond) {
		_, err := one(t.Context(), s.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'", nil, &waiting)
		if err != nil || time.Now().After(deadline) {
			t.Fatal("nobody waits for a lock", err)
		}
	}
}

// TestPostgresAnAddressIsForgottenAsARunOpensIt: the last run at an address is forgotten
// between the look whether there is one and the hold of it; the run that opens it gets what
// comes there all the same.
func TestPostgresAnAddressIsForgottenAsARunOpensIt(t *testing.T) {
	s := openStore(t, postgresOnly(t), quickOptions(t))
	box := paidFor(t, "2")
	if _, err := s.hub.Open(t.Context(), "first", []executor.Mailbox{paidFor(t, "1")}); err != nil {
		t.Fatal(err)
	}
	if err := s.hub.End(t.Context(), "first"); err != nil {
		t.Fatal(err)
	}
	opened := make(chan error, 1)
	err := s.db.within(t.Context(), func(tx *transaction) error {
		if _, err := s.hub.holdPlace(t.Context(), tx, channel.PlaceOf(box)); err != nil {
			return err
		}
		go func() {
			_, err := s.hub.Open(t.Context(), "second", []executor.Mailbox{box})
			opened <- err
		}()
		awaitLocked(t, s)
		return forgetInbox(t.Context(), tx, "first")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}
	kept, err := s.hub.Keep(t.Context(), paidArrives(box, "2", time.Now()))
	if err != nil || kept.Outcome != channel.Stored || kept.Run != "second" {
		t.Errorf("the message is %+v, %v", kept, err)
	}
}

// TestPostgresAMessageIsNotForgottenWhileARunTakesIt: an unmatched message whose time is over
// is removed only by who holds its address; a run that is opening there, and may have found
// it, is awaited.
func TestPostgresAMessageIsNotForgottenWhileARunTakesIt(t *testing.T) {
	s := openStore(t, postgresOnly(t), quickOptions(t))
	box := paidFor(t, "1")
	if err := s.hub.Declare(t.Context(), []executor.Mailbox{box}); err != nil {
		t.Fatal(err)
	}
	if kept, err := s.hub.Keep(t.Context(), paidArrives(box, "1", time.Now())); err != nil || kept.Outcome != channel.KeptUnmatched {
		t.Fatalf("%+v, %v", kept, err)
	}
	count := func() (n int) {
		t.Helper()
		if _, err := one(t.Context(), s.db, "SELECT count(*) FROM weft_message", nil, &n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	// Another node, whose clock is two days ahead.
	later := newHub(s, func() time.Time { return time.Now().Add(48 * time.Hour) }, channel.Limits{})
	expired := make(chan error, 1)
	err := s.db.within(t.Context(), func(tx *transaction) error {
		if err := openInbox(t.Context(), tx, "run"); err != nil {
			return err
		}
		if _, err := s.hub.sharePlace(t.Context(), tx, channel.PlaceOf(box)); err != nil {
			return err
		}
		go func() {
			_, err := later.Unmatched(t.Context())
			expired <- err
		}()
		awaitLocked(t, s)
		if n := count(); n != 1 {
			t.Errorf("%d messages are there while a run opens their address", n)
		}
		_, err := s.hub.open(t.Context(), tx, "run", []executor.Mailbox{box})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-expired; err != nil {
		t.Fatal(err)
	}
	message, err := s.nextMessage(t.Context(), "run", 0)
	if err != nil || message == nil || message.Identity != "1" {
		t.Errorf("the run has %+v, %v", message, err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d messages are there", n)
	}
}
