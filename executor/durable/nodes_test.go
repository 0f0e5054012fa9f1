package durable

import (
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestNodesAreListed: each with its state, whatever became of its process.
func TestNodesAreListed(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		o := quickOptions(t)
		o.Lease = hasty()
		s := openStore(t, url, o)
		if all, err := s.Nodes(t.Context()); err != nil || len(all) != 0 {
			t.Fatalf("nobody drives: %+v, %v", all, err)
		}
		left := openStore(t, url, o)
		if err := left.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, s, run)
		alone := func(state NodeState) (n NodeView) {
			t.Helper()
			all, err := s.Nodes(t.Context())
			if err != nil || len(all) != 1 || all[0].State != state || all[0].Engine != Engine || all[0].Began.IsZero() || all[0].Runs != 1 {
				t.Fatalf("%+v, %v, want one that is %s", all, err, state)
			}
			return all[0]
		}
		if n := alone(NodeLive); n.Node != left.Node() || time.Since(n.Seen).Abs() > time.Minute {
			t.Errorf("%+v", n)
		}
		if err := left.Close(); err != nil {
			t.Fatal(err)
		}
		if n := alone(NodeLeft); !n.Seen.IsZero() {
			t.Errorf("%+v", n)
		}
		mustExec(t, s.db, "UPDATE weft_node SET beat = 1") // as one that was killed long ago
		alone(NodeLost)
		heir := openStore(t, url, o)
		if err := heir.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		awaitNode(t, s, left.Node(), "gone", 1)
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
			all, err := s.Nodes(t.Context())
			if err == nil && len(all) == 2 && all[0].Node == heir.Node() && all[0].State == NodeLive && all[0].Runs == 1 &&
				all[1].State == NodeGone && all[1].TakenBy == heir.Node() && all[1].Runs == 0 {
				return
			}
			if err != nil || time.Now().After(deadline) {
				t.Fatalf("%+v, %v", all, err)
			}
		}
	})
}
