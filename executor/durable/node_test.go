package durable

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/httpcall"
)

// nodeProcess is a process that drives runs.
type nodeProcess struct {
	id  string
	cmd *exec.Cmd
}

// startNode starts a process that drives the runs of a database until it is killed.
func startNode(t testing.TB, order childOrder) *nodeProcess {
	t.Helper()
	order.Drives = true
	text, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	n := &nodeProcess{cmd: newProcess(context.Background(), t)}
	n.cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	n.cmd.Stderr = os.Stderr
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	n.id = strings.TrimSpace(line)
	return n
}

func (n *nodeProcess) signal(s syscall.Signal) { _ = n.cmd.Process.Signal(s) }

// kill ends the process and what is left of it.
func (n *nodeProcess) kill() {
	n.signal(syscall.SIGKILL)
	_ = n.cmd.Wait() // again: it was waited for
}

// hideMachine makes a node one of another machine, so that only its lease tells
// whether it lives. Where connections were just cut, it is said again.
func hideMachine(t testing.TB, s *Store, node string) {
	t.Helper()
	var changed int64
	var err error
	for range 20 {
		if changed, err = s.db.exec(t.Context(), "UPDATE weft_node SET machine = 'elsewhere' WHERE id = $1", node); err == nil {
			break
		}
	}
	if err != nil || changed != 1 {
		t.Fatal(changed, err)
	}
}

// gatedShop is a shop whose payments are answered only when the test lets them.
type gatedShop struct {
	mu      sync.Mutex
	pays    int
	arrived chan struct{} // has an element for each payment that came
	answer  chan struct{} // closed: payments are answered
	release func()        // closes answer; again, it does nothing
}

func (g *gatedShop) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	g.mu.Lock()
	g.pays++
	g.mu.Unlock()
	g.arrived <- struct{}{}
	<-g.answer
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, `{}`)
}

func (g *gatedShop) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pays
}

func playGated(t *testing.T) (*gatedShop, map[string]string) {
	g := &gatedShop{arrived: make(chan struct{}, 100), answer: make(chan struct{})}
	g.release = sync.OnceFunc(func() { close(g.answer) })
	server := httptest.NewServer(g)
	t.Cleanup(func() {
		g.release()
		server.Close()
	})
	return g, map[string]string{"shop": server.URL}
}

// TestStatement23AFrozenNode: a node that is stopped in the middle of a request is taken
// over once. When it wakes it records nothing and sends nothing, and joins anew.
func TestStatement23AFrozenNode(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		shop, servers := playGated(t)
		o := quickOptions(t)
		o.Lease = hasty()
		s := openStore(t, url, o)
		frozen := startNode(t, childOrder{URL: url, Lease: o.Lease})
		hideMachine(t, s, frozen.id)
		started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`)
		<-shop.arrived
		freeze(t, s, frozen)
		stopped := time.Now()
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		result := end(t, s, started.Run)
		if result.Status != executor.Unknown || shop.count() != 1 {
			t.Errorf("the run ended as %s with %d payments", result.Status, shop.count())
		}
		t.Logf("taken over and ended %v after the node was stopped", time.Since(stopped).Round(10*time.Millisecond))
		shop.release()
		frozen.signal(syscall.SIGCONT)
		awaitNode(t, s, frozen.id, "live", 2)
		if after, ended, err := s.Result(t.Context(), started.Run); err != nil || !ended || after.Status != executor.Unknown {
			t.Errorf("after the node woke: %+v, %v", after, err)
		}
		if shop.count() != 1 {
			t.Errorf("%d payments after the node woke", shop.count())
		}
	})
}

// freeze stops a process, but not while it writes to an SQLite file: it would hold up
// everybody.
func freeze(t *testing.T, s *Store, n *nodeProcess) {
	t.Helper()
	for range 100 {
		n.signal(syscall.SIGSTOP)
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		_, err := s.db.exec(ctx, "DELETE FROM weft_news WHERE at < 0")
		cancel()
		if err == nil {
			return
		}
		n.signal(syscall.SIGCONT)
		time.Sleep(7 * time.Millisecond)
	}
	t.Fatal("the process holds the file whenever it is stopped")
}

// awaitNode waits until a node is in a state, as a member for so many times.
func awaitNode(t *testing.T, s *Store, id, state string, generation int) {
	t.Helper()
	var now string
	var members int
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, err := one(t.Context(), s.db, "SELECT state, generation FROM weft_node WHERE id = $1", []any{id}, &now, &members); err != nil {
			t.Fatal(err)
		}
		if now == state && members == generation {
			return
		}
	}
	t.Fatalf("the node is %s, member for %d times; want %s, %d", now, members, state, generation)
}

// TestStatement23TakenOverOnce: of several nodes one takes over the runs of one that is
// lost, and each run ends once.
func TestStatement23TakenOverOnce(t *testing.T) {
	t.Parallel()
	const runs = 20
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		server, servers := playShop(t, b)
		o := quickOptions(t)
		o.Lease = hasty()
		s := openStore(t, url, o)
		lost := startNode(t, childOrder{URL: url, Lease: o.Lease})
		hideMachine(t, s, lost.id)
		ids := make([]string, runs)
		for i := range ids {
			spec := Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}
			ids[i] = begin(t, s, spec, fmt.Sprintf(`{"ref":"%d"}`, i)).Run
		}
		for _, id := range ids {
			awaits(t, s, id)
		}
		lost.kill()
		for range 2 {
			other := openStore(t, url, o)
			if err := other.Drive(t.Context(), DriveOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		awaitNode(t, s, lost.id, "gone", 1)
		for i, id := range ids {
			if _, err := s.Deliver(t.Context(), id, executor.Message{Box: paidBox, Identity: "m", Body: fmt.Appendf(nil, `{"ref":"%d"}`, i)}); err != nil {
				t.Fatal(err)
			}
		}
		for _, id := range ids {
			if result := end(t, s, id); result.Status != executor.Succeeded {
				t.Errorf("%+v", result)
			}
		}
		if got := effects(server); got["createOrder"] != runs || got["closeOrder"] != runs {
			t.Errorf("effects: %v", got)
		}
	})
}

// TestACloseIsNoCrash: a store that is closed awaits what is in the air and records it,
// so that nothing is unknown when another goes on.
func TestACloseIsNoCrash(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		shop, servers := playGated(t)
		s := driving(t, url)
		started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`)
		<-shop.arrived
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		for !s.driver.isStopping() {
			time.Sleep(time.Millisecond)
		}
		shop.release()
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		if result := end(t, driving(t, url), started.Run); result.Status != executor.Succeeded || shop.count() != 1 {
			t.Errorf("the run ended as %s (%s) with %d payments", result.Status, result.Reason, shop.count())
		}
	})
}

// TestALeaseThatIsOverSendsNothing: a node that cannot say that it lives stops sending
// before others take its runs.
func TestALeaseThatIsOverSendsNothing(t *testing.T) {
	b := flowBundle(t, unsafeFlow)
	server, servers := playShop(t, b)
	o := quickOptions(t)
	o.Lease = Lease{Beat: time.Hour, Send: 2 * time.Hour, Takeover: 3 * time.Hour}
	s := openStore(t, readyFile(t), o)
	dialled := make(chan struct{}, 1)
	connect := func(context.Context, Definition) (Connection, error) {
		return Connection{Client: httpcall.New(httpcall.Options{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			dialled <- struct{}{}
			return http.DefaultTransport.RoundTrip(r)
		})})}, nil
	}
	if err := s.Drive(t.Context(), DriveOptions{Connect: connect}); err != nil {
		t.Fatal(err)
	}
	s.driver.isGood(time.Now().Add(-o.Lease.Send-time.Second), 1) // its last beat
	if s.Health() == nil {
		t.Error("the node says that it is well")
	}
	started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`)
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if found, err := s.Find(t.Context(), started.Run); err != nil || time.Now().After(deadline) {
			t.Fatal(found, err)
		} else if strings.Contains(found.Parked, "lease") {
			break
		}
	}
	if err := s.driver.keepAlive(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(dialled) != 0 || len(server.Ledger().Requests) != 0 {
		t.Fatal("a request was sent without a lease")
	}
	if err := s.Resume(t.Context(), started.Run); err != nil {
		t.Fatal(err)
	}
	<-dialled
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
