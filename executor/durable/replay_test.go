package durable

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// replay has a run that has ended executed again from its journal, and holds that it
// gives the same events, asks nobody anything, and records nothing.
func replay(t *testing.T, s *Store, run string) {
	t.Helper()
	awaitRecorded(t, s, run)
	stored, err := s.Events(t.Context(), run, 0, 100_000)
	if err != nil || len(stored) == 0 {
		t.Fatal(len(stored), err)
	}
	var mu sync.Mutex
	var again []executor.Event
	var done []string
	s.replayed = func(e executor.Event) {
		mu.Lock()
		defer mu.Unlock()
		again = append(again, e)
	}
	s.reached = func(point string) {
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(point, "within") {
			done = append(done, point)
		}
	}
	prefix := ""
	if s.db.lite == nil {
		prefix = "dbos."
	}
	changed, err := s.db.exec(t.Context(), "UPDATE "+prefix+"workflow_status SET status = 'ENQUEUED', owner_xid = NULL WHERE workflow_uuid = $1", run)
	if err != nil || changed != 1 {
		t.Fatal(changed, err)
	}
	awaitRecorded(t, s, run)
	mu.Lock()
	defer mu.Unlock()
	s.replayed, s.reached = nil, nil
	if len(done) > 0 {
		t.Errorf("done again: %v", done)
	}
	if len(again) != len(stored) {
		t.Fatalf("%d events, %d when it was replayed", len(stored), len(again))
	}
	for i := range again {
		before, _ := writeEvent(stored[i])
		after, err := writeEvent(again[i])
		if err != nil || again[i].Sequence != stored[i].Sequence {
			t.Fatal(again[i].Sequence, stored[i].Sequence, err)
		}
		if diff := cmp.Diff(string(before), string(after)); diff != "" {
			t.Fatalf("event %d (-recorded +replayed)\n%s", i+1, diff)
		}
	}
}

// playAll plays the APIs of a bundle with faults, and gives where. Messages go to base.
func playAll(t *testing.T, set *source.Set, faults mock.FaultPlan, base string) map[string]string {
	t.Helper()
	sources := mock.Sources(set)
	server := mock.New(sources, mock.Options{})
	if len(faults.Faults) > 0 {
		if err := server.Apply(faults); err != nil {
			t.Fatal(err)
		}
	}
	if err := server.SendWebhooks(mock.WebhookOptions{Target: base}); err != nil {
		t.Logf("no webhooks: %v", err)
	}
	at, stop, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stop() })
	servers := map[string]string{}
	for _, src := range sources {
		servers[src.Description.Identity] = at + "/" + src.Name
	}
	return servers
}

// TestAReplayIsTheRun replays runs of many documents.
func TestAReplayIsTheRun(t *testing.T) {
	t.Parallel()
	s := openStore(t, readyFile(t), quickOptions(t))
	base := receive(t, s)
	if err := s.Drive(t.Context(), DriveOptions{BaseURL: base}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../testdata/contract/*.arazzo.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	files = append(files, "../../specs/orderflow/order.arazzo.yaml")
	if dir := os.Getenv("WEFT_CONFORMANCE"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "exec", "cases", "*.arazzo.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	ran := 0
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file))+" "+filepath.Base(file), func(t *testing.T) {
			if runAndReplay(t, s, base, file) {
				ran++
			}
		})
	}
	if t.Logf("%d of %d documents ran and were replayed", ran, len(files)); ran < 8 {
		t.Errorf("only %d ran", ran)
	}
}

// runAndReplay runs a document, if it can be, and replays it.
func runAndReplay(t *testing.T, s *Store, base, file string) bool {
	b, err := Load(t.Context(), file, source.Options{Offline: true})
	if err != nil {
		t.Skip(err)
	}
	set, err := b.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	config := executor.Config{Servers: playAll(t, set, mock.FaultPlan{}, base), Timeout: 2 * time.Second, StepTimeout: 300 * time.Millisecond, MaxSteps: 100}
	started, err := s.Start(t.Context(), Spec{Bundle: b, Config: config, Inputs: value.Object()})
	if err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	result, err := s.Wait(ctx, started.Run)
	if err != nil {
		found, _ := s.Find(t.Context(), started.Run)
		t.Fatalf("%v: %s", err, found.Parked)
	}
	t.Logf("%s after %d steps", result.Status, result.Counts.Steps)
	replay(t, s, started.Run)
	return true
}

// TestAReplayWithFaults replays the bundled flow on its longer ways.
func TestAReplayWithFaults(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		s := openStore(t, url, quickOptions(t))
		base := receive(t, s)
		if err := s.Drive(t.Context(), DriveOptions{BaseURL: base}); err != nil {
			t.Fatal(err)
		}
		flow := orderFlow(t)
		for n, fault := range []mock.Fault{
			{Operation: "createOrder", Kind: mock.UnavailableBeforeEffect},
			{Operation: "requestPayment", Kind: mock.ResetAfterEffect},
			{Operation: "closeOrder", Kind: mock.InternalErrorAfterEffect},
			{Operation: "paymentChanged", Kind: mock.WebhookDoubledSameID},
			{Operation: "paymentChanged", Kind: mock.WebhookConflicting},
		} {
			t.Run(fmt.Sprintf("%s %s", fault.Operation, fault.Kind), func(t *testing.T) {
				set, err := flow.bundle.load(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				config := executor.Config{Servers: playAll(t, set, mock.FaultPlan{Faults: []mock.Fault{fault}}, base)}
				started := begin(t, s, Spec{Bundle: flow.bundle, Config: config}, fmt.Sprintf(`{"orderReference":"order-%d"}`, n))
				if result := end(t, s, started.Run); result.Status != executor.Recovered && result.Status != executor.Succeeded {
					t.Errorf("the run ended as %s (%s)", result.Status, result.Reason)
				}
				replay(t, s, started.Run)
			})
		}
	})
}
