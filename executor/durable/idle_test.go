package durable

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestWaitingAsksLittle: what runs that wait ask of PostgreSQL does not grow with their
// number, and neither do connections.
func TestWaitingAsksLittle(t *testing.T) {
	t.Parallel()
	const runs, most, mostConnections = 100, 20, 20
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		s := openStore(t, url, Options{})
		if s.db.lite != nil {
			t.Skip("SQLite does not count what it is asked")
		}
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := range runs {
			spec := Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}
			begin(t, s, spec, fmt.Sprintf(`{"ref":"%d"}`, i))
		}
		for waiting := 0; waiting < runs; time.Sleep(50 * time.Millisecond) {
			if _, err := one(t.Context(), s.db, "SELECT count(*) FROM weft_run WHERE waiting <> ''", nil, &waiting); err != nil {
				t.Fatal(err)
			}
		}
		count := func() (transactions, connections int) {
			t.Helper()
			if _, err := one(t.Context(), s.db, `SELECT xact_commit + xact_rollback, numbackends FROM pg_stat_database WHERE datname = current_database()`, nil, &transactions, &connections); err != nil {
				t.Fatal(err)
			}
			return transactions, connections
		}
		// Each connection reports late what it did before: the quietest second counts.
		quietest, connections := 1<<30, 0
		for before, n := 0, 0; n < 15 && quietest > most; n++ {
			var now int
			now, connections = count()
			if n > 0 {
				quietest = min(quietest, now-before)
			}
			before = now
			time.Sleep(time.Second)
		}
		t.Logf("%d runs wait: %d transactions a second, %d connections", runs, quietest, connections)
		if quietest > most || connections > mostConnections {
			t.Errorf("at most %d a second and %d connections are wanted", most, mostConnections)
		}
	})
}
