package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

func TestAMessageIsKeptAsItCame(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	body := "{ \"ref\": \"1\",\r\n \"amount\": 10.00 }"
	s.post(202, path+"?a=1&a=2&access_token=key", body,
		"content-type", "application/json", "x-order", "a", "X-Order", "b", "webhook-id", "msg_1",
		"Authorization", "Bearer key", "Proxy-Authorization", "key", "Cookie", "key", "X-Hub-Signature-256", "key", "Webhook-Signature", "key")
	m := s.only()
	want := executor.Header{"Content-Type": {"application/json"}, "X-Order": {"a", "b"}, "Webhook-Id": {"msg_1"}}
	if string(m.Body) != body || !reflect.DeepEqual(m.Header, want) || !reflect.DeepEqual(m.Query, map[string][]string{"a": {"1", "2"}}) {
		t.Errorf("the message is %+v", m)
	}
	if m.Identity != "msg_1" || m.Method != "POST" || !m.Received.Equal(noon) || m.Scoped {
		t.Errorf("the message is %+v", m)
	}
}

func TestTheDocumentedStatusAnswers(t *testing.T) {
	for documented, want := range map[int]int{0: 202, 200: 200, 201: 201, 204: 204, 299: 299, 301: 202, 400: 202, 100: 202} {
		s := newStand(t, webhook.Source{}, func(_ *stand, boxes []executor.Mailbox) { boxes[0].Status = documented })
		for range 2 { // a duplicate is acknowledged as the first was
			s.post(want, path, `{"ref":"1"}`, "Webhook-Id", "x")
		}
		s.post(want, path, `{"ref":"2"}`)
	}
}

func TestWhatIsRefused(t *testing.T) {
	s := newStand(t, webhook.Source{MaxBody: 20}, func(_ *stand, boxes []executor.Mailbox) {
		boxes[0].ContentTypes = []string{"application/json; charset=utf-8", "text/*"}
	})
	for _, c := range []struct {
		method, target, body string
		fields               []string
		want                 int
		stray                string
	}{
		{"POST", "/", "", nil, 404, ""},
		{"POST", "/webhooks/pay", "", nil, 404, ""},
		{"POST", "/webhooks/pay/other", "", nil, 404, ""},
		{"POST", "/webhooks/other/paymentChanged", "", nil, 404, ""},
		{"POST", "/channels/pay/paymentChanged", "", nil, 404, ""},
		{"POST", "/callbacks/guess", "", nil, 404, ""},
		{"POST", "/callbacks/", "", nil, 404, ""},
		{"GET", path, "", nil, 405, ""},
		{"PUT", path, "{}", nil, 405, ""},
		{"OPTIONS", path, "", []string{"WebHook-Request-Origin", "example.com"}, 405, ""},
		{"POST", path, strings.Repeat("x", 21), nil, 413, "more than 20 bytes"},
		{"POST", path, "x", []string{"Content-Type", "application/xml"}, 415, `"application/xml"`},
		{"POST", path, "x", []string{"Content-Type", "not a type"}, 415, "content type"},
		{"POST", path, "x", []string{"Content-Encoding", "gzip"}, 415, "gzip"},
		{"POST", path, "{}", []string{"Content-Type", "application/json"}, 202, "no value at"},
		{"POST", path, "{}", []string{"Content-Type", "APPLICATION/JSON;charset=latin1"}, 202, "no value at"},
		{"POST", path, "{}", []string{"Content-Type", "text/csv", "Content-Encoding", "identity"}, 202, "no value at"},
		{"POST", path, "{}", nil, 202, "no value at"},
		{"POST", path, "", []string{"Content-Type", "application/xml"}, 202, "no value at"},
	} {
		before := len(s.strays())
		answer := s.serve(request(t, c.method, c.target, c.body, c.fields...))
		if answer.StatusCode != c.want {
			t.Errorf("%s %s %q: %d, want %d", c.method, c.target, c.fields, answer.StatusCode, c.want)
		}
		if allow := answer.Header.Get("Allow"); (allow == "POST") != (c.want == 405) {
			t.Errorf("%s %s allows %q", c.method, c.target, allow)
		}
		strays := s.strays()
		if told := len(strays) > before; told != (c.stray != "") || told && !strings.Contains(strays[len(strays)-1].Reason, c.stray) {
			t.Errorf("%s %s %q: strays %+v, want %q", c.method, c.target, c.fields, strays, c.stray)
		}
		s.at = s.at.Add(1)
	}
	if got := s.inbox(); len(got) != 0 {
		t.Errorf("the run has got %d messages", len(got))
	}
}

// TestABodyOfUnknownLengthIsLimited sends a body that does not tell its length before.
func TestABodyOfUnknownLengthIsLimited(t *testing.T) {
	s := newStand(t, webhook.Source{MaxBody: 20}, nil)
	r := request(t, "POST", path, strings.Repeat("x", 21))
	r.ContentLength = -1
	if answer := s.serve(r); answer.StatusCode != 413 {
		t.Errorf("the answer is %d", answer.StatusCode)
	}
	r = request(t, "POST", path, strings.Repeat("x", 20))
	r.ContentLength = -1
	if answer := s.serve(r); answer.StatusCode != 202 {
		t.Errorf("the answer is %d", answer.StatusCode)
	}
}

func TestDefaultBodyLimit(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	s.post(202, path, strings.Repeat("x", 1<<20))
	s.post(413, path, strings.Repeat("x", 1<<20+1))
}

func TestConflicts(t *testing.T) {
	for settings, want := range map[int]int{0: 200, 409: 409} {
		s := newStand(t, webhook.Source{ConflictStatus: settings}, func(_ *stand, boxes []executor.Mailbox) { boxes[0].Status = 200 })
		s.post(200, path, `{"ref":"1"}`, "Webhook-Id", "x")
		s.post(200, path, `{"ref":"1"}`, "Webhook-Id", "x")
		s.post(want, path, `{"ref":"1","more":1}`, "Webhook-Id", "x")
		s.only()
		got, err := s.hub.Repeats(t.Context(), "run")
		if err != nil || !slices.Equal(got, []executor.Repeat{{Number: 1, Same: 1, Different: 1}}) {
			t.Errorf("repeats: %+v, %v", got, err)
		}
	}
}

func TestAddressOfARunsOwn(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	own := "/callbacks/" + s.tokens["done"]
	s.post(202, own, "anything")
	s.post(202, own+"/more/of%2Fit?x=1", "anything")
	s.post(404, own+"x", "anything")
	if all := s.inbox(); len(all) != 2 || !all[0].Scoped || all[0].Box != "done" {
		t.Errorf("the run has %+v", all)
	}
	if err := s.hub.End(t.Context(), "run"); err != nil {
		t.Fatal(err)
	}
	s.post(410, own, "anything")
	s.post(202, path, `{"ref":"1"}`) // late
	if late, err := s.hub.Late(t.Context(), "run"); err != nil || len(late) != 1 {
		t.Errorf("late: %+v, %v", late, err)
	}
}

func TestChannelsOverHTTP(t *testing.T) {
	s := newStand(t, webhook.Source{}, func(_ *stand, boxes []executor.Mailbox) {
		where, err := executor.ParseLocator("$message.path.orderId")
		if err != nil {
			t.Fatal(err)
		}
		boxes[0] = executor.Mailbox{
			Name: "paid", Kind: executor.ChannelBox, Source: "bus", Channel: "paid", Address: "orders/{orderId}/paid", Method: "PUT",
			Expect: []executor.Expectation{{Box: "paid", Where: where, Value: payments(t).Expect[0].Value}},
		}
	})
	answer := s.serve(request(t, "PUT", "/channels/bus/orders/1/paid/?q=x", "[]"))
	if answer.StatusCode != 202 {
		t.Fatalf("the answer is %d", answer.StatusCode)
	}
	if m := s.only(); m.Path["orderId"] != "1" || m.Query["q"][0] != "x" || m.Method != "PUT" {
		t.Errorf("the message is %+v", m)
	}
	s.post(405, "/channels/bus/orders/1/paid", "")
	s.post(404, "/channels/bus/orders/1", "")
}

func TestFaultsOfTheKeeper(t *testing.T) {
	for name, b := range map[string]*broken{"find": {find: true}, "keep": {keep: true}, "refuse": {refuse: true}} {
		s := newStand(t, webhook.Source{MaxBody: 20}, func(s *stand, _ []executor.Mailbox) {
			b.Keeper = s.hub
			s.keeper = b
		})
		body := `{"ref":"1"}`
		if b.refuse {
			body = strings.Repeat("x", 30)
		}
		if answer := s.post(503, path, body); answer.Header.Get("Retry-After") == "" {
			t.Errorf("%s: it is not said when to try again", name)
		}
		*b = broken{Keeper: s.hub}
		if !strings.HasPrefix(body, "x") {
			s.post(202, path, body)
			s.only()
		}
	}
}

// gate is a keeper whose first message waits until it is let through.
type gate struct {
	channel.Keeper
	reached, open chan struct{}
}

func (g *gate) Keep(ctx context.Context, a channel.Arrival) (channel.Kept, error) {
	g.reached <- struct{}{}
	<-g.open
	return g.Keeper.Keep(ctx, a)
}

// TestStatement13NothingIsAcknowledgedBeforeItIsStored has a message and its duplicate in
// the air while the keeper has stored neither.
func TestStatement13NothingIsAcknowledgedBeforeItIsStored(t *testing.T) {
	g := &gate{reached: make(chan struct{}), open: make(chan struct{})}
	s := newStand(t, webhook.Source{}, func(s *stand, _ []executor.Mailbox) {
		g.Keeper = s.hub
		s.keeper = g
	})
	answers := make(chan int)
	for range 2 {
		go func() {
			w := httptest.NewRecorder()
			s.receiver.ServeHTTP(w, request(t, "POST", path, `{"ref":"1"}`, "Webhook-Id", "x"))
			answers <- w.Code
		}()
	}
	<-g.reached
	<-g.reached
	select {
	case status := <-answers:
		t.Fatalf("answered with %d before anything is stored", status)
	default:
	}
	close(g.open)
	if a, b := <-answers, <-answers; a != 202 || b != 202 {
		t.Errorf("the answers are %d and %d", a, b)
	}
	s.only()
}

func TestAFullMailbox(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	for range 1000 {
		s.post(202, path, `{"ref":"1"}`)
	}
	if answer := s.post(429, path, `{"ref":"1"}`); answer.Header.Get("Retry-After") == "" {
		t.Error("it is not said when to try again")
	}
	s.inbox()
	s.post(202, path, `{"ref":"1"}`)
}

func TestRate(t *testing.T) {
	s := newStand(t, webhook.Source{Rate: 2, Burst: 3}, nil)
	for range 3 {
		s.post(202, path, "{}")
	}
	if answer := s.post(429, path, "{}"); answer.Header.Get("Retry-After") == "" {
		t.Error("it is not said when to try again")
	}
	s.at = s.at.Add(500e6)
	s.post(202, path, "{}")
	s.post(429, path, "{}")
}

func TestConsentToSend(t *testing.T) {
	for _, c := range []struct {
		settings webhook.Source
		origin   string
		want     int
		rate     string
	}{
		{webhook.Source{}, "example.com", 405, ""},
		{webhook.Source{Origins: []string{"example.com"}}, "example.com", 200, "*"},
		{webhook.Source{Origins: []string{"example.com"}, Rate: 2}, "Example.com", 200, "120"},
		{webhook.Source{Origins: []string{"example.com"}}, "evil.example.com", 405, ""},
		{webhook.Source{Origins: []string{"example.com"}}, "", 405, ""},
		{webhook.Source{Origins: []string{"*"}}, "anybody.example", 200, "*"},
	} {
		called := make(chan struct{}, 1)
		callback := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- struct{}{} }))
		s := newStand(t, c.settings, nil)
		answer := s.serve(request(t, "OPTIONS", path, "", "WebHook-Request-Origin", c.origin, "WebHook-Request-Callback", callback.URL, "WebHook-Request-Rate", "1000"))
		callback.Close()
		allowed := answer.Header.Get("WebHook-Allowed-Origin")
		if answer.StatusCode != c.want || answer.Header.Get("WebHook-Allowed-Rate") != c.rate || (allowed == c.origin && allowed != "") != (c.want == 200) {
			t.Errorf("%+v asked by %q: %d, %v", c.settings, c.origin, answer.StatusCode, answer.Header)
		}
		if answer.Header.Get("Allow") != "POST" {
			t.Errorf("it allows %q", answer.Header.Get("Allow"))
		}
		if len(called) > 0 {
			t.Error("the callback was called")
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	for want, settings := range map[string]webhook.Source{
		"empty":             {Secrets: []string{"raw", ""}},
		"base64":            {Secrets: []string{"whsec_!secret!"}},
		"tolerance":         {Tolerance: -1},
		"conflict status":   {ConflictStatus: 302},
		"rate":              {Rate: -1},
		"burst":             {Burst: 1},
		"greatest body":     {MaxBody: -1},
		`source "pay.more"`: {ConflictStatus: 500},
	} {
		_, err := webhook.New(nil, webhook.Options{Sources: map[string]webhook.Source{"pay.more": settings}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "!secret!") {
			t.Errorf("%+v: %v, want %q", settings, err, want)
		}
	}
}

// TestMountedBeneathAPath serves the receiver beneath a prefix of an existing mux.
func TestMountedBeneathAPath(t *testing.T) {
	s := newStand(t, webhook.Source{}, nil)
	mux := http.NewServeMux()
	mux.Handle("/hooks/", http.StripPrefix("/hooks", s.receiver))
	for target, want := range map[string]int{"/hooks" + path: 202, path: 404, "/hooks/webhooks/pay/payment%43hanged": 202, "/hooks/webhooks/pay/a%2Fb": 404} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, request(t, "POST", target, `{"ref":"1"}`))
		if w.Code != want {
			t.Errorf("%s: %d, want %d", target, w.Code, want)
		}
	}
}

// TestABurstOfDuplicates has 10,000 duplicates, of which each is acknowledged.
func TestABurstOfDuplicates(t *testing.T) {
	s := newStand(t, webhook.Source{Secrets: []string{secret}}, nil)
	const body = `{"ref":"1"}`
	for i := range 10_000 {
		w := httptest.NewRecorder()
		s.receiver.ServeHTTP(w, request(t, "POST", path, body, signed(t, secret, "x", noon, body)...))
		if w.Code != 202 {
			t.Fatalf("message %d: %d", i, w.Code)
		}
	}
	s.only()
	if got, err := s.hub.Repeats(t.Context(), "run"); err != nil || fmt.Sprint(got) != "[{1 9999 0}]" {
		t.Errorf("repeats: %+v, %v", got, err)
	}
}
