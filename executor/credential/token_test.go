package credential

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// oauthAPI is an API with OAuth2, whose client is configured, and its keyring.
func oauthAPI(t *testing.T, api, auth *server, now func() time.Time) (executor.Call, *Keyring) {
	t.Helper()
	set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, secured("[{oauth: [write, read]}]"), "")
	k := ring(t, set, Options{Now: now, Sources: map[string]Source{"my-api": {Auth: map[string]Credential{
		"oauth": OAuth2{ClientID: "id", ClientSecret: planted},
	}}}})
	return callTo(t, set, api.URL), k
}

const atOnce = 50

func TestOneTokenForManyCallsAtOnce(t *testing.T) {
	api, auth := serve(t, nil), issuer(t, 3600)
	call, k := oauthAPI(t, api, auth, nil)
	client := clientWith(t, k)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			if x := client.Call(t.Context(), call); x.Class != idempotency.Succeeded {
				t.Errorf("got %s: %s", x.Class, x.Reason)
			}
		})
	}
	all.Wait()
	auth.only(t)
	if n := len(api.all()); n != atOnce {
		t.Errorf("%d calls came", n)
	}
	for _, r := range api.all() {
		if r.header.Get("Authorization") != "Bearer token-1" {
			t.Errorf("a call had %q", r.header.Get("Authorization"))
		}
	}
}

func TestAllWaitForOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint, held := &slow{takes: time.Second}, newTokens()
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				if token, err := held.get(t.Context(), endpoint, request{}); token != "late" || err != nil {
					t.Errorf("got %q, %v", token, err)
				}
			})
		}
		synctest.Wait()
		if n := endpoint.asked.Load(); n != 1 {
			t.Errorf("%d requests", n)
		}
		all.Wait()
		if n := endpoint.asked.Load(); n != 1 {
			t.Errorf("%d requests at the end", n)
		}
	})
}

func newTokens() *tokens {
	return &tokens{now: time.Now, learn: func(...string) {}, held: map[request]*holder{}}
}

func TestATokenIsRenewedBeforeItEnds(t *testing.T) {
	tests := []struct {
		lifetime    int // seconds
		still, over time.Duration
	}{
		{3600, 3600*time.Second - 31*time.Second, 3600*time.Second - 30*time.Second},
		{100, 89 * time.Second, 90 * time.Second},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.lifetime), func(t *testing.T) {
			now := newClock()
			api, auth := serve(t, nil), issuer(t, test.lifetime)
			call, k := oauthAPI(t, api, auth, now.Now)
			client := clientWith(t, k)
			client.Call(t.Context(), call)
			now.pass(test.still)
			client.Call(t.Context(), call)
			if n := len(auth.all()); n != 1 {
				t.Errorf("%d tokens were asked for while the first holds", n)
			}
			now.pass(test.over - test.still)
			client.Call(t.Context(), call)
			if got := api.all()[2].header.Get("Authorization"); got != "Bearer token-2" {
				t.Errorf("sent %q after the time to renew", got)
			}
		})
	}
}

func TestATokenWithoutEndIsKept(t *testing.T) {
	now := newClock()
	auth := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"access_token":"x1x1","token_type":"bearer"}`)
	})
	call, k := oauthAPI(t, serve(t, nil), auth, now.Now)
	client := clientWith(t, k)
	for range 3 {
		client.Call(t.Context(), call)
		now.pass(1000 * time.Hour)
	}
	auth.only(t)
}

func TestATokenThatCannotBeRenewedAheadOfTimeIsUsedToItsEnd(t *testing.T) {
	now := newClock()
	var down atomic.Bool
	auth := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `{"access_token":"x1x1","token_type":"bearer","expires_in":100}`)
	})
	api := serve(t, nil)
	call, k := oauthAPI(t, api, auth, now.Now)
	client := clientWith(t, k)
	client.Call(t.Context(), call)
	down.Store(true)
	now.pass(95 * time.Second)
	if x := client.Call(t.Context(), call); x.Class != idempotency.Succeeded || len(auth.all()) != 2 {
		t.Errorf("got %s: %s after %d token requests", x.Class, x.Reason, len(auth.all()))
	}
	now.pass(5 * time.Second)
	x := client.Call(t.Context(), call)
	if want := "no token from " + auth.URL + "/token: status 503"; x.Class != idempotency.NotSent || x.Reason != want || x.Refused != "" {
		t.Errorf("got %s: %q (refused %q), expected %q", x.Class, x.Reason, x.Refused, want)
	}
	if n := len(api.all()); n != 2 {
		t.Errorf("%d requests came to the API", n)
	}
}

// refusing is an API that accepts one token only, which the test sets.
func refusing(t *testing.T) (*server, *atomic.Value) {
	t.Helper()
	accepted := &atomic.Value{}
	accepted.Store("token-1")
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+accepted.Load().(string) {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, r.Header.Get("Authorization")) // an echo
		}
	}), accepted
}

func TestATokenThatIsRefusedIsRenewed(t *testing.T) {
	auth := issuer(t, 3600)
	api, accepted := refusing(t)
	call, k := oauthAPI(t, api, auth, nil)
	client := clientWith(t, k)
	if x := client.Call(t.Context(), call); x.Class != idempotency.Succeeded || x.Renewed {
		t.Fatalf("got %s: %s, renewed %t", x.Class, x.Reason, x.Renewed)
	}
	accepted.Store("token-2") // the first is revoked
	x := client.Call(t.Context(), call)
	if x.Response == nil || x.Response.Status != 401 || !x.Renewed || x.Class != idempotency.Rejected {
		t.Fatalf("got %+v", x)
	}
	if x := client.Call(t.Context(), call); x.Class != idempotency.Succeeded || x.Renewed {
		t.Errorf("after the renewal: %s: %s", x.Class, x.Reason)
	}
	if n := len(auth.all()); n != 2 {
		t.Errorf("%d tokens were asked for", n)
	}
	accepted.Store("token-3") // and once more
	if x := client.Call(t.Context(), call); !x.Renewed {
		t.Error("a token that had been accepted was not renewed the second time")
	}
}

func TestAServerThatRefusesEveryTokenIsNotAskedForever(t *testing.T) {
	auth := issuer(t, 3600)
	api, accepted := refusing(t)
	accepted.Store("none")
	call, k := oauthAPI(t, api, auth, nil)
	client := clientWith(t, k)
	var renewed []bool
	for range 4 {
		renewed = append(renewed, client.Call(t.Context(), call).Renewed)
	}
	if fmt.Sprint(renewed) != "[true false false false]" || len(auth.all()) != 2 {
		t.Errorf("renewed %v with %d tokens", renewed, len(auth.all()))
	}
}

func TestManyRefusalsRenewATokenOnce(t *testing.T) {
	const calls = 20
	auth := issuer(t, 3600)
	var waiting sync.WaitGroup
	waiting.Add(calls)
	api := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer token-1" {
			waiting.Done()
			waiting.Wait() // all have the first token
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	call, k := oauthAPI(t, api, auth, nil)
	client := clientWith(t, k)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if x := client.Call(t.Context(), call); !x.Renewed {
				t.Errorf("not renewed: %s: %s", x.Class, x.Reason)
			}
		})
	}
	all.Wait()
	if n := len(auth.all()); n != 2 {
		t.Errorf("%d tokens were asked for", n)
	}
}

func TestARenewalThatFailsIsTold(t *testing.T) {
	n := 0
	auth := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n > 1 {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
			return
		}
		fmt.Fprint(w, `{"access_token":"x1x1","token_type":"bearer"}`)
	})
	api, _ := refusing(t)
	call, k := oauthAPI(t, api, auth, nil)
	x := clientWith(t, k).Call(t.Context(), call)
	want := "no token from " + auth.URL + "/token: status 400 invalid_grant"
	if x.Renewed || len(x.Notices) != 1 || x.Notices[0] != want || x.Response.Status != 401 {
		t.Errorf("renewed %t, notices %q, expected %q", x.Renewed, x.Notices, want)
	}
}

func TestOnlyTokensAreRenewed(t *testing.T) {
	api := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	for _, security := range []string{"[{bearer: []}]", "[{basic: []}]", "[{keyHeader: []}]", "[]"} {
		set := load(t, "[{url: '"+api.URL+"'}]", api.URL, secured(security), "")
		k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: all()}}})
		if x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL)); x.Renewed || x.Response.Status != 401 {
			t.Errorf("%s: got %+v", security, x)
		}
	}
}

// slow is a token endpoint that answers when its time is over, or gives up.
type slow struct {
	takes    time.Duration
	asked    atomic.Int32
	finished atomic.Int32
}

func (s *slow) Call(ctx context.Context, _ executor.Call) executor.Exchange {
	s.asked.Add(1)
	defer s.finished.Add(1)
	select {
	case <-ctx.Done():
		return executor.Exchange{Class: idempotency.NotSent, Reason: "cancelled"}
	case <-time.After(s.takes):
		return executor.Exchange{Response: &executor.Response{Status: 200, Body: []byte(`{"access_token":"late","token_type":"bearer"}`)}}
	}
}

func TestWhoWaitsGoesAwayAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint := &slow{takes: 10 * time.Second}
		held := newTokens()
		r := request{endpoint: "https://id.example.com/token?client=planted"}
		var all sync.WaitGroup
		all.Go(func() {
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errTest)
			defer cancel()
			_, err := held.get(ctx, endpoint, r)
			if want := "no token from https://id.example.com/token: out of patience"; err == nil || err.Error() != want {
				t.Errorf("got %v, expected %q", err, want)
			}
		})
		synctest.Wait() // it is the one who began the request
		all.Go(func() {
			if token, err := held.get(t.Context(), endpoint, r); token != "late" || err != nil {
				t.Errorf("the one who waited on got %q, %v", token, err)
			}
		})
		all.Wait()
		if n := endpoint.asked.Load(); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
}

var errTest = errors.New("out of patience")

func TestARequestThatNobodyWaitsForIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endpoint := &slow{takes: time.Hour}
		held := newTokens()
		r := request{endpoint: "https://id.example.com/token"}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		if _, err := held.get(ctx, endpoint, r); err == nil || !strings.HasSuffix(err.Error(), ": cancelled") {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if asked, finished := endpoint.asked.Load(), endpoint.finished.Load(); asked != 1 || finished != 1 {
			t.Errorf("%d requests, of which %d have ended", asked, finished)
		}
		endpoint.takes = time.Second
		if token, err := held.get(t.Context(), endpoint, r); token != "late" || err != nil {
			t.Errorf("the next one got %q, %v", token, err)
		}
	})
}

func TestATokenEndpointThatHangsIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := newTokens()
		began := time.Now()
		_, err := held.get(t.Context(), &slow{takes: 24 * time.Hour}, request{endpoint: "https://id.example.com/token"})
		if took := time.Since(began); err == nil || took != TokenTimeout {
			t.Errorf("it took %s: %v", took, err)
		}
	})
}

func TestTheAttemptsTimeoutIsThatOfItsTokenToo(t *testing.T) {
	release := make(chan struct{})
	auth := serve(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	api := serve(t, nil)
	call, k := oauthAPI(t, api, auth, nil)
	call.Timeout = 30 * time.Millisecond
	x := clientWith(t, k).Call(t.Context(), call)
	if want := "no token from " + auth.URL + "/token: timeout"; x.Class != idempotency.NotSent || x.Reason != want {
		t.Errorf("got %s: %q, expected %q", x.Class, x.Reason, want)
	}
	if len(api.all()) > 0 {
		t.Error("the call was sent without a token")
	}
}
