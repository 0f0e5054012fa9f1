package durable

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
)

// chaosVariable says for how long TestStatement23ManyNodes troubles its nodes, such as
// "60s"; unset: it does not.
const chaosVariable = "WEFT_TEST_CHAOS"

// TestStatement23ManyNodes: three nodes drive 200 runs of the bundled flow against
// servers that break down, while nodes are killed, frozen and started again, and the
// connections of the database are cut twice. All runs end, and nothing is done twice.
func TestStatement23ManyNodes(t *testing.T) {
	t.Parallel()
	trouble, err := time.ParseDuration(os.Getenv(chaosVariable))
	if err != nil || os.Getenv("WEFT_TEST_POSTGRES") == "" {
		t.Skipf("%s and WEFT_TEST_POSTGRES are not both set: nothing is troubled", chaosVariable)
	}
	const runs = 200
	url, flow := readyPostgres(t), orderFlow(t)
	o := quickOptions(t)
	o.Lease = Lease{Beat: 300 * time.Millisecond, Send: 2 * time.Second, Takeover: 4 * time.Second}
	s := openStore(t, url, o)
	base := receive(t, s)
	server, servers := playShop(t, flow.bundle)
	if err := server.Apply(chaosFaults(runs)); err != nil {
		t.Fatal(err)
	}
	if err := server.SendWebhooks(mock.WebhookOptions{Target: base}); err != nil {
		t.Fatal(err)
	}
	order := childOrder{URL: url, Base: base, Lease: o.Lease}
	nodes := []*nodeProcess{startNode(t, order), startNode(t, order), startNode(t, order)}
	for _, n := range nodes {
		hideMachine(t, s, n.id)
	}
	started := make(chan []string, 1)
	go func() { started <- startRuns(t, s, flow, servers, runs, trouble) }()

	kills, freezes, cuts := 0, 0, 0
	for until := time.Now().Add(trouble); time.Now().Before(until); {
		n := rand.IntN(len(nodes))
		switch rand.IntN(3) {
		case 0:
			nodes[n].kill()
			nodes[n] = startNode(t, order)
			hideMachine(t, s, nodes[n].id)
			kills++
		case 1:
			nodes[n].signal(syscall.SIGSTOP)
			time.Sleep(time.Duration(rand.IntN(6000)) * time.Millisecond)
			nodes[n].signal(syscall.SIGCONT)
			freezes++
		default:
			time.Sleep(500 * time.Millisecond)
		}
		if left := time.Until(until); cuts == 0 && left < trouble*2/3 || cuts == 1 && left < trouble/3 {
			cutConnections(t, s)
			cuts++
		}
	}
	statuses := map[executor.Status]int{}
	ends := map[string]executor.Result{}
	for _, run := range <-started {
		// A run whose message was lost waits for 40 seconds, and asks again for as long.
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		result, err := s.Wait(ctx, run)
		cancel()
		if err != nil {
			d, _ := s.Find(t.Context(), run)
			t.Fatalf("the run does not end: %v\n%+v, waiting: %+v\nnodes: %q", err, d, d.Waiting, rowsOf(t, s, "weft_node"))
		}
		statuses[result.Status]++
		ends[run] = result
	}
	var takeovers int
	if _, err := one(t.Context(), s.db, "SELECT coalesce(sum(generation), 0)::int FROM weft_node WHERE taken_by <> '' OR generation > 1", nil, &takeovers); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d runs ended as %v; %d kills, %d freezes, %d cuts, %d takeovers; %d effects", len(ends), statuses, kills, freezes, cuts, takeovers, len(server.Effects()))
	checkChaos(t, s, server, ends)
}

// startRuns starts runs over the time of the trouble.
func startRuns(t *testing.T, s *Store, flow scene, servers map[string]string, runs int, over time.Duration) (ids []string) {
	for i := range runs {
		spec := Spec{Bundle: flow.bundle, Run: fmt.Sprintf("run-%d", i), Token: fmt.Sprintf("token-%d", i), Config: executor.Config{Servers: servers, StepTimeout: time.Second}}
		spec.Inputs = inputs(t, fmt.Sprintf(`{"orderReference":"order-%d"}`, i))
		for attempts := 0; ; attempts++ { // the same start, until it is certain
			_, err := s.Start(context.Background(), spec)
			if err == nil {
				break
			}
			if attempts > 50 {
				t.Errorf("start: %v", err)
				return ids
			}
			time.Sleep(50 * time.Millisecond)
		}
		ids = append(ids, spec.Run)
		time.Sleep(over / time.Duration(2*runs))
	}
	return ids
}

// chaosFaults breaks down some of the requests.
func chaosFaults(runs int) mock.FaultPlan {
	kinds := []mock.FaultKind{mock.ResetAfterEffect, mock.UnavailableBeforeEffect, mock.InternalErrorAfterEffect, mock.CloseBeforeReading}
	var plan mock.FaultPlan
	for _, operation := range []string{"createOrder", "requestPayment", "closeOrder"} {
		for _, at := range rand.Perm(runs)[:runs/10] {
			plan.Faults = append(plan.Faults, mock.Fault{Operation: operation, Occurrence: at + 1, Kind: kinds[rand.IntN(len(kinds))]})
		}
	}
	return plan
}

// cutConnections ends all connections to the database but the one that does it.
func cutConnections(t *testing.T, s *Store) {
	t.Helper()
	var cut int
	_, err := one(t.Context(), s.db, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", nil, &cut)
	if err != nil || cut == 0 {
		t.Errorf("%d connections were cut, %v", cut, err)
	}
}

// checkChaos holds the effects on the servers against how the runs ended.
func checkChaos(t *testing.T, s *Store, server *mock.Server, ends map[string]executor.Result) {
	t.Helper()
	done := map[string][]string{} // references by operation
	for _, e := range server.Effects() {
		if e.Count != 1 {
			t.Errorf("%s of %s had its effect %d times under the key %s", e.Operation, e.Reference, e.Count, e.Key)
		}
		if e.Operation == "requestPayment" && slices.Contains(done[e.Operation], e.Reference) {
			t.Errorf("%s is paid twice", e.Reference)
		}
		done[e.Operation] = append(done[e.Operation], e.Reference)
	}
	succeeded := 0
	for _, r := range ends {
		if r.Status == executor.Succeeded || r.Status == executor.Recovered {
			succeeded++
			continue
		}
		history := historyOf(t, s, r.Run)
		// All nodes share one budget of retries: where it is used up, nobody asks any more
		// what became of a payment.
		if r.Status == executor.Unknown && strings.Contains(history, idempotency.ReasonBudget) {
			t.Logf("%s ended as %s, since a retry was withheld: %s", r.Run, r.Status, r.Reason)
		} else if r.Status != executor.Failed {
			t.Errorf("%s ended as %s: %s\n%s", r.Run, r.Status, r.Reason, history)
		}
	}
	if closings := len(done["closeOrder"]) + len(done["releaseOrder"]); closings < succeeded || closings > len(ends) {
		t.Errorf("%d orders were closed or released, %d runs succeeded", closings, succeeded)
	}
}

// historyOf gives what a run did, a line for each event.
func historyOf(t *testing.T, s *Store, run string) string {
	t.Helper()
	events, err := s.Events(t.Context(), run, 0, 1000)
	if err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, e := range events {
		detail, err := json.Marshal(e.Detail)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&b, "%s %s#%d/%d %s %s\n", e.Time.Format(time.StampMilli), e.Step, e.Activation, e.Attempt, e.Detail.Type(), detail)
	}
	return b.String()
}
