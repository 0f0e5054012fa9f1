package middleware_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/idempotency/middleware"
)

// write writes a part of a body, as a handler does that does not look at the error.
func write(w io.Writer, part string) { _, _ = io.WriteString(w, part) }

// heard is what a client hears.
type heard struct {
	status  int
	header  string
	body    string
	cut     bool // the body did not come to its end
	trailer string
}

func exchange(t *testing.T, client *http.Client, method, url, key string) (h heard, replayed bool) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url+"/orders", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Idempotency-Key", key)
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	replayed = response.Header.Get(middleware.ReplayedHeader) == "true"
	for _, ours := range []string{"Date", middleware.ReplayedHeader} {
		response.Header.Del(ours)
	}
	if response.TransferEncoding != nil || response.ContentLength >= 0 && method != http.MethodHead {
		response.Header.Del("Content-Length") // how a body is framed is not kept
	}
	return heard{response.StatusCode, fmt.Sprint(response.Header), string(body), err != nil, fmt.Sprint(response.Trailer)}, replayed
}

// serve gives the URL of a handler on a real server.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// TestStatement26AnswersAreThoseOfTheBareHandler holds what a client hears, the first
// time and when replayed, against what it hears where the handler stands alone.
func TestStatement26AnswersAreThoseOfTheBareHandler(t *testing.T) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	handlers := map[string]http.HandlerFunc{
		"nothing at all":     func(http.ResponseWriter, *http.Request) {},
		"a status only":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) },
		"a body only":        func(w http.ResponseWriter, _ *http.Request) { write(w, "plain") },
		"a body of HTML":     func(w http.ResponseWriter, _ *http.Request) { write(w, "<html><body>x") },
		"no content, a body": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent); write(w, "x") },
		"not modified":       func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified); write(w, "x") },
		"two statuses": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			w.WriteHeader(http.StatusTeapot)
			write(w, "x")
		},
		"a field after the body": func(w http.ResponseWriter, _ *http.Request) {
			write(w, "x")
			w.Header().Set("X-Late", "1")
		},
		"early hints": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "</a.css>")
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("Link", "</b.css>")
			w.WriteHeader(http.StatusCreated)
			write(w, "x")
		},
		"the length that is declared": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			write(w, "12")
			write(w, "345")
		},
		"more than is declared": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			write(w, "12")
			if n, err := io.WriteString(w, "345"); n != 0 || err == nil {
				panic("the handler is not told")
			}
		},
		"a length and no body to HEAD": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "2")
			write(w, "12")
		},
		"a field twice": func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["X-Twice"] = []string{"a", "b"}
			w.Header().Set("Set-Cookie", "a=b")
			w.Header()["Content-Type"] = nil // asks for none
			write(w, "x")
		},
		"the mark of another's replay": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(middleware.ReplayedHeader, "true")
			write(w, "x")
		},
	}
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		t.Run(name, func(t *testing.T) {
			bare := serve(t, handlers[name])
			wrapped := serve(t, wrap(t, func(o *middleware.Options) {
				o.Methods = []string{http.MethodPost, http.MethodHead, http.MethodGet}
			}, handlers[name]))
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodHead} {
				want, _ := exchange(t, client, method, bare, "k")
				for n := range 2 {
					got, replayed := exchange(t, client, method, wrapped, "k")
					if got != want || replayed != (n > 0) {
						t.Errorf("%s, answer %d: %+v, replayed %v; the handler alone: %+v", method, n, got, replayed, want)
					}
				}
			}
		})
	}
}

// An answer that the bare server would break off, or send piece by piece, is refused
// whole: no client may take a part of it for all, and the repeat gets the same refusal.
func TestStatement28AnswersThatAreNotWhole(t *testing.T) {
	for kind, handler := range map[string]http.HandlerFunc{
		"answer-incomplete": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			write(w, "12")
		},
		"answer-streams": func(w http.ResponseWriter, _ *http.Request) {
			write(w, "x")
			w.Header().Set(http.TrailerPrefix+"Checksum", "1")
		},
	} {
		calls := 0
		h := wrap(t, func(o *middleware.Options) { o.ServerErrors = middleware.RerunServerErrors },
			func(w http.ResponseWriter, r *http.Request) { calls++; handler(w, r) })
		wantProblem(t, send(h, request("k", `{}`)), http.StatusInternalServerError, kind)
		if body := wantStatus(t, send(h, request("k", `{}`)), http.StatusInternalServerError, true); !strings.Contains(body, kind) {
			t.Errorf("replayed: %s", body)
		}
		if calls != 1 {
			t.Errorf("%s: the handler ran %d times", kind, calls)
		}
	}
}

// A handler that takes the connection over, or changes the protocol, has no answer
// that could be kept.
func TestStatement28ConnectionsAreNotGivenAway(t *testing.T) {
	h := wrap(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		if _, ok := w.(http.Hijacker); ok {
			t.Error("the answer can be hijacked")
		}
		if _, _, err := http.NewResponseController(w).Hijack(); err == nil {
			t.Error("the connection is given away")
		}
		if _, ok := w.(http.Flusher); ok {
			t.Error("the answer can be flushed")
		}
		w.WriteHeader(http.StatusSwitchingProtocols)
	})
	wantProblem(t, send(h, request("k", `{}`)), http.StatusInternalServerError, "answer-streams")
}

func TestStatement28AnswersOfExactlyTheLimit(t *testing.T) {
	for size, want := range map[int]int{9: http.StatusOK, 10: http.StatusOK, 11: http.StatusInternalServerError} {
		h := wrap(t, func(o *middleware.Options) { o.MaxAnswer = 10 }, func(w http.ResponseWriter, _ *http.Request) {
			for range size {
				write(w, "x")
			}
		})
		for n := range 2 {
			if body := wantStatus(t, send(h, request("k", `{}`)), want, n > 0); want == http.StatusOK && len(body) != size {
				t.Errorf("of %d bytes %d came", size, len(body))
			}
		}
	}
}
