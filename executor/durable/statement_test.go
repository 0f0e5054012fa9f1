package durable

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// TestStatement05TheKeyIsRecordedFirst: when a server sees a request, its key is in the
// journal.
func TestStatement05TheKeyIsRecordedFirst(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, keyedFlow)
		s := openStore(t, url, quickOptions(t))
		journal := "operation_outputs"
		if s.db.lite == nil {
			journal = "dbos.operation_outputs"
		}
		seen := make(chan error, 10)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if value := r.Header.Get("Idempotency-Key"); value != "" {
				key := idempotency.Key{Header: "Idempotency-Key", Value: value}
				recorded := false
				err := s.db.each(r.Context(), "SELECT output FROM "+journal+" WHERE function_name LIKE '%:prepare'", nil, func(r row) error {
					var output string
					err := r.Scan(&output)
					recorded = recorded || strings.Contains(output, `"key":"`+key.Digest()+`"`)
					return err
				})
				if err == nil && !recorded {
					err = fmt.Errorf("the key %s is not recorded", key.Digest())
				}
				seen <- err
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(map[string]int{"POST": 201, "GET": 200}[r.Method])
			_, _ = io.WriteString(w, `{"id":"1"}`)
		}))
		defer server.Close()
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: map[string]string{"": server.URL}}}, `{"ref":"1"}`)
		if result := end(t, s, started.Run); result.Status != executor.Succeeded {
			t.Fatalf("%+v", result)
		}
		for range 2 {
			select {
			case err := <-seen:
				if err != nil {
					t.Error(err)
				}
			default:
				t.Fatal("fewer than two requests with a key were seen")
			}
		}
	})
}

// TestStatement24WhatHasEndedStays: a message that comes after the state is terminal is
// recorded as late, and moves nothing.
func TestStatement24WhatHasEndedStays(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		var passed atomic.Int64
		o := quickOptions(t)
		o.Now = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
		s := openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`)
		awaits(t, s, started.Run)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		passed.Store(int64(73 * time.Hour))
		s = openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		if result := end(t, s, started.Run); result.Workflows[0].State != "EXPIRED" {
			t.Fatalf("%+v", result)
		}
		known, found, err := s.Hub().Find(t.Context(), channel.Target{Kind: executor.WebhookBox, Source: "shop", Rest: []string{"paid"}})
		if err != nil || !found {
			t.Fatal(found, err)
		}
		kept, err := s.Hub().Keep(t.Context(), channel.Arrival{Place: known.Place, Received: s.now(), Identity: "m", Method: "POST", Body: []byte(`{"ref":"1","amount":"9.90"}`)})
		if err != nil || kept.Outcome != channel.Late || kept.Run != started.Run {
			t.Fatalf("%+v, %v", kept, err)
		}
		d, err := s.Show(t.Context(), started.Run)
		if err != nil || len(d.Messages) != 1 || d.Messages[0].Number != 0 || len(d.States) != 1 || d.States[0].State != "EXPIRED" {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// TestStatement24AMoveIsACompareAndSet: where the state is another than the interpreter
// believes, it is told so and nothing moves.
func TestStatement24AMoveIsACompareAndSet(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		s := openStore(t, url, quickOptions(t))
		move := func(from, to string) executor.Moved {
			t.Helper()
			var moved executor.Moved
			err := s.db.within(t.Context(), func(tx *transaction) (err error) {
				moved, err = moveState(t.Context(), tx, "r", executor.Move{Workflow: "w", From: from, To: to}, s.now())
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return moved
		}
		for _, test := range []struct {
			from, to string
			done     bool
			state    string
		}{{"NEW", "PENDING", true, "PENDING"}, {"PENDING", "PAID", true, "PAID"}, {"PENDING", "EXPIRED", false, "PAID"}, {"NEW", "PENDING", false, "PAID"}} {
			if got := move(test.from, test.to); got.Done != test.done || got.State != test.state {
				t.Errorf("from %s to %s: %+v", test.from, test.to, got)
			}
		}
	})
}

// TestStatement06TheKeyMayBeForgotten: a request that may have left before a crash is not
// sent again when the server may have forgotten its key since.
func TestStatement06TheKeyMayBeForgotten(t *testing.T) {
	const kept = time.Hour
	for name, test := range map[string]struct {
		later  time.Duration
		status executor.Status
		orders int
	}{
		"it is kept": {kept / 2, executor.Succeeded, 1},
		"it may be":  {kept, executor.Unknown, 0},
	} {
		t.Run(name, func(t *testing.T) {
			url := readyFile(t)
			b := flowBundle(t, strings.Replace(keyedFlow, "    onFailure: [{name: again, type: retry, retryAfter: 0.01, retryLimit: 3}]\n", "", 1))
			server, servers := playShop(t, b)
			dialect, _ := idempotency.KnownHeader("Idempotency-Key")
			dialect.Retention = kept
			config := executor.Config{
				Servers: servers, Timeout: executor.NoTimeout,
				Sources: map[string]executor.SourceConfig{"shop": {Profile: &idempotency.Profile{Name: "shop", Dialect: dialect}}},
			}
			spec := Spec{Run: "r", Bundle: b, Config: config}
			if _, killed := child(t, childOrder{URL: url, Spec: spec, Inputs: `{}`, KillIn: "before buy/order#1/1:send"}); !killed {
				t.Fatal("the process was not killed")
			}
			o := quickOptions(t)
			o.Now = func() time.Time { return time.Now().Add(test.later) }
			s := openStore(t, url, o)
			if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
				t.Fatal(err)
			}
			result := end(t, s, "r")
			if result.Status != test.status || effects(server)["createOrder"] != test.orders {
				t.Errorf("the run ended as %s (%s) with %v", result.Status, result.Reason, effects(server))
			}
		})
	}
}

// bearer shows a token to every server.
type bearer string

func (b bearer) Authorize(context.Context, executor.Call) (executor.Authorization, error) {
	return executor.Authorization{Fields: []executor.AuthorizationField{{Name: "Authorization", In: "header", Value: "Bearer " + string(b)}}}, nil
}

// TestStatement22CredentialsAreNotRecorded: what shows to servers who calls stands
// nowhere in the database.
func TestStatement22CredentialsAreNotRecorded(t *testing.T) {
	const secret = "planted-credential-7c1e"
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, keyedFlow)
		server, servers := playShop(t, b)
		s := openStore(t, url, quickOptions(t))
		connect := func(context.Context, Definition) (Connection, error) {
			return Connection{Client: httpcall.New(httpcall.Options{Authorizer: bearer(secret)}), Secrets: []string{secret}}, nil
		}
		if err := s.Drive(t.Context(), DriveOptions{Connect: connect}); err != nil {
			t.Fatal(err)
		}
		started := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers}}, `{"ref":"1"}`)
		if result := end(t, s, started.Run); result.Status != executor.Succeeded {
			t.Fatalf("%+v", result)
		}
		if got := server.Ledger().Requests[0].Header.Get("Authorization"); got != "Bearer "+secret {
			t.Fatalf("the server saw %q: the test shows nothing", got)
		}
		for table, found := range findEverywhere(t, s, secret) {
			t.Errorf("the credential stands in %s: %s", table, found)
		}
	})
}

// TestWhatIsNotUsedOfTheJournal: verbs of DBOS that do not hold what is promised here.
func TestWhatIsNotUsedOfTheJournal(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	never := regexp.MustCompile(`dbos\.(Recv|Send|SendBulk|Sleep|Select|Go|CancelWorkflows?|SetEvent|GetEvent|WriteStream|ReadStream|RunWorkflow)\b`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := never.FindString(string(text)); found != "" && file != "statement_test.go" {
			t.Errorf("%s uses %s", file, found)
		}
	}
}

// TestStatement22ResultsAreMasked: what a run puts out is kept without its passwords and
// without credentials, also where a token keeps it.
func TestStatement22ResultsAreMasked(t *testing.T) {
	const secret, credential = "hunter2-or-longer", "planted-credential-7c1e"
	flow := strings.Replace(keyedFlow, "  outputs: {id: $steps.order.outputs.id}\n", "  outputs: {id: $steps.order.outputs.id, pin: $inputs.pin, all: \"{$inputs.ref} by {$inputs.pin}\", echo: $inputs.ref}\n", 1)
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, flow)
		_, servers := playShop(t, b)
		o := quickOptions(t)
		o.Key = "a key of the store that is long enough"
		s := openStore(t, url, o)
		connect := func(context.Context, Definition) (Connection, error) {
			return Connection{Client: httpcall.New(httpcall.Options{}), Secrets: []string{credential}}, nil
		}
		if err := s.Drive(t.Context(), DriveOptions{Connect: connect}); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Bundle: b, Token: "t", Retention: time.Hour, Config: executor.Config{Servers: servers}}
		text := `{"ref":"` + credential + `","pin":"` + secret + `"}`
		run := begin(t, s, spec, text).Run
		result := end(t, s, run)
		outputs := result.Workflows[0].Outputs
		if result.Status != executor.Succeeded || outputs.Get("pin").Text() != "***" || outputs.Get("all").Text() != "*** by ***" || outputs.Get("echo").Text() != "***" || outputs.Get("id").Text() == "" {
			t.Errorf("%+v", result)
		}
		awaitRecorded(t, s, run)
		if held, err := s.ReadHeld(held(t, s, spec, text).Holder); err != nil || held.Workflows[0].Outputs.String() != outputs.String() {
			t.Errorf("the token keeps %+v, %v", held, err)
		}
	})
}
