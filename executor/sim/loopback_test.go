package sim_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/specs"
)

// hurried makes the flow wait for milliseconds where it waits for seconds.
var hurried = strings.NewReplacer(
	"timeout: 3000\n", "timeout: 150\n", "timeout: 30000\n", "timeout: 400\n",
	"retryAfter: 5\n", "retryAfter: 0.03\n", "retryAfter: 3\n", "retryAfter: 0.03\n", "retryAfter: 1\n", "retryAfter: 0.05\n",
)

// hurriedFlow is the bundled flow in real time, but in a hurry.
func hurriedFlow(t *testing.T) *source.Set {
	t.Helper()
	dir := t.TempDir()
	err := fs.WalkDir(specs.OrderFlow, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(specs.OrderFlow, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, filepath.Base(path)), []byte(hurried.Replace(string(text))), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(t.Context(), filepath.Join(dir, "order.arazzo.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// loopback is a mock, a receiver and a runtime that speak over real connections.
type loopback struct {
	server  *mock.Server
	runtime *live.Runtime
	servers map[string]string
}

func newLoopback(t *testing.T, set *source.Set, faults []mock.Fault) *loopback {
	t.Helper()
	const secret = "known to both"
	sources, senders := mock.Sources(set), map[string]webhook.Source{}
	server := mock.New(sources, mock.Options{})
	base, stop, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &loopback{server: server, servers: map[string]string{}}
	for _, src := range sources {
		l.servers[src.Description.Identity] = base + "/" + src.Name
		senders[src.Name] = webhook.Source{Secrets: []string{secret}}
	}
	receiver, err := live.Listen(live.ReceiverOptions{Messages: webhook.Options{Sources: senders}})
	if err != nil {
		t.Fatal(err)
	}
	err = server.SendWebhooks(mock.WebhookOptions{
		Target: receiver.URL(), Secret: func(string) []byte { return []byte(secret) }, Attempts: 2, Backoff: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Plan(faults...); err != nil {
		t.Fatal(err)
	}
	l.runtime = live.New(live.Options{Receiver: receiver})
	t.Cleanup(func() {
		l.runtime.Close()
		_ = server.Close()
		_ = stop()
		_ = receiver.Close(context.Background())
	})
	return l
}

// canceller cancels at the moment that the situation is about.
type canceller struct {
	recorder
	situation string
	cancel    func()
}

func (c *canceller) Write(e executor.Event) error {
	switch d := e.Detail.(type) {
	case executor.MessageAwaited:
		if c.situation == "cancel while waiting" {
			c.cancel()
		}
	case executor.RetryScheduled:
		if c.situation == "cancel before a retry" {
			c.cancel()
		}
	case executor.RequestPrepared:
		if strings.HasPrefix(c.situation, "cancel while the payment is in the air") && d.OperationID == "requestPayment" {
			time.AfterFunc(20*time.Millisecond, c.cancel)
		}
	}
	return c.recorder.Write(e)
}

// TestTheOrderFlowInEachSituationOverLoopback is the table of the simulated runs over
// real connections: what became of each run must be the same.
func TestTheOrderFlowInEachSituationOverLoopback(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes real time")
	}
	set := hurriedFlow(t)
	want := rows(t, "orderflow-messages.md")
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel() // they wait, mostly
			for i := range s.faults {
				if s.faults[i].Kind == mock.WebhookLate {
					s.faults[i].Delay = 700 * time.Millisecond
				}
			}
			l := newLoopback(t, set, s.faults)
			payments := executor.SourceConfig{Profile: &idempotency.Profile{SettleAfter: 150 * time.Millisecond}}
			linger := time.Millisecond
			if len(s.faults) > 0 && strings.HasPrefix(string(s.faults[0].Kind), "webhook-") {
				linger = 500 * time.Millisecond
			}
			plan, refusals := executor.Compile(set, nil, executor.Config{
				Servers: l.servers, Sources: map[string]executor.SourceConfig{"payments": payments}, Linger: linger,
			})
			if len(refusals) > 0 {
				t.Fatal(refusals)
			}
			events := &canceller{situation: s.name, cancel: l.runtime.Cancel}
			result, err := plan.Run(t.Context(), l.runtime, executor.Start{Sink: events})
			if err != nil {
				t.Fatal(err)
			}
			if err := l.server.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			for _, err := range l.server.Unfired() {
				t.Error(err)
			}
			w := result.Workflows[0]
			got := []string{string(result.Status), dash(w.State), dash(text(w.Outputs.Get("status"))), effects(l.server)}
			if row := want[s.name]; strings.Join(got, " | ") != strings.Join([]string{row[0], row[1], row[2], row[5]}, " | ") {
				t.Errorf("it ended as %v, the simulated run as %v (%s)", got, row, result.Reason)
			}
			if messages, row := kinds(told(&events.recorder)), kinds(want[s.name][3]); !maps.Equal(messages, row) {
				t.Errorf("messages %v, in the simulated run %v", messages, row)
			}
		})
	}
}

// rows reads a table by its first column.
func rows(t *testing.T, name string) map[string][]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, line := range strings.Split(string(content), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) > 6 {
			found[cells[0]] = cells[1:]
		}
	}
	return found
}

// kinds are what was told of messages, without how often.
func kinds(told string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Split(told, "; ") {
		word, _, _ = strings.Cut(word, " x")
		if strings.HasPrefix(word, "unmatched (its webhook-timestamp") {
			word = "unmatched"
		}
		all[word] = true
	}
	return all
}
