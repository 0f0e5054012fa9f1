package httpcall

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// redirecting answers requests for /t by a redirect, others by 200.
func redirecting(status int, location func() string) func(*rawConn) {
	return func(c *rawConn) {
		for {
			r := c.read()
			if r == nil {
				return
			}
			if strings.Contains(r.head, " /t ") || strings.Contains(r.head, " /t?") {
				c.server.fire("redirect")
				c.answer(status, "", "Location: "+location())
				continue
			}
			if strings.HasPrefix(r.head, "HEAD") {
				c.answer(http.StatusOK, "")
				continue
			}
			c.answer(http.StatusOK, "there")
		}
	}
}

func secretHeaders(call executor.Call) executor.Call {
	for _, name := range []string{"Authorization", "X-Api-Key", "Accept"} {
		call.Arguments = append(call.Arguments, executor.Argument{Name: name, In: "header", Value: value.String("v-" + name)})
	}
	call.Arguments = append(call.Arguments, executor.Argument{Name: "session", In: "cookie", Value: value.String("s")})
	return call
}

func TestStatement08RedirectsOfEffectfulRequestsAreNotFollowed(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		for _, kind := range kinds[:4] {
			t.Run(fmt.Sprint(status, " ", kind.name), func(t *testing.T) {
				server := newRawServer(t, redirecting(status, func() string { return "/elsewhere" }))
				got := do(t, newClient(t, Options{}), kind.call(server.url))
				server.mustFire(t, "redirect")
				if n := len(server.arrived("/")); n != 1 {
					t.Errorf("%d requests arrived", n)
				}
				if got.Class != idempotency.Rejected || got.Response == nil || got.Response.Status != status {
					t.Errorf("got %s: %s, %+v", got.Class, got.Reason, got.Response)
				}
			})
		}
	}
}

func TestStatement08SeeOtherIsFollowedOnceInTheSameOrigin(t *testing.T) {
	server := newRawServer(t, redirecting(http.StatusSeeOther, func() string { return "/elsewhere" }))
	got := do(t, newClient(t, Options{}), secretHeaders(withKey(withBody(aCall("POST", server.url, "/t")))))
	server.mustFire(t, "redirect")
	arrived := server.arrived("/")
	if len(arrived) != 2 || !strings.HasPrefix(arrived[1].head, "GET /elsewhere ") || arrived[1].body != "" {
		t.Fatalf("arrived %+v", arrived)
	}
	if strings.Contains(arrived[1].head, "Idempotency-Key") || strings.Contains(arrived[1].head, "Content-Type") {
		t.Errorf("the GET carries what was meant for the POST:\n%s", arrived[1].head)
	}
	if got.Class != idempotency.Succeeded || got.Response == nil || string(got.Response.Body) != "there" {
		t.Errorf("got %s: %s, %+v", got.Class, got.Reason, got.Response)
	}
	if got.Sent.Method != "POST" || got.Sent.URL != server.url+"/t" {
		t.Errorf("sent %s %s", got.Sent.Method, got.Sent.URL)
	}
}

func TestStatement08SeeOtherIntoAnotherOriginIsNotFollowed(t *testing.T) {
	other := newRawServer(t, ok)
	server := newRawServer(t, redirecting(http.StatusSeeOther, func() string { return other.url + "/x" }))
	got := do(t, newClient(t, Options{}), withBody(aCall("POST", server.url, "/t")))
	server.mustFire(t, "redirect")
	if n := len(other.arrived("/")); n != 0 || got.Class != idempotency.Succeeded || got.Response.Status != http.StatusSeeOther {
		t.Errorf("%d requests crossed, got %s %+v", n, got.Class, got.Response)
	}
}

// The operation is done once 303 is answered, whatever comes of the GET.
func TestSeeOtherIsSuccessWhateverFollows(t *testing.T) {
	for name, play := range map[string]func(*rawConn){
		"404":   func(c *rawConn) { c.answer(http.StatusNotFound, "") },
		"reset": (*rawConn).reset,
	} {
		server := newRawServer(t, func(c *rawConn) {
			for {
				r := c.read()
				switch {
				case r == nil:
					return
				case strings.HasPrefix(r.head, "POST"):
					c.answer(http.StatusSeeOther, "", "Location: /elsewhere")
				default:
					c.server.fire(name)
					play(c)
				}
			}
		})
		got := do(t, newClient(t, Options{}), withBody(aCall("POST", server.url, "/t")))
		server.mustFire(t, name)
		if got.Class != idempotency.Succeeded || got.Reason == "" {
			t.Errorf("%s: got %s: %s", name, got.Class, got.Reason)
		}
	}
}

func TestSafeRequestsFollowRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, method := range []string{"GET", "HEAD"} {
			server := newRawServer(t, redirecting(status, func() string { return "elsewhere?x=1#part" }))
			got := do(t, newClient(t, Options{}), secretHeaders(aCall(method, server.url, "/t")))
			server.mustFire(t, "redirect")
			arrived := server.arrived("/elsewhere")
			if got.Response == nil || got.Response.Status != http.StatusOK || len(arrived) != 1 || !strings.HasPrefix(arrived[0].head, method+" /elsewhere?x=1 ") {
				t.Errorf("%d %s: got %s: %s, arrived %+v", status, method, got.Class, got.Reason, arrived)
				continue
			}
			for _, field := range []string{"Authorization: v-", "X-Api-Key: v-", "Cookie: session=s"} {
				if !strings.Contains(arrived[0].head, field) {
					t.Errorf("%d %s: %s is lost within the origin", status, method, field)
				}
			}
		}
	}
}

func TestStatement08NothingSecretCrossesAnOrigin(t *testing.T) {
	other := newRawServer(t, ok)
	server := newRawServer(t, redirecting(http.StatusFound, func() string { return other.url + "/x" }))
	do(t, newClient(t, Options{}), secretHeaders(withKey(aCall("GET", server.url, "/t"))))
	server.mustFire(t, "redirect")
	arrived := other.arrived("/x")
	if len(arrived) != 1 {
		t.Fatalf("arrived %+v", arrived)
	}
	var names []string
	for line := range strings.Lines(arrived[0].head) {
		if name, _, ok := strings.Cut(line, ": "); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"Accept", "Host", "User-Agent"}) {
		t.Errorf("the other origin got %q", names)
	}
}

func TestRedirectsThatAreNotFollowed(t *testing.T) {
	for _, location := range []string{"", "ftp://x.test/", "http://user:pass@x.test/", "http://%zz/"} {
		server := newRawServer(t, redirecting(http.StatusFound, func() string { return location }))
		got := do(t, newClient(t, Options{}), aCall("GET", server.url, "/t"))
		if n := len(server.arrived("/")); n != 1 || got.Response == nil || got.Response.Status != http.StatusFound {
			t.Errorf("%q: %d requests, %+v", location, n, got.Response)
		}
	}
}

func TestRedirectsEnd(t *testing.T) {
	server := newRawServer(t, redirecting(http.StatusFound, func() string { return "/t" }))
	got := do(t, newClient(t, Options{}), aCall("GET", server.url, "/t"))
	if n := len(server.arrived("/t")); n != maxRedirects+1 || got.Response == nil || got.Reason != "more than 10 redirects" {
		t.Errorf("%d requests, %s, %+v", n, got.Reason, got.Response)
	}
}

func TestARedirectOfAnOperationThatIsNoGETIsLeftAlone(t *testing.T) {
	server := newRawServer(t, redirecting(http.StatusTemporaryRedirect, func() string { return "/elsewhere" }))
	got := do(t, newClient(t, Options{}), withBody(aCall("PUT", server.url, "/t")))
	if n := len(server.arrived("/")); n != 1 || got.Response.Status != http.StatusTemporaryRedirect {
		t.Errorf("%d requests, %+v", n, got.Response)
	}
}

func TestARedirectOfAGETThatChangesSomethingIsLeftAlone(t *testing.T) {
	server := newRawServer(t, redirecting(http.StatusFound, func() string { return "/elsewhere" }))
	call := aCall("GET", server.url, "/t")
	call.Effectful = true
	got := do(t, newClient(t, Options{}), call)
	if n := len(server.arrived("/")); n != 1 || got.Class != idempotency.Rejected {
		t.Errorf("%d requests, %s: %s", n, got.Class, got.Reason)
	}
}
