package durable

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestWaitingAsksLittle: what runs that wait ask of a database does not grow with their
// number, and neither do connections.
func TestWaitingAsksLittle(t *testing.T) {
	t.Parallel()
	const runs, most, mostConnections = 100, 20, 20
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		url, o, asked := counted(t, url)
		s := openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		for i := range runs {
			spec := Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}
			begin(t, s, spec, fmt.Sprintf(`{"ref":"%d"}`, i))
		}
		awaitWaiting(t, s, runs)
		// What is looked at in turn falls into one second or the next, and the last runs
		// still begin to wait in the first: the quietest second counts.
		quietest := int64(1 << 30)
		for n := 0; n < 15 && quietest > most; n++ {
			before := asked()
			time.Sleep(time.Second)
			quietest = min(quietest, asked()-before)
		}
		if quietest == 0 {
			t.Error("nothing is counted")
		}
		n := connections(t, s)
		t.Logf("%d runs wait: %d statements a second, %d connections", runs, quietest, n)
		if quietest > most || n > mostConnections {
			t.Errorf("at most %d a second and %d connections are wanted", most, mostConnections)
		}
	})
}
