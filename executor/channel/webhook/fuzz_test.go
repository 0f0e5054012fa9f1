package webhook_test

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

// recorder keeps whatever comes to any address.
type recorder struct {
	kept    []channel.Arrival
	refused int
}

func (r *recorder) Find(_ context.Context, target channel.Target) (channel.Known, bool, error) {
	return channel.Known{Place: channel.Place{Source: target.Source, Name: strings.Join(target.Rest, "/")}, Source: target.Source, Methods: []string{"POST"}}, true, nil
}

func (r *recorder) Keep(_ context.Context, a channel.Arrival) (channel.Kept, error) {
	r.kept = append(r.kept, a)
	return channel.Kept{Outcome: channel.Stored, Run: "run", Number: len(r.kept)}, nil
}

func (r *recorder) Refuse(context.Context, channel.Refused) error {
	r.refused++
	return nil
}

// FuzzReceiver takes any request: it is answered, and what is acknowledged is kept as it
// came, without credentials.
func FuzzReceiver(f *testing.F) {
	f.Add("/webhooks/pay/changed?a=1", "Content-Type: application/json\nwebhook-id: msg", []byte(`{"ref":"1"}`))
	f.Add("/channels/bus/a/b", "ce-specversion: 1.0\nce-source: /pay%20\nce-id: \"1\\\"\"", []byte("x"))
	f.Add("/callbacks/token/rest", "Content-Type: application/cloudevents+json", []byte(event("1", `,"data":[1]`)))
	f.Add("/webhooks/pay/changed", "Content-Type: application/cloudevents-batch+json; charset=utf-8\nwebhook-id: msg", []byte("["+event("1", "")+`,{},null,7]`))
	f.Add("/webhooks/signed/changed", "webhook-id: msg\nwebhook-timestamp: 1767355200\nwebhook-signature: v1,AAAA v1a,BBBB", []byte("x"))
	f.Add("/webhooks/signed/changed", "Authorization: x\nCookie: x\nSignature: x", []byte(nil))
	f.Fuzz(func(t *testing.T, target, header string, body []byte) {
		u, err := url.ParseRequestURI(target)
		fields, headerErr := textproto.NewReader(bufio.NewReader(strings.NewReader(header + "\n\n"))).ReadMIMEHeader()
		if err != nil || headerErr != nil || len(body) > 1<<16 {
			t.Skip()
		}
		keeper := &recorder{}
		receiver, err := webhook.New(keeper, webhook.Options{
			Now: func() time.Time { return noon }, Sources: map[string]webhook.Source{"signed": {Secrets: []string{secret}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body)))
		r.URL, r.Header = u, http.Header(fields)
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, r)
		switch {
		case w.Code == http.StatusAccepted:
		case w.Code >= 400 && w.Code <= 499 && len(keeper.kept) == 0:
			return
		default:
			t.Fatalf("%d with %d messages kept", w.Code, len(keeper.kept))
		}
		checkKept(t, keeper.kept, body)
	})
}

func checkKept(t *testing.T, kept []channel.Arrival, body []byte) {
	t.Helper()
	if len(kept) == 1 && string(kept[0].Body) != string(body) && !strings.Contains(string(body), string(kept[0].Body)) {
		t.Errorf("the body %q is kept as %q", body, kept[0].Body)
	}
	for _, a := range kept {
		if a.Place.Source == "signed" {
			t.Errorf("what is not signed is kept: %+v", a)
		}
		if len(a.Identity) > 300 {
			t.Errorf("the identity has %d bytes", len(a.Identity))
		}
		for name := range a.Header {
			lower := strings.ToLower(name)
			if strings.Contains(lower, "authorization") || strings.Contains(lower, "signature") || lower == "cookie" {
				t.Errorf("%s is kept", name)
			}
			if name != textproto.CanonicalMIMEHeaderKey(name) {
				t.Errorf("%q is not canonical", name)
			}
		}
		channel.DigestOf(a.Message("box"))
	}
}

// FuzzPaths reads any path, and reads again what is built from what was read.
func FuzzPaths(f *testing.F) {
	for _, path := range []string{"/webhooks/a/b", "/channels/a/b/c%2Fd/", "/callbacks/t/x", "/webhooks/%2E/.."} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		target, ok := webhook.ParsePath(path)
		if !ok || target.Kind != executor.WebhookBox {
			return
		}
		box := executor.Mailbox{Kind: target.Kind, Source: target.Source, Operation: target.Rest[0]}
		built := webhook.FixedPath(box)
		again, ok := webhook.ParsePath(built)
		if target.Rest[0] != "" && (!ok || again.Source != target.Source || again.Rest[0] != target.Rest[0]) {
			t.Errorf("%q is built as %q, which leads to %+v", path, built, again)
		}
	})
}
