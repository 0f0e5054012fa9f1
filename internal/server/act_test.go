package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

func TestMessages(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("waitTwice", "r")
	// It works before the run's code has begun, and says so where the step is not named.
	s.want(422, "POST", "/v1/runs/"+run+"/messages", `{"ref":"r"}`)
	s.want(422, "POST", "/v1/runs/"+run+"/messages?step=order", `{"ref":"r"}`)
	s.want(400, "POST", "/v1/runs/"+run+"/messages?stp=paid", `{"ref":"r"}`)
	s.want(415, "POST", "/v1/runs/"+run+"/messages?step=paid", `[{}]`, "Content-Type", "application/cloudevents-batch+json")
	s.want(413, "POST", "/v1/runs/"+run+"/messages?step=paid", strings.Repeat("x", 5000))
	to := "/v1/runs/" + run + "/messages?step=shipped"
	first := s.want(202, "POST", to, `{"ref":"r"}`, "webhook-id", "m1")
	if first.text("number") != "1" || first.json("duplicate") != nil {
		t.Errorf("%s", first.body)
	}
	if again := s.want(202, "POST", to, `{"ref":"r"}`, "webhook-id", "m1"); again.json("duplicate") != true || again.text("number") != "1" {
		t.Errorf("%s", again.body)
	}
	s.want(202, "POST", "/v1/runs/"+run+"/messages?step=paid", `{"ref":"r"}`, "webhook-id", "m2", "Cookie", "a=secret")
	s.untilEnded(run, "succeeded")
	s.want(409, "POST", to, `{"ref":"r"}`)
	if got := s.metric(`weft_messages_total{outcome="stored"}`); got != "2" {
		t.Errorf("%s messages are counted", got)
	}
}

// TestStatement19RepeatsOfAnEarlyMessage delivers a message before the run's code has
// begun, and again when the run waits: with the same content, and with other.
func TestStatement19RepeatsOfAnEarlyMessage(t *testing.T) {
	s := newStand(t, func(s *stand) { s.broken = true })
	run := s.start("waitTwice", "r")
	s.until(run, func(d durable.Detail) bool { return d.Parked != "" })
	to := "/v1/runs/" + run + "/messages?step=shipped"
	s.want(202, "POST", to, `{"ref":"r"}`, "webhook-id", "m1")
	s.with(func() { s.broken = false })
	s.want(202, "POST", "/v1/runs/"+run+"/resume", "")
	s.untilWaiting(run)
	if again := s.want(202, "POST", to, `{"ref":"r"}`, "webhook-id", "m1"); again.json("duplicate") != true {
		t.Errorf("%s", again.body)
	}
	if other := s.want(202, "POST", to, `{"ref":"r","more":1}`, "webhook-id", "m1"); other.json("conflicting") != true {
		t.Errorf("%s", other.body)
	}
	if shown := s.want(200, "GET", "/v1/runs/"+run, ""); !strings.Contains(string(shown.body), `"same":1,"different":1`) {
		t.Errorf("%s", shown.body)
	}
	s.want(202, "POST", "/v1/runs/"+run+"/messages?step=paid", `{"ref":"r"}`)
	if ended := s.untilEnded(run, "succeeded"); ended.text("counts", "conflicts") != "1" {
		t.Errorf("%s", ended.body)
	}
}

// TestAMailboxThatIsFull delivers more to a run that does not read than it takes.
func TestAMailboxThatIsFull(t *testing.T) {
	s := newStand(t, func(s *stand) { s.mailbox, s.broken = 2, true })
	run := s.start("waitTwice", "r")
	to := "/v1/runs/" + run + "/messages?step=shipped"
	s.want(202, "POST", to, `{"ref":"other"}`)
	s.want(202, "POST", to, `{"ref":"other"}`)
	if full := s.want(429, "POST", to, `{"ref":"other"}`); !strings.Contains(full.text("detail"), "the mailbox of the run is full") {
		t.Errorf("%s", full.body)
	}
	s.want(202, "POST", "/v1/runs/"+run+"/messages?step=paid", `{"ref":"r"}`)
}

// metric gives the value of a metric.
func (s *stand) metric(name string) string {
	s.Helper()
	for line := range strings.Lines(string(s.want(200, "GET", "/metrics", "").body)) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			return text
		}
	}
	return ""
}

// TestAWebhookFindsARunAfterARestart has a message come over HTTP to a process that did
// not begin the run, and one before any run expects it.
func TestAWebhookFindsARunAfterARestart(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("wait", "r")
	s.untilWaiting(run)
	s.want(202, "POST", "/webhooks/shop/paid", `{"ref":"early","card":"confidential"}`, "webhook-id", "m1")
	s.restart()
	s.untilWaiting(run) // it says so in the next process too
	unmatched := s.want(200, "GET", "/v1/unmatched", "").json("messages").([]any)
	if len(unmatched) != 1 || unmatched[0].(map[string]any)["identity"] != "m1" || strings.Contains(string(s.want(200, "GET", "/v1/unmatched", "").body), "confidential") {
		t.Errorf("unmatched are %v", unmatched)
	}
	s.want(202, "POST", "/webhooks/shop/paid", `{"ref":"r"}`)
	s.untilEnded(run, "succeeded")
	s.untilEnded(s.start("wait", "early"), "succeeded")
	if left := s.want(200, "GET", "/v1/unmatched", "").json("messages").([]any); len(left) != 0 {
		t.Errorf("unmatched are %v", left)
	}
	s.want(405, "GET", "/webhooks/shop/paid", "")
	if got := s.metric(`weft_http_requests_total{method="POST",route="/webhooks/",status="202"}`); got != "1" {
		t.Errorf("%q webhooks are counted since the restart", got)
	}
}

// TestWhoHasActedIsLogged cancels a run with a token, and tries to without.
func TestWhoHasActedIsLogged(t *testing.T) {
	s := newStand(t, withTokens)
	run := s.start("wait", "r")
	s.untilWaiting(run)
	s.want(202, "POST", "/v1/runs/"+run+"/cancel", "")
	s.token = ""
	s.want(401, "POST", "/v1/runs/"+run+"/cancel", "")
	s.token = operateToken // known, without the right
	s.want(403, "POST", "/v1/runs/"+run+"/cancel", "")
	log := s.logged()
	for _, want := range []string{"/cancel by=operator", "/v1/runs/" + run + "/cancel by=shop from=127.0.0.1:", "outcome=done", "outcome=\"A bearer token is needed\""} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not tell %q: %s", want, log)
		}
	}
	if strings.Contains(log, shopToken) {
		t.Error("the token is in the log")
	}
}

func TestCancel(t *testing.T) {
	s := newStand(t, nil)
	run := s.start("wait", "r")
	s.untilWaiting(run)
	s.want(202, "POST", "/v1/runs/"+run+"/cancel", "")
	s.untilEnded(run, "cancelled")
	s.want(409, "POST", "/v1/runs/"+run+"/cancel", "")
}

// TestParkedAndResumed has a run that something keeps from being executed.
func TestParkedAndResumed(t *testing.T) {
	s := newStand(t, func(s *stand) { s.broken = true })
	run := s.start("look", "")
	parked := s.until(run, func(d durable.Detail) bool { return d.Parked != "" })
	if !strings.Contains(parked.Parked, "the credentials are missing") {
		t.Errorf("it is parked since %s", parked.Parked)
	}
	listed := s.want(200, "GET", "/v1/runs?parked=true", "").json("runs").([]any)
	if len(listed) != 1 {
		t.Errorf("parked are %v", listed)
	}
	s.with(func() { s.broken = false })
	s.want(202, "POST", "/v1/runs/"+run+"/resume", "")
	s.untilEnded(run, "succeeded")
	s.want(409, "POST", "/v1/runs/"+run+"/resume", "")
}

// TestStatement25UnknownOutcomeIsSettled has a payment of which nobody knows what came.
func TestStatement25UnknownOutcomeIsSettled(t *testing.T) {
	s := newStand(t, withTokens)
	var sends atomic.Int32
	s.with(func() {
		s.answer = func(http.ResponseWriter, *http.Request) {
			sends.Add(1)
			panic(http.ErrAbortHandler) // the request was read: the connection breaks off
		}
	})
	run := s.start("order", "r")
	s.untilEnded(run, "unknown")
	if n := sends.Load(); n != 1 {
		t.Fatalf("it was sent %d times", n)
	}
	path := "/v1/runs/" + run + "/settle"
	for body, want := range map[string]int{
		`{"step":"create"}`: 400, `{"outcome":"failed"}`: 400, `{"step":"create","outcome":"maybe"}`: 400,
		`{"step":"look","outcome":"failed"}`: 409, `{"step":"create","outcome":"failed","operator":"me"}`: 400,
		`{"step":"create","outcome":"failed","response":"{}"}`: 400,
		`{"step":"create","outcome":"failed","attempt":0}`:     400, `{"step":"create","outcome":"failed","attempt":1.5}`: 400,
		`{"step":"create","outcome":"failed","attempt":2}`: 409, `{"step":"create","outcome":"failed","activation":2,"attempt":1}`: 409,
	} {
		s.want(want, "POST", path, body)
	}
	s.want(200, "POST", path, `{"step":"create","outcome":"succeeded","activation":1,"attempt":1,"response":"{\"id\":\"confidential\"}"}`)
	s.want(409, "POST", path, `{"step":"create","outcome":"failed"}`)
	shown := s.want(200, "GET", "/v1/runs/"+run, "")
	settled := shown.json("settlements").([]any)[0].(map[string]any)
	if settled["operator"] != "shop" || settled["outcome"] != "succeeded" || strings.Contains(string(shown.body), "confidential") {
		t.Errorf("%s", shown.body)
	}
	s.untilEnded(run, "unknown")
	if n := sends.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}

func TestLists(t *testing.T) {
	s := newStand(t, nil)
	ended := s.start("look", "", `"token":"a"`)
	waiting := s.start("wait", "r", `"token":"b"`)
	s.untilEnded(ended, "succeeded")
	s.untilWaiting(waiting)
	for query, want := range map[string]string{
		"": waiting + " " + ended, "workflow=look": ended, "token=b": waiting, "state=ended": ended, "state=running": waiting,
		"status=succeeded": ended, "status=failed": "", "parked=true": "", "parked=false": waiting + " " + ended, "limit=1": waiting,
	} {
		var runs []string
		for _, run := range s.want(200, "GET", "/v1/runs?"+query, "").json("runs").([]any) {
			runs = append(runs, run.(map[string]any)["run"].(string))
		}
		if got := strings.Join(runs, " "); got != want {
			t.Errorf("%q lists %q, want %q", query, got, want)
		}
	}
	next := s.want(200, "GET", "/v1/runs?limit=1", "").text("next")
	second := s.want(200, "GET", "/v1/runs?limit=1&after="+next, "")
	if runs := second.json("runs").([]any); len(runs) != 1 || runs[0].(map[string]any)["run"] != ended || second.json("next") != nil {
		t.Errorf("%s", second.body)
	}
	for _, query := range []string{"stat=ended", "state=done", "status=ok", "limit=0", "limit=x", "parked=yes", "after=!", "token=%00", "token=%zz"} {
		s.want(400, "GET", "/v1/runs?"+query, "")
	}
	documents := s.want(200, "GET", "/v1/documents", "").json("documents").([]any)
	if len(documents) != 1 || len(documents[0].(map[string]any)["workflows"].([]any)) != 5 {
		t.Errorf("documents are %v", documents)
	}
}

// away is a store that does not answer, or whose node may not send.
type away struct {
	Runs
	list, health error
	whole        error // what is found of its tables
	panics       bool
}

func (a *away) List(ctx context.Context, f durable.Filter) (durable.Page, error) {
	if a.panics {
		panic("a defect")
	}
	if a.list != nil {
		return durable.Page{}, a.list
	}
	return a.Runs.List(ctx, f)
}

func (a *away) Health() error { return a.health }

func (a *away) Check(ctx context.Context) error {
	if a.whole != nil {
		return a.whole
	}
	return a.Runs.Check(ctx)
}

func TestReadiness(t *testing.T) {
	a := &away{}
	s := newStand(t, func(s *stand) { s.wrap = func(r Runs) Runs { a.Runs = r; return a } })
	s.want(200, "GET", "/readyz", "")
	if got := s.metric("weft_node_healthy"); got != "1" {
		t.Errorf("the node is healthy: %s", got)
	}
	a.list = context.DeadlineExceeded
	answer := s.want(503, "GET", "/readyz", "")
	if answer.Header.Get("Retry-After") == "" || strings.Contains(string(answer.body), "deadline") {
		t.Errorf("%v %s", answer.Header, answer.body)
	}
	s.want(503, "GET", "/v1/runs", "")
	a.list, a.health = nil, idempotency.ErrNotHeld
	s.want(503, "GET", "/readyz", "")
	if got := s.metric("weft_node_healthy"); got != "0" {
		t.Errorf("the node is healthy: %s", got)
	}
	a.health, a.whole = nil, fmt.Errorf("%w (weft_event)", durable.ErrIncomplete)
	if answer := s.want(503, "GET", "/readyz", ""); !strings.Contains(answer.text("detail"), "lacks tables: restore a whole copy of it (weft_event)") {
		t.Errorf("%s", answer.body)
	}
	a.whole, a.panics = nil, true
	s.want(500, "GET", "/v1/runs", "")
	a.panics = false
	s.server.Close()
	s.want(503, "GET", "/readyz", "")
	s.want(200, "GET", "/healthz", "")
}
