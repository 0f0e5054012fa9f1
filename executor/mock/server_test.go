package mock_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor/mock"
)

func TestListenOnAPortThatIsTaken(t *testing.T) {
	server, c := play(t, orderFlow(t))
	_, _, err := server.Listen(strings.TrimPrefix(c.base, "http://"))
	if err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("error %v", err)
	}
}

func TestListenTwice(t *testing.T) {
	server, first := play(t, orderFlow(t))
	base, end, err := server.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	second := &client{t: t, base: base, http: first.http}
	first.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	second.expect(200, "GET", "/orders/ord-1", "")
	if err := end(); err != nil {
		t.Error(err)
	}
	first.expect(200, "GET", "/orders/ord-1", "")
}

func TestASourceWithoutACatalog(t *testing.T) {
	_, c := play(t, []mock.Source{{Name: "empty"}})
	if a := c.expect(404, "GET", "/x", ""); !strings.Contains(a.get("detail"), "There are: none.") {
		t.Errorf("answered %s", a.Body)
	}
}

func TestCloseLetsNothingHang(t *testing.T) {
	fired := make(chan mock.PlannedFault, 1)
	server := mock.New(orderFlow(t), mock.Options{OnFault: func(f mock.PlannedFault) { fired <- f }})
	plan(t, server, mock.Fault{Operation: "getOrder", Kind: mock.HangBeforeEffect})
	ended := make(chan any, 1)
	go func() {
		defer func() { ended <- recover() }()
		// A recorder has no connection to reset, so the request is aborted.
		server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/orders/ord-1", nil))
	}()
	<-fired
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if got, _ := (<-ended).(error); !errors.Is(got, http.ErrAbortHandler) {
		t.Errorf("ended with %v", got)
	}
}

func TestResetOverHTTP2(t *testing.T) {
	server := mock.New(orderFlow(t), mock.Options{})
	plan(t, server, mock.Fault{Operation: "createOrder", Kind: mock.ResetAfterEffect})
	https := httptest.NewUnstartedServer(server)
	https.EnableHTTP2 = true
	https.StartTLS()
	defer https.Close()
	c := &client{t: t, base: https.URL, http: https.Client()}
	_, err := c.try(context.Background(), "POST", "/orders", newOrder, "Idempotency-Key: k")
	var unwrapped *url.Error
	if !errors.As(err, &unwrapped) || !strings.Contains(err.Error(), "INTERNAL_ERROR") {
		t.Errorf("error %v, expected a stream that is reset", err)
	}
	wantFired(t, server, 1)
	again := c.expect(201, "POST", "/orders", newOrder, "Idempotency-Key: k")
	if again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("not replayed")
	}
	wantEffects(t, server, "createOrder k x1")
}

// FuzzServe sends what nobody would: whatever comes, there is one whole answer.
func FuzzServe(f *testing.F) {
	for _, seed := range []struct{ method, target, contentType, key, body string }{
		{"POST", "/orders", "application/json", "k", newOrder},
		{"POST", "/payments/payments", "application/json; charset=utf-8", "k", newPayment},
		{"GET", "/payments/by-reference/r%2F1?x=1&x", "", "", ""},
		{"PUT", "/shelves/1/books/9", "application/merge-patch+json", "", `{"isbn":null}`},
		{"POST", "/shelves/1/books", "application/x-www-form-urlencoded", "", "a=%zz"},
		{"HEAD", "//", "*/*", "", "\xff"},
		{"PATCH", "/orders/ord-1/close", "text/plain", "", "[[[["},
	} {
		f.Add(seed.method, seed.target, seed.contentType, seed.key, seed.body)
	}
	sources := append(orderFlow(f), api(f, "3.0.3", books)...)
	f.Fuzz(func(t *testing.T, method, target, contentType, key, body string) {
		at, err := url.ParseRequestURI(target)
		if err != nil || method == "" {
			return
		}
		r := &http.Request{
			Method: method, URL: at, Header: http.Header{}, Body: http.NoBody,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "localhost",
		}
		if body != "" {
			r.Body = http.MaxBytesReader(nil, noClose{strings.NewReader(body)}, 1<<20)
		}
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Idempotency-Key", key)
		server := mock.New(sources, mock.Options{})
		for range 2 {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r.Clone(t.Context()))
			if w.Code < 200 || w.Code > 599 {
				t.Errorf("status %d", w.Code)
			}
			if strings.HasSuffix(w.Header().Get("Content-Type"), "json") && !json.Valid(w.Body.Bytes()) {
				t.Errorf("no JSON: %s", w.Body)
			}
		}
	})
}

type noClose struct{ *strings.Reader }

func (noClose) Close() error { return nil }

// BenchmarkKeyedPOST is one order, without a network.
func BenchmarkKeyedPOST(b *testing.B) {
	server := mock.New(orderFlow(b), mock.Options{})
	n := 0
	for b.Loop() {
		n++
		r := httptest.NewRequest("POST", "/orders/orders", strings.NewReader(newOrder))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", "k-"+strings.Repeat("x", n%50)+string(rune('a'+n%26)))
		server.ServeHTTP(httptest.NewRecorder(), r)
	}
}
