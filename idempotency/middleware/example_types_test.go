package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/middleware"
)

// ask sends a POST with a key and prints what comes back.
func ask(server http.Handler, path, key, who string) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{}`))
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("X-Client", who)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	fmt.Printf("%d %#q, replayed %t\n", w.Code, w.Body, w.Header().Get(middleware.ReplayedHeader) == "true")
}

// A service that knows its clients, keeps answers for a week, and waits a little for
// another request with the same key.
func ExampleOptions() {
	keys, err := middleware.New(middleware.Options{
		Store: memory.New(time.Now),
		Principal: func(r *http.Request) (string, error) {
			if client := r.Header.Get("X-Client"); client != "" {
				return client, nil
			}
			return "", errors.New("no client")
		},
		Scope:        func(r *http.Request) string { return r.Method + " " + r.Pattern },
		ServerErrors: middleware.ReplayServerErrors,
		MaxBody:      64 << 10,
		Retention:    7 * 24 * time.Hour,
		Wait:         5 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	orders := 0
	server := keys.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		orders++
		fmt.Fprint(w, "order ", orders)
	}))
	ask(server, "/orders", "1", "shop")
	ask(server, "/orders", "1", "shop")
	ask(server, "/orders", "1", "other shop")
	// Output:
	// 200 `order 1`, replayed false
	// 200 `order 1`, replayed true
	// 200 `order 2`, replayed false
}

// A handler that undoes what it did before it fails may run again.
func ExampleServerErrors() {
	for _, setting := range []middleware.ServerErrors{middleware.ReplayServerErrors, middleware.RerunServerErrors} {
		keys, err := middleware.New(middleware.Options{
			Store: memory.New(time.Now), Principal: middleware.Anyone, ServerErrors: setting,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		calls := 0
		server := keys.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if calls++; calls == 1 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		}))
		ask(server, "/orders", "1", "")
		ask(server, "/orders", "1", "")
	}
	// Output:
	// 503 ``, replayed false
	// 503 ``, replayed true
	// 503 ``, replayed false
	// 200 ``, replayed false
}

// abandoned gives a store in which a process that died has left a claim; it had noted
// that it made a resource.
func abandoned(resource string) idempotency.Store {
	ctx, store := context.Background(), memory.New(time.Now)
	start := idempotency.Start{
		Claim:       idempotency.Claim{Key: idempotency.RecordKey{Scope: "POST /orders", Key: "1"}, Owner: "dead"},
		Fingerprint: idempotency.FingerprintRequest("POST", "/orders", "", []byte(`{}`)),
		Lease:       time.Minute,
	}
	if _, err := store.Begin(ctx, start); err != nil {
		fmt.Println(err)
	}
	if err := store.Hold(ctx, start.Claim, 0, resource); err != nil { // its lease is over
		fmt.Println(err)
	}
	return store
}

// The hook finds out from the record what became of the request: the repeat gets the
// order that was made.
func ExampleRecover() {
	var look middleware.Recover = func(_ context.Context, left idempotency.Record) (middleware.Verdict, error) {
		if left.Resource == "" {
			return middleware.NothingHappened(), nil
		}
		return middleware.Happened(http.StatusCreated, nil, []byte("made before: "+left.Resource)), nil
	}
	for _, resource := range []string{"order 7", ""} {
		keys, err := middleware.New(middleware.Options{
			Store: abandoned(resource), Principal: middleware.Anyone,
			ServerErrors: middleware.ReplayServerErrors, Recover: look,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		server := keys.Wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "made now: order 8") }))
		ask(server, "/orders", "1", "")
	}
	// Output:
	// 201 `made before: order 7`, replayed true
	// 200 `made now: order 8`, replayed false
}

// Without a hook an operator says what became of the claims that crashes have left.
func ExampleVerdict() {
	ctx := context.Background()
	store := abandoned("order 7")
	keys, err := middleware.New(middleware.Options{
		Store: store, Principal: middleware.Anyone, ServerErrors: middleware.ReplayServerErrors,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	server := keys.Wrap(http.NotFoundHandler())
	ask(server, "/orders", "1", "")
	lapsed, err := store.Lapsed(ctx, 10)
	if err != nil {
		fmt.Println(err)
	}
	for _, left := range lapsed {
		verdict := middleware.Happened(http.StatusCreated, nil, []byte("made before: "+left.Resource))
		fmt.Println(left.Key.Key, left.Resource, keys.Settle(ctx, left, verdict))
	}
	ask(server, "/orders", "1", "")
	// Output:
	// 409 `{"detail":"What became of it is not known yet, and is being looked into.","status":409,"title":"A request with this idempotency key is not settled","type":"urn:weft:idempotency:in-flight"}`, replayed false
	// 1 order 7 <nil>
	// 201 `made before: order 7`, replayed true
}
