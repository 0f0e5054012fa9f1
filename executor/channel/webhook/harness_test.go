package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/memory"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// stand is a receiver over a Hub in memory, with one run that expects its payments.
type stand struct {
	t        testing.TB
	at       time.Time
	hub      *memory.Hub
	keeper   channel.Keeper // before the hub; nil: none
	receiver *webhook.Receiver
	tokens   map[string]string
	read     []*executor.Message
}

// payments is the mailbox of the run: payments whose reference is 1.
func payments(t testing.TB) executor.Mailbox {
	where, err := executor.ParseLocator("$message.payload#/ref")
	if err != nil {
		t.Fatal(err)
	}
	return executor.Mailbox{
		Name: "paid", Kind: executor.WebhookBox, Source: "pay", Operation: "paymentChanged",
		Expect: []executor.Expectation{{Box: "paid", Where: where, Value: value.String("1")}},
	}
}

const path = "/webhooks/pay/paymentChanged"

func newStand(t testing.TB, settings webhook.Source, change func(s *stand, boxes []executor.Mailbox)) *stand {
	t.Helper()
	s := &stand{t: t, at: noon}
	s.hub = memory.New(memory.Options{Now: func() time.Time { return s.at }})
	boxes := []executor.Mailbox{payments(t), {Name: "done", Kind: executor.CallbackBox, Source: "pay", Operation: "done", Scoped: true}}
	if change != nil {
		change(s, boxes)
	}
	if s.keeper == nil {
		s.keeper = s.hub
	}
	receiver, err := webhook.New(s.keeper, webhook.Options{Now: func() time.Time { return s.at }, Sources: map[string]webhook.Source{"pay": settings}})
	if err != nil {
		t.Fatal(err)
	}
	s.receiver = receiver
	if s.tokens, err = s.hub.Open(t.Context(), "run", boxes); err != nil {
		t.Fatal(err)
	}
	return s
}

// request makes a request with header fields in pairs.
func request(t testing.TB, method, target, body string, fields ...string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
	for i := 0; i < len(fields); i += 2 {
		r.Header.Add(fields[i], fields[i+1])
	}
	return r
}

func (s *stand) serve(r *http.Request) *http.Response {
	s.t.Helper()
	w := httptest.NewRecorder()
	s.receiver.ServeHTTP(w, r)
	answer := w.Result()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	problem := answer.StatusCode >= 400
	if isProblem := answer.Header.Get("Content-Type") == "application/problem+json"; isProblem != problem || (len(body) > 0) != problem {
		s.t.Errorf("%d comes with %q: %s", answer.StatusCode, answer.Header, body)
	}
	if answer.StatusCode >= 300 && answer.StatusCode <= 399 {
		s.t.Errorf("the answer is a redirect: %d", answer.StatusCode)
	}
	return answer
}

// post sends a message and wants a status.
func (s *stand) post(want int, target, body string, fields ...string) *http.Response {
	s.t.Helper()
	answer := s.serve(request(s.t, http.MethodPost, target, body, fields...))
	if answer.StatusCode != want {
		s.t.Fatalf("POST %s %.80s: %d, want %d", target, body, answer.StatusCode, want)
	}
	return answer
}

// inbox gives what the run has got so far, and reads it.
func (s *stand) inbox() []*executor.Message {
	s.t.Helper()
	for {
		w, err := s.hub.Wait(s.t.Context(), "run", len(s.read))
		if err != nil {
			s.t.Fatal(err)
		}
		m, err := w.Next(s.t.Context())
		w.Stop()
		if err != nil {
			s.t.Fatal(err)
		}
		if m == nil {
			return s.read
		}
		s.read = append(s.read, m)
	}
}

func (s *stand) only() *executor.Message {
	s.t.Helper()
	all := s.inbox()
	if len(all) != 1 {
		s.t.Fatalf("the run has %d messages, want 1", len(all))
	}
	return all[0]
}

func (s *stand) strays() []executor.Stray {
	s.t.Helper()
	all, err := s.hub.Strays(s.t.Context(), "run")
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// broken is a keeper that fails.
type broken struct {
	channel.Keeper
	find, keep, refuse bool
	// kept is how many messages it keeps before it fails.
	kept int
}

var errDisk = errors.New("no disk")

func (b *broken) Find(ctx context.Context, target channel.Target) (channel.Known, bool, error) {
	if b.find {
		return channel.Known{}, false, errDisk
	}
	return b.Keeper.Find(ctx, target)
}

func (b *broken) Keep(ctx context.Context, a channel.Arrival) (channel.Kept, error) {
	if b.keep && b.kept == 0 {
		return channel.Kept{}, errDisk
	}
	b.kept--
	return b.Keeper.Keep(ctx, a)
}

func (b *broken) Refuse(ctx context.Context, r channel.Refused) error {
	if b.refuse {
		return errDisk
	}
	return b.Keeper.Refuse(ctx, r)
}

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// signed gives the header fields of a signed message.
func signed(t testing.TB, secret, id string, at time.Time, body string) []string {
	t.Helper()
	signature, err := webhook.Sign(secret, id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"webhook-id", id, "webhook-timestamp", fmt.Sprint(at.Unix()), "webhook-signature", signature}
}
