package middleware_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/middleware"
	"github.com/weft-flow/weft/idempotency/postgres"
	"github.com/weft-flow/weft/idempotency/sqlite"
)

// TestStatement26AThousandRequestsOverAHundredKeys sends them at once to a real
// server, on each store, without and with waiting. Where the store can be shared, the
// server stands for three nodes, which take turns.
func TestStatement26AThousandRequestsOverAHundredKeys(t *testing.T) {
	for name, open := range databases {
		for _, wait := range []time.Duration{0, time.Minute} {
			t.Run(fmt.Sprintf("%s wait %v", name, wait), func(t *testing.T) { manyRequests(t, open(t), wait) })
		}
	}
}

func manyRequests(t *testing.T, db database, wait time.Duration) {
	const requests, keys = 1000, 100
	var runs, arrived [keys]atomic.Int64
	var allThere [keys]chan struct{}
	for n := range allThere {
		allThere[n] = make(chan struct{})
	}
	handler := func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Fscanf(r.Body, `{"key":%d}`, &n); err != nil {
			t.Error(err)
		}
		run := runs[n].Add(1)
		<-allThere[n] // so that all others come while it is at work
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "order %d of run %d", n, run)
	}
	stores := []idempotency.Store{db.store}
	for db.another != nil && len(stores) < 3 {
		stores = append(stores, db.another(t))
	}
	var nodes []http.Handler
	for _, store := range stores {
		nodes = append(nodes, wrap(t, func(o *middleware.Options) { o.Store, o.Wait = store, wait }, handler))
	}
	var turn atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.Header.Get("Idempotency-Key"), "key-%d", &n); err != nil {
			t.Error(err)
		}
		if arrived[n].Add(1) == requests/keys {
			close(allThere[n])
		}
		nodes[int(turn.Add(1))%len(nodes)].ServeHTTP(w, r)
	}))
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: requests}}
	defer client.CloseIdleConnections()

	var first, replayed, conflicts atomic.Int64
	gate := make(chan struct{})
	var wg sync.WaitGroup
	for i := range requests {
		wg.Go(func() {
			<-gate
			status, again, body, err := post(client, server.URL, fmt.Sprint("key-", i%keys), fmt.Sprintf(`{"key":%d}`, i%keys))
			switch {
			case err != nil:
				t.Error(err)
			case status == http.StatusConflict && wait == 0:
				conflicts.Add(1)
			case status != http.StatusCreated || body != fmt.Sprintf("order %d of run 1", i%keys):
				t.Errorf("key %d: %d %s", i%keys, status, body)
			case again:
				replayed.Add(1)
			default:
				first.Add(1)
			}
		})
	}
	begun := time.Now()
	close(gate)
	wg.Wait()
	for n := range runs {
		if got := runs[n].Load(); got != 1 {
			t.Errorf("the handler ran %d times for key %d", got, n)
		}
	}
	if first.Load() != keys || first.Load()+replayed.Load()+conflicts.Load() != requests {
		t.Errorf("%d first answers, %d replays, %d conflicts", first.Load(), replayed.Load(), conflicts.Load())
	}
	t.Logf("%d first answers, %d replays, %d conflicts in %v", first.Load(), replayed.Load(), conflicts.Load(), time.Since(begun))
}

func post(client *http.Client, base, key, body string) (status int, replayed bool, text string, err error) {
	r, err := http.NewRequest(http.MethodPost, base+"/orders", strings.NewReader(body))
	if err != nil {
		return 0, false, "", err
	}
	r.Header.Set("Idempotency-Key", key)
	response, err := client.Do(r)
	if err != nil {
		return 0, false, "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header.Get(middleware.ReplayedHeader) == "true", string(answer), err
}

// The environment of a server that a test starts and kills: the kind of its store,
// where the store is, and the file with the effects of its handler.
const (
	envServe   = "WEFT_MIDDLEWARETEST_SERVE"
	envAddress = "WEFT_MIDDLEWARETEST_ADDRESS"
	envLedger  = "WEFT_MIDDLEWARETEST_LEDGER"
)

// serveUntilKilled is the server. Its handler writes the key into the ledger, which is
// its effect; the body says whether it hangs before or after that.
func serveUntilKilled() {
	ledger := os.Getenv(envLedger)
	effect := func(key string) {
		f, err := os.OpenFile(ledger, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		must(err)
		_, err = fmt.Fprintln(f, key)
		must(err)
		must(f.Close())
	}
	var store idempotency.Store
	var err error
	switch address := os.Getenv(envAddress); os.Getenv(envServe) {
	case "sqlite":
		store, err = sqlite.Open(context.Background(), address)
	case "postgres":
		var pool *pgxpool.Pool
		pool, err = pgxpool.New(context.Background(), address)
		must(err)
		store, err = postgres.New(context.Background(), pool)
	}
	must(err)
	m, err := middleware.New(middleware.Options{
		Store: store, Principal: middleware.Anyone, ServerErrors: middleware.ReplayServerErrors,
		Recover: func(_ context.Context, left idempotency.Record) (middleware.Verdict, error) {
			text, err := os.ReadFile(ledger)
			if err != nil {
				return middleware.NotYet(), err
			}
			if strings.Contains(string(text), left.Key.Key+"\n") {
				return middleware.Happened(http.StatusCreated, nil, []byte("found by the hook")), nil
			}
			return middleware.NothingHappened(), nil
		},
	})
	must(err)
	h := m.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		must(err)
		key := r.Header.Get("Idempotency-Key")
		if string(body) == "hang before" {
			fmt.Println("hangs")
			select {}
		}
		effect(key)
		if string(body) == "hang after" {
			fmt.Println("hangs")
			select {}
		}
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, "done")
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	fmt.Println("http://" + listener.Addr().String())
	must(http.Serve(listener, h))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a running server.
type process struct {
	cmd *exec.Cmd
	out *bufio.Reader
	url string
}

func startServer(t *testing.T, kind, address, ledger string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(t.Context(), self)}
	p.cmd.Env = append(os.Environ(), envServe+"="+kind, envAddress+"="+address, envLedger+"="+ledger)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	p.url = p.line(t)
	return p
}

func (p *process) line(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err == nil {
		t.Fatal("the server ended by itself")
	}
}

// TestStatement28KilledInTheMiddle kills a server while one request is completed, one
// has had its effect, and one has not: after the restart no completed key runs again,
// and the hook settles the others.
func TestStatement28KilledInTheMiddle(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			db := databases[kind](t)
			ledger := filepath.Join(t.TempDir(), "ledger")
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			want := func(server *process, key, body string, status int, replayed bool, text string) {
				t.Helper()
				gotStatus, gotReplayed, got, err := post(client, server.url, key, body)
				if err != nil || gotStatus != status || gotReplayed != replayed || text != "" && got != text {
					t.Errorf("%s: %d, replayed %v, %q (%v); want %d, %v, %q", key, gotStatus, gotReplayed, got, err, status, replayed, text)
				}
			}

			server := startServer(t, kind, db.address, ledger)
			want(server, "completed", "work", http.StatusCreated, false, "done")
			var wg sync.WaitGroup
			for _, body := range []string{"hang before", "hang after"} {
				wg.Go(func() {
					if _, _, _, err := post(client, server.url, body, body); err == nil {
						t.Errorf("%s: it was answered", body)
					}
				})
				if got := server.line(t); got != "hangs" {
					t.Fatalf("the server says %q", got)
				}
			}
			server.kill(t)
			wg.Wait()
			db.settle(t)

			server = startServer(t, kind, db.address, ledger)
			want(server, "completed", "work", http.StatusCreated, true, "done")
			// Until the leases are over the dead server may as well be slow.
			want(server, "hang before", "hang before", http.StatusConflict, false, "")
			want(server, "hang after", "hang after", http.StatusConflict, false, "")
			db.advance(t, middleware.DefaultLease)
			want(server, "hang after", "hang after", http.StatusCreated, true, "found by the hook")
			wg.Go(func() { _, _, _, _ = post(client, server.url, "hang before", "hang before") })
			if got := server.line(t); got != "hangs" { // it is handled, which is its first time
				t.Fatalf("the server says %q", got)
			}
			want(server, "completed", "work", http.StatusCreated, true, "done")
			server.kill(t)
			wg.Wait()

			text, err := os.ReadFile(ledger)
			if err != nil || string(text) != "completed\nhang after\n" {
				t.Errorf("the ledger has %q (%v)", text, err)
			}
		})
	}
}

// TestStatement28KilledUnderLoad kills a server while many requests are at every point
// of their way. After a restart and a repeat of all, each has had its effect once, and
// whoever had an answer gets it again.
func TestStatement28KilledUnderLoad(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			const keys, enough = 300, 100
			db := databases[kind](t)
			ledger := filepath.Join(t.TempDir(), "ledger")
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
			defer client.CloseIdleConnections()
			// sendAll sends a request for each key, 16 at a time.
			sendAll := func(url string, answered func(key string, status int, replayed bool, err error)) {
				var next atomic.Int64
				var wg sync.WaitGroup
				for range 16 {
					wg.Go(func() {
						for n := next.Add(1); n <= keys; n = next.Add(1) {
							key := fmt.Sprintf("key-%d-", n)
							status, replayed, _, err := post(client, url, key, "work")
							answered(key, status, replayed, err)
						}
					})
				}
				wg.Wait()
			}

			server := startServer(t, kind, db.address, ledger)
			var before sync.Map
			var answers, cut atomic.Int64
			killed := make(chan struct{})
			many := make(chan struct{})
			go func() {
				defer close(killed)
				<-many
				server.kill(t)
			}()
			sendAll(server.url, func(key string, status int, _ bool, err error) {
				switch {
				case err != nil:
					cut.Add(1)
				case status != http.StatusCreated:
					t.Errorf("%s: %d", key, status)
				default:
					before.Store(key, true)
					if answers.Add(1) == enough {
						close(many)
					}
				}
			})
			<-killed
			db.settle(t)
			if cut.Load() == 0 {
				t.Fatal("the server was killed too late for any request")
			}

			db.advance(t, middleware.DefaultLease)
			open, err := db.store.Lapsed(t.Context(), keys)
			if err != nil {
				t.Fatal(err)
			}
			server = startServer(t, kind, db.address, ledger)
			sendAll(server.url, func(key string, status int, replayed bool, err error) {
				if _, had := before.Load(key); err != nil || status != http.StatusCreated || had && !replayed {
					t.Errorf("%s, answered before %v: %d, replayed %v (%v)", key, had, status, replayed, err)
				}
			})
			server.kill(t)
			text, err := os.ReadFile(ledger)
			if err != nil {
				t.Fatal(err)
			}
			effects := map[string]int{}
			for key := range strings.Lines(string(text)) {
				effects[key]++
				if effects[key] > 1 {
					t.Errorf("%s had its effect %d times", key, effects[key])
				}
			}
			if len(effects) != keys {
				t.Errorf("%d keys had an effect, want %d", len(effects), keys)
			}
			t.Logf("%d were answered before the kill, %d requests were cut off, %d claims were open", answers.Load(), cut.Load(), len(open))
		})
	}
}
