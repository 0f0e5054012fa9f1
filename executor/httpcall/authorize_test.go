package httpcall

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// given is an Authorizer that always gives the same.
type given struct {
	executor.Authorization
	err error
}

func (g given) Authorize(context.Context, executor.Call) (executor.Authorization, error) {
	return g.Authorization, g.err
}

func fields(list ...executor.AuthorizationField) given {
	return given{Authorization: executor.Authorization{Fields: list}}
}

func field(name, in, text string) executor.AuthorizationField {
	return executor.AuthorizationField{Name: name, In: in, Value: text}
}

func TestFieldsAreAddedBeneathTheRecord(t *testing.T) {
	server := newRawServer(t, ok)
	call := aCall("GET", server.url, "/t?a=1")
	call.Arguments = []executor.Argument{
		{Name: "c", In: "cookie", Value: value.String("1")},
		{Name: "X-Own", In: "header", Value: value.String("own")},
		{Name: "own", In: "query", Value: value.String("own")},
	}
	shown := field("X-Shown", "header", "shown")
	shown.Shown = true
	client := newClient(t, Options{Authorizer: fields(
		field("authorization", "header", "Bearer s3cret"), field("key", "query", "s3cret/&"), field("session", "cookie", "s3cret"),
		field("x-own", "header", "never"), field("own", "query", "never"), field("a", "query", "never"), field("c", "cookie", "never"),
		field("Authorization", "header", "never"), shown,
	)})
	p, err := Prepare(call)
	if err != nil {
		t.Fatal(err)
	}
	got := client.Do(t.Context(), p, call)
	head := server.arrived("/t")[0].head
	for _, want := range []string{
		"GET /t?a=1&own=own&key=s3cret%2F%26 HTTP/1.1", "Authorization: Bearer s3cret\r\n", "Cookie: c=1; session=s3cret\r\n", "X-Own: own\r\n", "X-Shown: shown\r\n",
	} {
		if !strings.Contains(head, want) {
			t.Errorf("no %q in what arrived:\n%s", want, head)
		}
	}
	if got.Sent.URL != server.url+"/t?a=1&own=own&key=***" {
		t.Errorf("recorded %s", got.Sent.URL)
	}
	record := fmt.Sprint(got.Sent.Header)
	for _, want := range []string{"Authorization:[***]", "Cookie:[c=1; session=***]", "X-Own:[own]", "X-Shown:[shown]"} {
		if !strings.Contains(record, want) {
			t.Errorf("no %q in the record %s", want, record)
		}
	}
	if strings.Contains(fmt.Sprint(p.URL, p.Header), "s3cret") {
		t.Error("the prepared request itself was changed")
	}
}

func TestNothingIsSentWithoutWhatItTakes(t *testing.T) {
	tests := []struct {
		name            string
		given           given
		reason, refused string
	}{
		{"no token", given{err: errors.New("no token from https://x.test: timeout")}, "no token from https://x.test: timeout", ""},
		{"bad header", fields(field("X Y", "header", "s3cret")), "", `the credential in the header "X Y": this is not the name of a header field`},
		{"bad value", fields(field("X", "header", "s3cret\n")), "", `the credential in the header "X": its value holds the control character 0x0a, which no header field can carry`},
		{"framing", fields(field("host", "header", "s3cret")), "", `the credential in the header "host": this field says how the request is carried and cannot be set`},
		{"bad cookie", fields(field("a b", "cookie", "s3cret")), "", `the credential in the cookie "a b": this is not the name of a cookie`},
		{"bad place", fields(field("a", "path", "s3cret")), "", `the credential in the path "a": there is no such place; the places are header, query and cookie`},
	}
	for _, test := range tests {
		server := newRawServer(t, ok)
		test.given.Notices = []string{"a notice"}
		got := newClient(t, Options{Authorizer: test.given}).Call(t.Context(), withBody(aCall("POST", server.url, "/t")))
		if got.Class != idempotency.NotSent || got.Reason != test.reason || got.Refused != test.refused || len(got.Notices) != 1 {
			t.Errorf("%s: got %s: reason %q, refused %q, notices %q", test.name, got.Class, got.Reason, got.Refused, got.Notices)
		}
		if got.Started.IsZero() || got.Ended.Before(got.Started) || got.Sent.Method != "POST" {
			t.Errorf("%s: the exchange is not whole: %+v", test.name, got)
		}
		if n := len(server.arrived("/")); n != 0 {
			t.Errorf("%s: %d requests arrived", test.name, n)
		}
	}
}

func TestARedirectThatHoldsACredentialIsNotFollowedElsewhere(t *testing.T) {
	tests := []struct {
		field    executor.AuthorizationField
		location string
		followed bool
	}{
		{field("key", "query", "s3cret/x"), "/x?key=s3cret%2Fx", false},
		{field("key", "query", "s3cret/x"), "/s3cret/x", false},
		{field("key", "query", "1"), "/x?a=b&key=1", false},
		{field("key", "query", "1"), "/x?page=1", true},
		{field("Authorization", "header", "Bearer s3cret"), "/x?token=s3cret", false},
		{field("Authorization", "header", "Bearer s3cret"), "/x?token=other", true},
		{field("session", "cookie", "s3cret"), "/x;s=s3cret", false},
	}
	for _, test := range tests {
		other := newRawServer(t, ok)
		server := newRawServer(t, redirecting(http.StatusFound, func() string { return other.url + test.location }))
		got := do(t, newClient(t, Options{Authorizer: fields(test.field)}), aCall("GET", server.url, "/t"))
		if n := len(server.arrived("/")); n != 1 {
			t.Errorf("%s: %d requests arrived", test.location, n)
		}
		arrived := other.arrived("/")
		if (len(arrived) == 1) != test.followed {
			t.Errorf("%s: %d requests arrived elsewhere", test.location, len(arrived))
		}
		if !test.followed && !strings.Contains(got.Reason, "would carry a credential to another origin") {
			t.Errorf("%s: the reason is %q", test.location, got.Reason)
		}
		if strings.Contains(fmt.Sprint(arrived), "s3cret") {
			t.Errorf("%s: the credential crossed: %v", test.location, arrived)
		}
	}
}

func TestCredentialsGoAlongWithinTheOrigin(t *testing.T) {
	server := newRawServer(t, redirecting(http.StatusFound, func() string { return "/elsewhere?key2=own" }))
	client := newClient(t, Options{Authorizer: fields(
		field("Authorization", "header", "Bearer s3cret"), field("key", "query", "k/1"), field("key2", "query", "never"), field("session", "cookie", "c"),
	)})
	do(t, client, aCall("GET", server.url, "/t"))
	arrived := server.arrived("/elsewhere")
	if len(arrived) != 1 {
		t.Fatalf("arrived %+v", arrived)
	}
	for _, want := range []string{"GET /elsewhere?key2=own&key=k%2F1 HTTP", "Authorization: Bearer s3cret", "Cookie: session=c"} {
		if !strings.Contains(arrived[0].head, want) {
			t.Errorf("no %q in\n%s", want, arrived[0].head)
		}
	}
}

func TestWhoGaveACredentialHearsTheAnswer(t *testing.T) {
	tests := []struct {
		name   string
		fields []executor.AuthorizationField
		status int
		heard  int
	}{
		{"refused", []executor.AuthorizationField{field("Authorization", "header", "Bearer s")}, 401, 401},
		{"accepted", []executor.AuthorizationField{field("Authorization", "header", "Bearer s")}, 200, 200},
		{"the step wrote its own", []executor.AuthorizationField{field("X-Own", "header", "s")}, 401, 0},
	}
	for _, test := range tests {
		server := newRawServer(t, func(c *rawConn) {
			for c.read() != nil {
				c.answer(test.status, "")
			}
		})
		heard := 0
		authorizer := fields(test.fields...)
		authorizer.Answered = func(_ context.Context, status int) (bool, error) {
			heard = status
			return status == 401, errors.New("a note")
		}
		call := aCall("GET", server.url, "/t")
		call.Arguments = []executor.Argument{{Name: "X-Own", In: "header", Value: value.String("own")}}
		got := do(t, newClient(t, Options{Authorizer: authorizer}), call)
		if heard != test.heard || got.Renewed != (heard == 401) || (len(got.Notices) == 1) != (heard != 0) {
			t.Errorf("%s: heard %d, renewed %t, notices %q", test.name, heard, got.Renewed, got.Notices)
		}
	}
}

func TestAnAnswerThatIsNotWholeIsNotHeard(t *testing.T) {
	server := newRawServer(t, func(c *rawConn) {
		c.read()
		fmt.Fprint(c, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 10\r\n\r\nshort")
		c.server.fire("broken")
		c.Close()
	})
	authorizer := fields(field("Authorization", "header", "Bearer s"))
	authorizer.Answered = func(context.Context, int) (bool, error) {
		t.Error("it was heard")
		return true, nil
	}
	got := do(t, newClient(t, Options{Authorizer: authorizer}), aCall("GET", server.url, "/t"))
	server.mustFire(t, "broken")
	if got.Renewed || got.Response != nil {
		t.Errorf("got %+v", got)
	}
}
