package durable

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/mock"
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
	code := m.Run()
	if err := removeMade(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// childOrder is what a process of a test does: open the store, drive, start a run and
// wait for its end.
type childOrder struct {
	URL    string
	Spec   Spec
	Inputs string // JSON, in place of Spec.Inputs
	KillAt int    // the point at which the process kills itself; 0: at none
	KillIn string // the same, by name
	Starts int    // how many starts are made at once; 0: one, by a process that drives
	Base   string // where messages are sent to
	Drives bool   // it only drives, until it is killed
	// Settles has an operator tell, once the run waits, what became of the step pay, and
	// then the message come that it waits for.
	Settles bool
	Lease   Lease
}

// obey does what a test orders, and writes what came of it to standard output.
func obey(text string) error {
	var order childOrder
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	lease := quick()
	if order.Lease != (Lease{}) {
		lease = order.Lease
	}
	s, err := Open(ctx, order.URL, Options{Poll: 20 * time.Millisecond, Lease: lease})
	if err != nil {
		return err
	}
	if order.Drives {
		if err := s.Drive(ctx, DriveOptions{BaseURL: order.Base}); err != nil {
			return err
		}
		fmt.Println(s.Node())
		<-ctx.Done()
		return s.Close()
	}
	if order.Starts > 0 {
		return startMany(ctx, s, order)
	}
	var mu sync.Mutex
	points := 0
	s.reached = func(point string) {
		mu.Lock()
		defer mu.Unlock()
		if points++; points == order.KillAt || point == order.KillIn {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
		fmt.Println(point)
	}
	if err := s.Drive(ctx, DriveOptions{BaseURL: order.Base}); err != nil {
		return err
	}
	if order.Spec.Inputs, err = value.ParseJSON([]byte(order.Inputs)); err != nil {
		return err
	}
	started, err := s.Start(ctx, order.Spec)
	if err != nil {
		return err
	}
	if order.Settles {
		if err := operate(ctx, s, started.Run); err != nil {
			return err
		}
	}
	if _, err := s.Wait(ctx, started.Run); err != nil {
		return err
	}
	awaitIdle(s)
	return s.Close()
}

// awaitIdle waits until the node executes nothing: the last record of a run comes after
// the end that others see.
func awaitIdle(s *Store) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) && !s.driver.isIdle(); time.Sleep(5 * time.Millisecond) {
	}
}

// child runs a process of the test, and gives the lines that it wrote and whether it
// was killed.
func child(t testing.TB, order childOrder) (lines []string, killed bool) {
	t.Helper()
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	cmd := newProcess(t.Context(), t)
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

// scene is a flow that is killed: with its APIs, its inputs, and what it must come to.
type scene struct {
	bundle *Bundle
	inputs string
	effect map[string]int
}

// crashAt runs a flow in a process that kills itself at a point (0: at none), and then
// goes on with the run in this one, from what is left in the database. The APIs and the
// receiver of messages are in this process all the time.
func crashAt(t *testing.T, url string, scene scene, at int) (points []string, c crashed) {
	t.Helper()
	server, servers := playShop(t, scene.bundle)
	s := openStore(t, url, quickOptions(t))
	defer func() { _ = s.Close() }() // again with the test, which then looks at the error
	base := receive(t, s)
	if err := server.SendWebhooks(mock.WebhookOptions{Target: base}); err != nil {
		t.Fatal(err)
	}
	spec := Spec{Bundle: scene.bundle, Run: fmt.Sprintf("run-%d", at), Token: fmt.Sprintf("token-%d", at), Config: executor.Config{Servers: servers}}
	points, killed := child(t, childOrder{URL: url, Spec: spec, Inputs: scene.inputs, KillAt: at, Base: base})
	if killed != (at > 0) {
		t.Fatalf("killed at point %d: %t", at, killed)
	}
	if err := s.Drive(t.Context(), DriveOptions{BaseURL: base}); err != nil {
		t.Fatal(err)
	}
	spec.Inputs = inputs(t, scene.inputs)
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
	awaitIdle(s)
	return points, crashed{result: result, effects: effects(server), events: events.events}
}

// receive takes messages into the database of a store, and gives where.
func receive(t testing.TB, s *Store) (base string) {
	t.Helper()
	handler, err := webhook.New(s.Hub(), webhook.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := webhook.Listen(handler, webhook.ListenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := listener.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return listener.URL()
}

// everyPoint kills a flow at every point in turn.
func everyPoint(t *testing.T, databases crashDatabases, scene scene, check func(t *testing.T, point string, whole, got crashed)) {
	var points []string
	var whole crashed
	t.Run("whole", func(t *testing.T) { points, whole = crashAt(t, databases.take(t), scene, 0) })
	if diff := cmp.Diff(scene.effect, whole.effects); diff != "" {
		t.Fatalf("effects without a crash (-want +got)\n%s", diff)
	}
	verbs := 0
	for _, p := range points {
		if strings.HasPrefix(p, "before ") {
			verbs++
		}
	}
	if len(points) < 2*verbs || verbs < 5 {
		t.Fatalf("%d points for %d recorded verbs: %v", len(points), verbs, points)
	}
	for i, point := range points {
		t.Run(fmt.Sprintf("%02d %s", i+1, strings.ReplaceAll(point, "/", "|")), func(t *testing.T) {
			t.Parallel()
			_, got := crashAt(t, databases.take(t), scene, i+1)
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
	r.Workflows = slices.Clone(r.Workflows)
	for i := range r.Workflows {
		r.Workflows[i].Outputs = value.Absent // ids of the mock
	}
	return fmt.Sprintf("%+v", r)
}

// orderFlow is the bundled flow.
func orderFlow(t testing.TB) scene {
	t.Helper()
	b, err := Load(t.Context(), "../../specs/orderflow/order.arazzo.yaml", source.Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	return scene{bundle: b, inputs: `{"orderReference":"order-7"}`, effect: map[string]int{"createOrder": 1, "requestPayment": 1, "closeOrder": 1}}
}

// TestStatement21KilledAtEveryPoint: a run of the bundled flow that was killed ends as
// one that was not, with each effect once.
func TestStatement21KilledAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			databases, scene := newCrashDatabases(t, name), orderFlow(t)
			everyPoint(t, databases, scene, func(t *testing.T, _ string, whole, got crashed) {
				if diff := cmp.Diff(outcomeOf(whole), outcomeOf(got)); diff != "" {
					t.Errorf("the end (-without a crash +after one)\n%s", diff)
				}
				if diff := cmp.Diff(scene.effect, got.effects); diff != "" {
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
	t.Parallel()
	for _, name := range []string{"sqlite", "postgres"} {
		t.Run(name, func(t *testing.T) {
			databases := newCrashDatabases(t, name)
			scene := scene{bundle: flowBundle(t, unsafeFlow), inputs: `{"ref":"r-1"}`, effect: map[string]int{"pay": 1}}
			var mu sync.Mutex
			unknown := map[int]int{} // points in the air, by how often was paid
			t.Run("points", func(t *testing.T) {
				everyPoint(t, databases, scene, func(t *testing.T, point string, _, got crashed) {
					want, paid := executor.Succeeded, got.effects["pay"]
					if isInTheAir(point) {
						want = executor.Unknown
						mu.Lock()
						unknown[paid]++
						mu.Unlock()
					}
					if got.result.Status != want || paid > 1 {
						t.Errorf("the run ended as %s (%s) with %d payments; want %s", got.result.Status, got.result.Reason, paid, want)
					}
				})
			})
			if (unknown[0] != 2 || unknown[1] != 1) && !t.Failed() {
				t.Errorf("the request was in the air, by payments: %v; want 2 points without, 1 with", unknown)
			}
		})
	}
}

// isInTheAir tells whether a request was prepared at the point and its outcome not yet
// recorded.
func isInTheAir(point string) bool {
	when, name, _ := strings.Cut(point, " ")
	return when == "after" && strings.HasSuffix(name, ":prepare") || when != "after" && strings.HasSuffix(name, ":send")
}

// atOnce is how many points a flow is killed at at a time.
const atOnce = 3

// crashDatabases gives the databases in which a flow is killed: each is one point's alone,
// since the node of another would take its run.
type crashDatabases struct {
	free chan string // with the runs of points before; nil: each point has one of its own
}

func newCrashDatabases(t *testing.T, name string) crashDatabases {
	t.Helper()
	if name == "sqlite" {
		return crashDatabases{}
	}
	if os.Getenv("WEFT_TEST_POSTGRES") == "" {
		t.Skip("WEFT_TEST_POSTGRES is not set")
	}
	d := crashDatabases{free: make(chan string, atOnce)}
	for range atOnce {
		d.free <- readyPostgres(t)
	}
	return d
}

// take gives a database that nobody uses until the test has ended.
func (d crashDatabases) take(t *testing.T) (url string) {
	t.Helper()
	if d.free == nil {
		return readyFile(t)
	}
	url = <-d.free
	t.Cleanup(func() { d.free <- url })
	return url
}
