package durable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// childVariable tells the test binary that it is a process of a test, and what to do.
const childVariable = "WEFT_DURABLE_TEST_CHILD"

func TestMain(m *testing.M) {
	if order := os.Getenv(childVariable); order != "" {
		if err := obey(order); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// childOrder is what a process of a test does: open the store, drive, start a run and
// wait for its end.
type childOrder struct {
	URL     string
	Spec    Spec
	Inputs  string // JSON, in place of Spec.Inputs
	KillAt  int    // the point at which the process kills itself; 0: at none
	Starts  int    // how many starts are made at once; 0: one, by a process that drives
	Silence bool   // it only drives, until its standard input ends
}

// obey does what a test orders, and writes what came of it to standard output.
func obey(text string) error {
	var order childOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := Open(ctx, order.URL, Options{Poll: 20 * time.Millisecond, Lease: quick()})
	if err != nil {
		return err
	}
	if order.Starts > 0 {
		return startMany(ctx, s, order)
	}
	var mu sync.Mutex
	points := 0
	s.reached = func(point string) {
		mu.Lock()
		defer mu.Unlock()
		if points++; points == order.KillAt {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
		fmt.Println(point)
	}
	if err := s.Drive(ctx, DriveOptions{}); err != nil {
		return err
	}
	if order.Spec.Inputs, err = value.ParseJSON([]byte(order.Inputs)); err != nil {
		return err
	}
	started, err := s.Start(ctx, order.Spec)
	if err != nil {
		return err
	}
	if _, err := s.Wait(ctx, started.Run); err != nil {
		return err
	}
	// The last record comes after the end that others see.
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if mu.Lock(); points > 0 && s.driver.isIdle() {
			mu.Unlock()
			break
		}
		mu.Unlock()
	}
	return s.Close()
}

// child runs a process of the test, and gives the lines that it wrote and whether it
// was killed.
func child(t testing.TB, order childOrder) (lines []string, killed bool) {
	t.Helper()
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	err = cmd.Run()
	lines = strings.Split(strings.TrimSpace(out.String()), "\n")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL {
			return lines, true
		}
	}
	if err != nil {
		t.Errorf("the process of the test: %v\n%s", err, fault.String())
	}
	return lines, false
}

// crashed is what a run that was killed once came to.
type crashed struct {
	result  executor.Result
	effects map[string]int
	events  []executor.Event
}

// crashAt runs a flow in a process that kills itself at a point (0: at none), and then
// goes on with the run in this one, from the files that are left.
func crashAt(t *testing.T, url string, b *Bundle, at int) (points []string, c crashed) {
	t.Helper()
	server, servers := playShop(t, b)
	spec := Spec{Bundle: b, Run: fmt.Sprintf("run-%d", at), Token: fmt.Sprintf("token-%d", at), Config: executor.Config{Servers: servers}}
	points, killed := child(t, childOrder{URL: url, Spec: spec, Inputs: `{"ref":"r-1"}`, KillAt: at})
	if killed != (at > 0) {
		t.Fatalf("killed at point %d: %t", at, killed)
	}
	s := driving(t, url)
	spec.Inputs = inputs(t, `{"ref":"r-1"}`)
	// Where the answer to the start was lost, the same start is made anew.
	if _, err := s.Start(t.Context(), spec); err != nil && !errors.Is(err, idempotency.ErrTokenHeld) {
		t.Fatal(err)
	}
	events := &eventList{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	result, err := s.Follow(ctx, spec.Run, 0, events)
	if err != nil {
		d, _ := s.Show(t.Context(), spec.Run)
		t.Fatalf("%v\n%+v", err, d)
	}
	return points, crashed{result: result, effects: effects(server), events: events.events}
}

// everyPoint kills a flow at every point in turn.
func everyPoint(t *testing.T, url func(at int) string, flow string, check func(t *testing.T, point string, whole, got crashed)) {
	b := flowBundle(t, flow)
	points, whole := crashAt(t, url(0), b, 0)
	verbs := 0
	for _, p := range points {
		if strings.HasPrefix(p, "before ") {
			verbs++
		}
	}
	if len(points) < 2*verbs || verbs < 5 {
		t.Fatalf("%d points for %d recorded verbs: %v", len(points), verbs, points)
	}
	var done sync.WaitGroup
	slots := make(chan struct{}, 3)
	for i, point := range points {
		done.Add(1)
		t.Run(fmt.Sprintf("%02d %s", i+1, strings.ReplaceAll(point, "/", "|")), func(t *testing.T) {
			t.Parallel()
			defer done.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			_, got := crashAt(t, url(i+1), b, i+1)
			for n, e := range got.events {
				if e.Sequence != n+1 {
					t.Fatalf("event %d has the number %d", n+1, e.Sequence)
				}
			}
			check(t, point, whole, got)
		})
	}
	t.Logf("%d points at %d recorded verbs", len(points), verbs)
}

func outcomeOf(c crashed) string {
	r := c.result
	r.Run, r.Counts.Requests = "", 0
	for i := range r.Workflows {
		r.Workflows[i].Outputs = value.Absent // ids of the mock
	}
	return fmt.Sprintf("%+v", r)
}

// TestStatement21KilledAtEveryPoint: where every effect has a key contract, a run that
// was killed ends as one that was not, with each effect once.
func TestStatement21KilledAtEveryPoint(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			everyPoint(t, crashDatabase(t, name), keyedFlow, func(t *testing.T, _ string, whole, got crashed) {
				if diff := cmp.Diff(outcomeOf(whole), outcomeOf(got)); diff != "" {
					t.Errorf("the end (-without a crash +after one)\n%s", diff)
				}
				if diff := cmp.Diff(map[string]int{"createOrder": 1, "closeOrder": 1}, got.effects); diff != "" {
					t.Errorf("effects (-want +got)\n%s", diff)
				}
			})
		})
	}
}

// unsafeFlow pays without a key contract: what was in the air is not sent again.
const unsafeFlow = `
workflows:
- workflowId: buy
  inputs: {type: object, properties: {ref: {type: string}}}
  steps:
  - {stepId: pay, operationId: pay, requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}, onFailure: [{name: again, type: retry, retryAfter: 0.01, retryLimit: 3}]}
`

// TestStatement21UnsafeToRepeat: a request that is unsafe to repeat and was in the air
// when the process died is never sent twice; the run then ends as unknown.
func TestStatement21UnsafeToRepeat(t *testing.T) {
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			unknown, url := 0, crashDatabase(t, name)
			var mu sync.Mutex
			t.Run("points", func(t *testing.T) {
				everyPoint(t, url, unsafeFlow, func(t *testing.T, point string, _, got crashed) {
					inTheAir := strings.Contains(point, ":send") && !strings.HasPrefix(point, "after") || strings.HasPrefix(point, "after") && strings.HasSuffix(point, ":prepare")
					want := executor.Succeeded
					if inTheAir {
						want = executor.Unknown
						mu.Lock()
						unknown++
						mu.Unlock()
					}
					if got.result.Status != want || got.effects["pay"] > 1 {
						t.Errorf("the run ended as %s (%s) with %d payments; want %s", got.result.Status, got.result.Reason, got.effects["pay"], want)
					}
				})
			})
			if unknown != 3 && !t.Failed() {
				t.Errorf("the request was in the air at %d points, want 3", unknown)
			}
		})
	}
}

// crashDatabase gives a fresh database for each point.
func crashDatabase(t *testing.T, name string) func(at int) string {
	if name == "sqlite" {
		dir := t.TempDir()
		return func(at int) string { return "sqlite:" + filepath.Join(dir, fmt.Sprintf("%d.db", at)) }
	}
	if os.Getenv("WEFT_TEST_POSTGRES") == "" {
		t.Skip("WEFT_TEST_POSTGRES is not set")
	}
	template := freshPostgres(t)
	if err := openStore(t, template, Options{}).Close(); err != nil { // it has all tables now
		t.Fatal(err)
	}
	return func(int) string { return clonePostgres(t, template) }
}
