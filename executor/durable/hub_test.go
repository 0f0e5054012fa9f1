package durable

import (
	"errors"
	"flag"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/channeltest"
)

// setClock goes on only when it is told to.
type setClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *setClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *setClock) advance(_ testing.TB, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// TestHub holds the messages in a database to what every Hub must do. Two stores on one
// database are two nodes.
func TestHub(t *testing.T) {
	if err := flag.Set("rapid.checks", "20"); err != nil { // of many steps each
		t.Fatal(err)
	}
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		// What is tested here is not what survives a loss of power.
		if strings.HasPrefix(url, "postgres") {
			url += "&synchronous_commit=off"
		}
		nodes := [2]*Store{openStore(t, url, Options{Poll: 5 * time.Millisecond}), openStore(t, url, Options{Poll: 5 * time.Millisecond})}
		for _, node := range nodes {
			if node.db.lite == nil {
				continue
			}
			if _, err := node.db.exec(t.Context(), "PRAGMA synchronous = OFF"); err != nil {
				t.Fatal(err)
			}
		}
		channeltest.Run(t, func(t testing.TB, limits channel.Limits) channeltest.Subject {
			c := &setClock{at: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			if err := emptyHub(t, nodes[0]); err != nil {
				t.Fatal(err)
			}
			hub := func(node int) channel.Hub { return newHub(nodes[node], c.now, limits) }
			return channeltest.Subject{
				Hub: hub(0), Another: func(testing.TB) channel.Hub { return hub(1) }, Now: c.now, Advance: c.advance,
			}
		})
	})
}

func emptyHub(t testing.TB, s *Store) error {
	var all []error
	for _, table := range []string{"weft_inbox", "weft_place", "weft_form", "weft_box", "weft_locator", "weft_expectation", "weft_expected", "weft_message", "weft_unmatched"} {
		_, err := s.db.exec(t.Context(), "DELETE FROM "+table)
		all = append(all, err)
	}
	return errors.Join(all...)
}
