package durable

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestStatement14TheBudgetIsShared: the retries that a node grants in any case are those
// of the fleet divided by the nodes that live, as they come and go.
func TestStatement14TheBudgetIsShared(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		now := time.Now()
		limits := idempotency.BudgetLimits{Window: 10 * time.Second, PerSecond: 6}
		budget := idempotency.NewBudget(limits, func() time.Time { return now })
		s := openStore(t, url, quickOptions(t))
		if err := s.Drive(t.Context(), DriveOptions{Budget: budget}); err != nil {
			t.Fatal(err)
		}
		hosts := 0
		awaitGranted := func(want int) {
			t.Helper()
			granted := -1
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
				hosts++ // of which nothing was asked yet
				for granted = 0; budget.Retry(fmt.Sprint(hosts)); granted++ {
				}
				if granted == want {
					return
				}
			}
			t.Fatalf("%d retries are granted, want %d", granted, want)
		}
		awaitGranted(60)
		second, third := driving(t, url), driving(t, url)
		awaitGranted(20)
		if err := third.Close(); err != nil {
			t.Fatal(err)
		}
		awaitGranted(30)
		if err := second.Close(); err != nil {
			t.Fatal(err)
		}
		awaitGranted(60)
	})
}

// TestStatement23TakenOverInTime: with the lease that nodes have by default, the runs of
// one that is gone go on elsewhere within 20 seconds, also where nobody can see that its
// process has ended.
func TestStatement23TakenOverInTime(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for 15 seconds")
	}
	t.Parallel()
	url := readyFile(t)
	if os.Getenv("WEFT_TEST_POSTGRES") != "" {
		url = readyPostgres(t)
	}
	b := flowBundle(t, waitFlow)
	_, servers := playShop(t, b)
	s := openStore(t, url, Options{})
	lost := startNode(t, childOrder{URL: url})
	hideMachine(t, s, lost.id)
	run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
	awaits(t, s, run)
	if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
		t.Fatal(err)
	}
	lost.kill()
	killed := time.Now()
	for {
		found, err := s.Find(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(killed)
		if found.Node == s.Node() && found.Waiting != nil {
			t.Logf("taken over after %v", took)
			break
		}
		if took > 20*time.Second {
			t.Fatalf("not taken over after %v: %+v", took, found)
		}
		time.Sleep(50 * time.Millisecond)
	}
}
