package durable

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestSomeRunsActAtATime: of many runs that are ready some are executed at a time, and
// those that wait leave their place to the others.
func TestSomeRunsActAtATime(t *testing.T) {
	const runs = mostActing + 8
	b := flowBundle(t, waitFlow)
	_, servers := playShop(t, b)
	s := openStore(t, readyFile(t), quickOptions(t))
	for i := range runs {
		begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, fmt.Sprintf(`{"ref":"%d"}`, i))
	}
	var begun atomic.Int64
	proceed := make(chan struct{})
	s.reached = func(point string) {
		if point == "before open" {
			begun.Add(1)
			<-proceed
		}
	}
	if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); begun.Load() < mostActing && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // in which one too many would begin
	if n := begun.Load(); n != mostActing {
		t.Errorf("%d of %d runs were begun at once, want %d", n, runs, mostActing)
	}
	close(proceed)
	waiting := 0
	for deadline := time.Now().Add(30 * time.Second); waiting < runs && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := one(t.Context(), s.db, "SELECT count(*) FROM weft_run WHERE waiting <> ''", nil, &waiting); err != nil {
			t.Fatal(err)
		}
	}
	if waiting != runs {
		t.Errorf("%d of %d runs wait", waiting, runs)
	}
}

// TestTheNodeLivesWhileItsRunsAskMuch: the word that a node lives needs no connection that
// its runs use.
func TestTheNodeLivesWhileItsRunsAskMuch(t *testing.T) {
	s := driving(t, postgresOnly(t))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	taken := 0 // all but what the journal keeps
	for {
		connection, err := s.db.pool.Acquire(ctx)
		if err != nil {
			break
		}
		defer connection.Release()
		taken++
	}
	if err := s.driver.keepAlive(t.Context()); err != nil || taken < 2 {
		t.Errorf("with %d connections in use: %v", taken, err)
	}
}
