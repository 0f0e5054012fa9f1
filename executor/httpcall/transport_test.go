package httpcall

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

func TestStatement07ATransportForAnyProgramSendsOnce(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "GET"} {
		server := newRawServer(t, onceOK("reset", (*rawConn).reset))
		client := newClient(t, Options{}).HTTPClient()
		if status := bare(t, client, "GET", server.url+"/first", "", ""); status != http.StatusOK {
			t.Fatal(status)
		}
		// With a body that could be replayed, and a key: net/http would send it again.
		request, err := http.NewRequestWithContext(t.Context(), method, server.url+"/t", strings.NewReader(`{"n":1}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Idempotency-Key", "k")
		_, err = client.Do(request)
		server.mustFire(t, "reset")
		var send *SendError
		if !errors.As(err, &send) || send.Class != idempotency.Unknown || send.Reason == "" {
			t.Errorf("%s: %v", method, err)
		}
		if n := len(server.arrived("/t")); n != 1 {
			t.Errorf("%s: %d requests arrived", method, n)
		}
	}
}

func TestStatement09ATransportTellsTheClass(t *testing.T) {
	client := newClient(t, Options{}).HTTPClient()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client is gone
		<-r.Context().Done()
	}))
	defer silent.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	for url, want := range map[string]idempotency.Class{closed.URL: idempotency.NotSent, silent.URL: idempotency.Unknown} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = client.Do(request)
		cancel()
		var send *SendError
		if !errors.As(err, &send) || send.Class != want {
			t.Errorf("%s: %v, want %s", url, err, want)
		}
	}
	short, err := http.NewRequestWithContext(t.Context(), http.MethodPost, silent.URL, io.NopCloser(strings.NewReader("x")))
	if err != nil {
		t.Fatal(err)
	}
	short.ContentLength = 7
	var send *SendError
	if _, err := client.Do(short); !errors.As(err, &send) || send.Class != idempotency.NotSent {
		t.Errorf("a body that is cut short: %v", err)
	}
}

func TestATransportGivesWholeResponses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("X-Host", r.Host)
		if r.URL.Path == "/gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprintf(z, "%s %s", r.Method, body)
			z.Close()
			return
		}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprintf(w, "%s %s", r.Method, body)
	}))
	defer server.Close()
	client := newClient(t, Options{}).HTTPClient()
	for path, status := range map[string]int{"/": http.StatusAccepted, "/gzip": http.StatusOK} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "shop.example"
		r, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "POST hello" || r.StatusCode != status || r.Header.Get("X-Host") != "shop.example" || r.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %s %v %q %v", path, r.Status, r.Header, body, err)
		}
	}
}

func TestStatement08RedirectsOfAnHTTPClient(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "other %s %q %q", r.Method, r.Header.Get("Idempotency-Key"), r.Header.Get("X-Secret"))
	}))
	defer other.Close()
	posts := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		var to string
		if r.Method == http.MethodPost {
			posts++
		}
		if _, err := fmt.Sscanf(r.URL.Path, "/%d/%s", &status, &to); err != nil {
			fmt.Fprintf(w, "here %s %q %q", r.Method, r.Header.Get("Idempotency-Key"), r.Header.Get("X-Secret"))
			return
		}
		if to == "other" {
			to = other.URL
		}
		w.Header().Set("Location", map[bool]string{true: to, false: "/" + to}[strings.HasPrefix(to, "http")])
		w.WriteHeader(status)
	}))
	defer server.Close()
	client := newClient(t, Options{}).HTTPClient()
	tests := []struct {
		method, path string
		status       int
		body         string
	}{
		{"POST", "/307/there", 307, ""},
		{"POST", "/308/other", 308, ""},
		{"POST", "/302/there", 302, ""},
		{"POST", "/303/other", 303, ""},
		{"POST", "/303/there", 200, `here GET "" "s"`},
		{"PUT", "/307/there", 307, ""},
		{"GET", "/302/there", 200, `here GET "" "s"`},
		{"GET", "/302/other", 200, `other GET "" ""`},
	}
	for _, test := range tests {
		posts = 0
		request, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Idempotency-Key", "k")
		request.Header.Set("X-Secret", "s")
		r, err := client.Do(request)
		if err != nil {
			t.Errorf("%s %s: %v", test.method, test.path, err)
			continue
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != test.status || string(body) != test.body || posts > 1 {
			t.Errorf("%s %s: %d %s (%v), %d POSTs; want %d %s", test.method, test.path, r.StatusCode, body, err, posts, test.status, test.body)
		}
	}
}
