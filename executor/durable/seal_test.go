package durable

import (
	"errors"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestWhatServersAnswerIsEncrypted: under a key nothing of an answer can be read in the
// database, also where it is a secret that nobody knows to be one; and a process without the
// key tells what it can.
func TestWhatServersAnswerIsEncrypted(t *testing.T) {
	const answered = "ord-1" // the id that the shop gives
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unknownFlow)
		_, servers := playMuted(t, 1)
		with := func(key string) *Store {
			o := quickOptions(t)
			o.Key = key
			return openStore(t, url, o)
		}
		s, other, none := with("a key of the store that is long enough"), with("another key than that"), with("")
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}
		run := begin(t, s, spec, `{"ref":"1"}`).Run
		awaits(t, s, run)
		settlement := Settlement{Step: "pay", Outcome: "succeeded", Operator: "ann", Response: []byte(`{"payment":"p-1"}`)}
		for name, blind := range map[string]*Store{"another key": other, "no key": none} {
			d, err := blind.Show(t.Context(), run)
			if err != nil || !d.Sealed || len(d.Steps) > 0 || d.Waiting == nil {
				t.Errorf("%s: %+v, %v", name, d, err)
			}
			if _, err := blind.Events(t.Context(), run, 0, 10); !errors.Is(err, ErrSealed) {
				t.Errorf("%s: the events: %v", name, err)
			}
			if err := blind.Settle(t.Context(), run, settlement); !errors.Is(err, ErrSealed) {
				t.Errorf("%s: settled: %v", name, err)
			}
		}
		if err := s.Settle(t.Context(), run, settlement); err != nil {
			t.Fatal(err)
		}
		if d, err := none.Show(t.Context(), run); err != nil || len(d.Settlements) != 1 || d.Settlements[0].Void {
			t.Errorf("%+v, %v", d, err)
		}
		if _, err := s.Deliver(t.Context(), run, executor.Message{Box: paidBox, Identity: "m1", Body: []byte(`{"ref":"1","token":"opaque-1"}`)}); err != nil {
			t.Fatal(err)
		}
		end(t, s, run)
		awaitRecorded(t, s, run)
		if events := historyOf(t, s, run); len(events) == 0 {
			t.Error("there are no events")
		}
		for _, text := range []string{answered, "opaque-1", "p-1"} {
			for table, found := range findEverywhere(t, s, text) {
				t.Errorf("%q stands in %s: %s", text, table, found)
			}
		}
	})
}

// TestEventsFromBeforeTheyWereEncrypted: those that were kept without a key are read by a
// process that has one.
func TestEventsFromBeforeTheyWereEncrypted(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, keyedFlow)
		_, servers := playShop(t, b)
		plain := driving(t, url)
		run := begin(t, plain, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`).Run
		end(t, plain, run)
		if found := findEverywhere(t, plain, "ord-1"); len(found) < 2 {
			t.Errorf("without a key the answer stands only in %v: the other test shows nothing", found)
		}
		o := quickOptions(t)
		o.Key = "a key of the store that is long enough"
		if d, err := openStore(t, url, o).Show(t.Context(), run); err != nil || d.Sealed || len(d.Steps) != 3 {
			t.Errorf("%+v, %v", d, err)
		}
	})
}
