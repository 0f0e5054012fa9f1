package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/executor/durable"
)

func TestStart(t *testing.T) {
	s := newStand(t, nil)
	started := s.want(201, "POST", "/v1/runs", startBody("look", "", `"token":"t"`))
	if started.text("state") != "accepted" || started.text("joined") != "false" || started.text("workflow") != "look" {
		t.Errorf("the answer is %s", started.body)
	}
	answer := s.untilEnded(started.text("run"), "succeeded")
	if !strings.Contains(string(answer.body), `"seen":12345678901234567890.10`) {
		t.Errorf("the number is not as it was written: %s", answer.body)
	}
	if at := started.Header.Get("Location"); s.want(200, "GET", at, "").text("run") != started.text("run") {
		t.Errorf("the run is not at %s", at)
	}
}

func TestPreferWait(t *testing.T) {
	s := newStand(t, nil)
	ended := s.want(200, "POST", "/v1/runs", startBody("look", ""), "Prefer", "respond-async, wait=20")
	if ended.text("result", "status") != "succeeded" || ended.text("state") != "ended" || ended.Header.Get("Preference-Applied") != "wait=20" {
		t.Errorf("%v %s", ended.Header, ended.body)
	}
	waits := s.want(202, "POST", "/v1/runs", startBody("wait", "r"), "Prefer", "wait=0")
	if waits.json("result") != nil || waits.Header.Get("Location") == "" {
		t.Errorf("%v %s", waits.Header, waits.body)
	}
	s.untilWaiting(waits.text("run"))
	problem := s.want(409, "GET", waits.Header.Get("Location")+"/result", "", "Prefer", "wait=0")
	if problem.text("state") != "running" {
		t.Errorf("%s", problem.body)
	}
	s.want(201, "POST", "/v1/runs", startBody("look", ""), "Prefer", "wait=soon")
}

// TestStatement15And16OverHTTP has starts with one token: the first holds it, those
// with the same inputs join it, and others are refused.
func TestStatement15And16OverHTTP(t *testing.T) {
	s := newStand(t, nil)
	var mu sync.Mutex
	answers := map[string]int{}
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			answer := s.do("POST", "/v1/runs", startBody("wait", "r", `"token":"t"`))
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprintf("%d joined %v", answer.StatusCode, answer.json("joined"))]++
			answers[answer.text("run")]++
		})
	}
	group.Wait()
	if answers["201 joined false"] != 1 || answers["200 joined true"] != 15 || len(answers) != 3 {
		t.Fatalf("the answers are %v", answers)
	}
	run := s.want(200, "GET", "/v1/runs?token=t", "").json("runs").([]any)[0].(map[string]any)["run"].(string)
	s.untilWaiting(run)

	fails := s.want(409, "POST", "/v1/runs", startBody("wait", "r", `"token":"t"`, `"onConflict":"fail"`))
	other := s.want(409, "POST", "/v1/runs", startBody("wait", "another", `"token":"t"`))
	for _, held := range []reply{fails, other} {
		if held.text("run") != run || held.text("state") != "running" {
			t.Errorf("%s, want the holder %s", held.body, run)
		}
	}
	if !strings.Contains(other.text("title"), "other inputs") {
		t.Errorf("%s", other.body)
	}
	// Another workflow, and another token, are other work.
	s.want(201, "POST", "/v1/runs", startBody("waitTwice", "r", `"token":"t"`))
	s.want(201, "POST", "/v1/runs", startBody("wait", "r", `"token":"t2"`))

	s.want(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
	s.untilEnded(run, "succeeded")
	if s.start("wait", "another", `"token":"t"`) == run {
		t.Error("the run that has ended was given")
	}
}

// TestHeldByARunThatHasNotBegun has a run in line whose code has not begun.
func TestHeldByARunThatHasNotBegun(t *testing.T) {
	s := newStand(t, func(s *stand) { s.broken = true })
	run := s.start("look", "", `"token":"t"`)
	joined := s.want(200, "POST", "/v1/runs", startBody("look", "", `"token":"t"`))
	held := s.want(409, "POST", "/v1/runs", startBody("look", "", `"token":"t"`, `"onConflict":"fail"`))
	for _, answer := range []reply{joined, held} {
		if answer.text("run") != run || answer.text("state") != "accepted" {
			t.Errorf("%s", answer.body)
		}
	}
}

// TestEndedAndRetained starts again what has ended while its token is retained, also
// after the run's own data was forgotten.
func TestEndedAndRetained(t *testing.T) {
	s := newStand(t, nil)
	body := startBody("look", "", `"token":"t"`, `"minRetention":"36h"`)
	run := s.want(200, "POST", "/v1/runs", body, "Prefer", "wait=20").text("run")
	if s.want(200, "GET", "/v1/runs/"+run, "").json("heldUntil") == nil {
		t.Error("it is not told until when the token is held")
	}
	joined := func() {
		t.Helper()
		again := s.want(200, "POST", "/v1/runs", body)
		if again.text("run") != run || again.text("joined") != "true" || again.text("result", "status") != "succeeded" {
			t.Errorf("%s", again.body)
		}
	}
	joined()
	s.want(409, "POST", "/v1/runs", startBody("look", "other", `"token":"t"`, `"minRetention":"36h"`))
	s.forget(run)
	s.want(404, "GET", "/v1/runs/"+run, "")
	joined()
	s.want(200, "DELETE", "/v1/tokens/look/t", "")
	s.want(404, "DELETE", "/v1/tokens/look/t", "")
	s.want(201, "POST", "/v1/runs", body)
}

// TestTokensOfAnyText has tokens that a path must escape.
func TestTokensOfAnyText(t *testing.T) {
	s := newStand(t, nil)
	for _, token := range []string{"a//b", "..", ".", "a/../b", "50% & more?#", "ü"} {
		run := s.start("wait", "r", `"token":`+strconv.Quote(token))
		escaped := strings.ReplaceAll(url.PathEscape(token), ".", "%2E")
		if released := s.want(200, "DELETE", "/v1/tokens/wait/"+escaped, ""); released.text("run") != run {
			t.Errorf("%q: %s", token, released.body)
		}
	}
}

// TestTheTenantOfTheDocument has a tenant that weft.yaml gives.
func TestTheTenantOfTheDocument(t *testing.T) {
	s := newStand(t, func(s *stand) { s.tenant = "configured" })
	run := s.start("look", "")
	if shown := s.want(200, "GET", "/v1/runs/"+run, ""); shown.text("tenant") != "configured" {
		t.Errorf("%s", shown.body)
	}
	if shown := s.want(200, "GET", "/v1/runs/"+s.start("look", "", `"tenant":"named"`), ""); shown.text("tenant") != "named" {
		t.Errorf("%s", shown.body)
	}
}

// TestReleasedWhileRunning frees the token of a run that goes on.
func TestReleasedWhileRunning(t *testing.T) {
	s := newStand(t, nil)
	first := s.start("wait", "r", `"token":"t"`, `"minRetention":"36h"`)
	s.untilWaiting(first)
	if released := s.want(200, "DELETE", "/v1/tokens/wait/t", ""); released.text("run") != first {
		t.Errorf("%s", released.body)
	}
	second := s.start("wait", "r", `"token":"t"`)
	s.untilWaiting(second)
	for _, run := range []string{first, second} {
		s.want(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
		s.untilEnded(run, "succeeded")
	}
}

// TestIdempotencyKeyUnderAnotherStoreKey: the same request again, to a process that cannot
// read the run, is not told that it is another request.
func TestIdempotencyKeyUnderAnotherStoreKey(t *testing.T) {
	s := newStand(t, func(s *stand) { s.key = "the first key of all" })
	body := startBody("wait", "r")
	run := s.want(201, "POST", "/v1/runs", body, "Idempotency-Key", "k").text("run")
	s.untilWaiting(run)
	s.key = "another key than that"
	s.restart()
	if answer := s.want(409, "POST", "/v1/runs", body, "Idempotency-Key", "k"); !strings.Contains(answer.text("detail"), "another store key") {
		t.Errorf("%s", answer.body)
	}
	s.want(422, "POST", "/v1/runs", startBody("wait", "r", `"token":"t"`), "Idempotency-Key", "k")
	for _, form := range []string{"application/json", "text/event-stream"} {
		if answer := s.want(503, "GET", "/v1/runs/"+run+"/events", "", "Accept", form); !strings.Contains(answer.text("detail"), "WEFT_STORE_KEY") {
			t.Errorf("%s: %s", form, answer.body)
		}
	}
}

func TestIdempotencyKey(t *testing.T) {
	s := newStand(t, nil)
	body := startBody("wait", "r", `"token":"t"`)
	run := s.want(201, "POST", "/v1/runs", body, "Idempotency-Key", "k").text("run")
	for _, key := range []string{"k", `"k"`} {
		again := s.want(200, "POST", "/v1/runs", body, "Idempotency-Key", key)
		if again.text("run") != run || again.text("joined") != "false" {
			t.Errorf("%s", again.body)
		}
	}
	for _, other := range []string{
		startBody("wait", "r"), startBody("wait", "another", `"token":"t"`), startBody("waitTwice", "r", `"token":"t"`),
		startBody("wait", "r", `"token":"t"`, `"minRetention":"1h"`),
	} {
		s.want(422, "POST", "/v1/runs", other, "Idempotency-Key", "k")
	}
	s.want(400, "POST", "/v1/runs", body, "Idempotency-Key", "\xff")
	if s.want(201, "POST", "/v1/runs", startBody("wait", "r"), "Idempotency-Key", "k2").text("run") == run {
		t.Error("another key found the run")
	}
	// When the run has ended and another holds its token, the request still finds its run.
	s.want(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
	s.untilEnded(run, "succeeded")
	other := s.start("wait", "r", `"token":"t"`)
	again := s.want(200, "POST", "/v1/runs", body, "Idempotency-Key", "k")
	if again.text("run") != run || other == run || again.text("result", "status") != "succeeded" {
		t.Errorf("%s", again.body)
	}
	s.restart()
	if s.want(200, "POST", "/v1/runs", body, "Idempotency-Key", "k").text("run") != run {
		t.Error("after a restart another run was found")
	}
}

// lossy is a store that accepts a start and does not answer.
type lossy struct {
	Runs
	lost int
}

func (l *lossy) Start(ctx context.Context, spec durable.Spec) (durable.Started, error) {
	started, err := l.Runs.Start(ctx, spec)
	if err == nil && l.lost > 0 {
		l.lost--
		return durable.Started{}, &durable.UncertainError{Run: started.Run, Phase: "at the commit", Err: errors.New("the connection was lost")}
	}
	return started, err
}

// TestStatement18StartUncertain loses the answer of the store to a start.
func TestStatement18StartUncertain(t *testing.T) {
	l := &lossy{}
	s := newStand(t, func(s *stand) {
		s.wrap = func(r Runs) Runs { l.Runs = r; return l }
	})
	// With a key the server itself asks again.
	l.lost = 1
	first := s.want(200, "POST", "/v1/runs", startBody("wait", "r"), "Idempotency-Key", "k")
	if l.lost != 0 {
		t.Fatal("nothing was lost")
	}
	// With a token the caller finds the run by asking again.
	l.lost = 1
	body := startBody("wait", "r", `"token":"t"`)
	uncertain := s.want(503, "POST", "/v1/runs", body)
	if uncertain.text("phase") != "at the commit" || uncertain.Header.Get("Retry-After") == "" {
		t.Errorf("%v %s", uncertain.Header, uncertain.body)
	}
	if detail := uncertain.text("detail"); !strings.Contains(detail, "While that run holds its token") || !strings.Contains(detail, uncertain.text("run")) {
		t.Errorf("the problem promises %q", detail)
	}
	again := s.want(200, "POST", "/v1/runs", body)
	if again.text("run") != uncertain.text("run") || again.text("run") == first.text("run") {
		t.Errorf("%s, then %s", uncertain.body, again.body)
	}
	// With neither, a second run may be made.
	l.lost = 1
	neither := s.want(503, "POST", "/v1/runs", startBody("look", ""))
	if !strings.Contains(neither.text("detail"), "may make a second one") || l.lost != 0 {
		t.Errorf("%s", neither.body)
	}
	if all := s.want(200, "GET", "/v1/runs", "").json("runs").([]any); len(all) != 3 {
		t.Errorf("there are %d runs", len(all))
	}
}

func TestStartsThatAreRefused(t *testing.T) {
	s := newStand(t, nil)
	for body, want := range map[string]struct {
		status int
		says   string
	}{
		``:                                       {400, "no JSON"},
		`{`:                                      {400, "no JSON"},
		`[]`:                                     {400, "not an object"},
		`{}`:                                     {400, "document is missing"},
		`{"document":7}`:                         {400, "document: expected a string"},
		`{"document":"a","document":"b"}`:        {400, "twice"},
		`{"documnet":"a"}`:                       {400, `no member \"documnet\"`},
		`{"document":"../secret.yaml"}`:          {422, "no such document"},
		`{"document":"http://127.0.0.1/x.yaml"}`: {422, "no such document"},
		startBody("nowhere", ""):                 {422, "nowhere"},
		startBody("order", ""):                   {422, "ref"},
		startBody("order", "", `"inputs":[1]`):   {400, "expected an object"},
		startBody("order", "r", `"token":"a\u0000"`):               {400, "NUL"},
		startBody("order", "r", `"minRetention":"1h"`):             {400, "that of a token"},
		startBody("order", "r", `"token":"t","minRetention":"1d"`): {400, "duration"},
		startBody("order", "r", `"token":"t","minRetention":3}`):   {400, ""},
		startBody("order", "r", `"onConflict":"wait"`):             {400, "join or fail"},
		startBody("secret", "", `"inputs":{"pin":"1234"}`):         {422, "WEFT_STORE_KEY"},
		startBody("order", strings.Repeat("x", 5000)):              {413, "too large"},
		`{"document":"shop.arazzo.yaml","workflows":"order"}`:      {400, "list"},
		`{"document":"shop.arazzo.yaml","workflows":[1]}`:          {400, "string"},
		startBody("order", "r", `"token":""`):                      {400, "token: is empty"},
		`{"document":"shop.arazzo.yaml","workflows":[]}`:           {400, "workflows: is empty"},
		startBody("order", "", `"inputs":{"ref":"r","reff":"r"}`):  {422, `no workflow declares it; declared are ref; did you mean \"ref\"?`},
		startBody("look", "", `"inputs":{"pin":"1"}`):              {422, `input \"pin\"`}, // another workflow has it
		strings.Repeat("[", 4000):                                  {400, "no JSON"},
	} {
		answer := s.want(want.status, "POST", "/v1/runs", body, "Content-Type", "application/json")
		if !strings.Contains(string(answer.body), want.says) {
			t.Errorf("%s: %s, want %q", body, answer.body, want.says)
		}
	}
	s.want(415, "POST", "/v1/runs", startBody("look", ""), "Content-Type", "application/x-www-form-urlencoded")
	s.want(400, "POST", "/v1/runs", startBody("look", ""), "Idempotency-Key", strings.Repeat("k", 256))
	s.want(400, "POST", "/v1/runs", startBody("look", ""), "Idempotency-Key", `""`)
	if all := s.want(200, "GET", "/v1/runs", "").json("runs").([]any); len(all) != 0 {
		t.Errorf("%d runs were started", len(all))
	}
}

// idle is a store that takes every start and has nothing else.
type idle struct{ Runs }

func (idle) Start(context.Context, durable.Spec) (durable.Started, error) {
	return durable.Started{Run: "r", Workflow: "w"}, nil
}
func (idle) Health() error { return nil }

// FuzzStart holds that no body makes the server fail.
func FuzzStart(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"document":"d"}`, startBody("w", "r", `"token":"t"`, `"minRetention":"1h"`, `"onConflict":"join"`), `{"document":"d","inputs":{"a":1e999999999}}`, "{\"document\":\"\xff\"}"} {
		f.Add(seed, "k", "wait=1")
	}
	server, err := New(Options{Runs: idle{}, Documents: []Document{{Name: "shop.arazzo.yaml"}, {Name: "d"}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body, key, prefer string) {
		r := httptest.NewRequest("POST", "http://localhost/v1/runs", strings.NewReader(body))
		r.RemoteAddr = "127.0.0.1:1"
		r.Header["Idempotency-Key"], r.Header["Content-Type"] = []string{key}, []string{"application/json"}
		_ = prefer // a wait needs a store
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != http.StatusCreated && (w.Code < 400 || w.Code > 499) {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		preferredWait(&http.Request{Header: http.Header{"Prefer": {prefer}}})
	})
}

// TestAJoinIsFoundByItsKey repeats a start that has joined a run, after that has ended
// and holds its token no more: it means the same run for as long as that is kept.
func TestAJoinIsFoundByItsKey(t *testing.T) {
	s := newStand(t, nil)
	body := startBody("wait", "r", `"token":"t"`)
	run := s.want(201, "POST", "/v1/runs", body, "Idempotency-Key", "first").text("run")
	joins := func() {
		t.Helper()
		joined := s.want(200, "POST", "/v1/runs", body, "Idempotency-Key", "second")
		if joined.text("run") != run || joined.text("joined") != "true" {
			t.Fatalf("%s, want a join of %s", joined.body, run)
		}
	}
	s.want(409, "POST", "/v1/runs", startBody("wait", "r", `"token":"t"`, `"onConflict":"fail"`), "Idempotency-Key", "third")
	joins()
	joins()
	s.untilWaiting(run)
	s.want(202, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
	s.untilEnded(run, "succeeded")
	joins()
	for _, other := range []string{
		startBody("wait", "other", `"token":"t"`), startBody("wait", "r", `"token":"u"`), startBody("wait", "r"),
		startBody("wait", "r", `"token":"t"`, `"minRetention":"1h"`), startBody("wait", "r", `"token":"t"`, `"onConflict":"fail"`),
	} {
		s.want(422, "POST", "/v1/runs", other, "Idempotency-Key", "second")
	}
	// What was refused has joined nothing, and a run that is forgotten is not found.
	if s.want(201, "POST", "/v1/runs", body, "Idempotency-Key", "third").text("run") == run {
		t.Error("a start that was refused is bound to the run that held the token")
	}
	s.forget(run)
	if s.want(200, "POST", "/v1/runs", body, "Idempotency-Key", "second").text("run") == run {
		t.Error("the run that was forgotten was given")
	}
}
