package credential

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// noCaller stands where no token is to be asked for.
type noCaller struct{}

func (noCaller) Call(context.Context, executor.Call) executor.Exchange {
	return executor.Exchange{Class: idempotency.NotSent, Reason: "nothing is asked in this test"}
}

// every credential of these tests holds this.
const planted = "pl4nted-s3cret"

func all() map[string]Credential {
	return map[string]Credential{
		"keyHeader": APIKey{planted + "/h"}, "keyQuery": APIKey{planted + "/q&x"}, "keyCookie": APIKey{planted + "/c"},
		"basic": Basic{"user", planted}, "bearer": Bearer{planted + ".b"}, "connect": Bearer{planted + ".o"},
		"code": Bearer{planted + ".r"}, "oauth": OAuth2{ClientID: "id", ClientSecret: planted},
	}
}

func TestEachSchemeIsSentAndNotRecorded(t *testing.T) {
	tests := []struct {
		security string
		sent     func(received) string
		want     string
		record   func(executor.Sent) string
		recorded string
	}{
		{"[{keyHeader: []}]", headerOf("X-Api-Key"), planted + "/h", recordOf("X-Api-Key"), "***"},
		{"[{keyQuery: []}]", func(r received) string { return r.target }, "/a?api_key=" + planted + "%2Fq%26x",
			func(s executor.Sent) string { _, query, _ := strings.Cut(s.URL, "?"); return query }, "api_key=***"},
		{"[{keyCookie: []}]", headerOf("Cookie"), "session=" + planted + "/c", recordOf("Cookie"), "session=***"},
		{"[{basic: []}]", headerOf("Authorization"), "Basic dXNlcjpwbDRudGVkLXMzY3JldA==", recordOf("Authorization"), "***"},
		{"[{bearer: []}]", headerOf("Authorization"), "Bearer " + planted + ".b", recordOf("Authorization"), "***"},
		{"[{connect: []}]", headerOf("Authorization"), "Bearer " + planted + ".o", recordOf("Authorization"), "***"},
		{"[{code: []}]", headerOf("Authorization"), "Bearer " + planted + ".r", recordOf("Authorization"), "***"},
		{"[{oauth: [read]}]", headerOf("Authorization"), "Bearer token-1", recordOf("Authorization"), "***"},
	}
	for _, test := range tests {
		t.Run(test.security, func(t *testing.T) {
			api, auth := serve(t, nil), issuer(t, 3600)
			set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, secured(test.security), "")
			k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: all()}}})
			x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
			if got := test.sent(api.only(t)); got != test.want {
				t.Errorf("sent %q, expected %q", got, test.want)
			}
			if got := test.record(x.Sent); got != test.recorded {
				t.Errorf("recorded %q, expected %q", got, test.recorded)
			}
			mustLack(t, "the exchange", fmt.Sprintf("%+v", x), append(k.Secrets(), planted, "token-1")...)
			if x.Class != idempotency.Succeeded || len(x.Notices) > 0 {
				t.Errorf("got %s: %s %q", x.Class, x.Reason, x.Notices)
			}
		})
	}
}

func headerOf(name string) func(received) string {
	return func(r received) string { return strings.Join(r.header.Values(name), "|") }
}

func recordOf(name string) func(executor.Sent) string {
	return func(s executor.Sent) string { return strings.Join(s.Header[name], "|") }
}

func TestWhichAlternativeIsMet(t *testing.T) {
	some := map[string]Credential{"keyHeader": APIKey{"k1-value"}, "bearer": Bearer{"t1-value"}}
	tests := []struct {
		name, security string
		auth           map[string]Credential
		certificate    bool
		sent           []string // fields of the request with credentials
		notice         string
	}{
		{"the first of two", "[{keyHeader: []}, {bearer: []}]", some, false, []string{"X-Api-Key"}, ""},
		{"the second where the first lacks something", "[{keyHeader: [], keyQuery: []}, {bearer: []}]", some, false, []string{"Authorization"}, ""},
		{"both together", "[{keyHeader: [], bearer: []}]", some, false, []string{"Authorization", "X-Api-Key"}, ""},
		{"nothing is needed", "[]", some, false, nil, ""},
		{"something rather than nothing", "[{}, {bearer: []}]", some, false, []string{"Authorization"}, ""},
		{"nothing where that will do", "[{basic: []}, {}]", some, false, nil, ""},
		{"nothing is there", "[{basic: []}, {keyQuery: []}]", some, false, nil,
			`there is none for the security scheme "basic": configure one, or set WEFT_AUTH_MY_API_BASIC; nor for "keyQuery"`},
		{"half is there", "[{bearer: [], basic: []}]", some, false, nil, `security scheme "basic"`},
		{"digest", "[{digest: []}]", some, false, nil, `"digest": HTTP authentication "digest" is not built`},
		{"not described", "[{missing: []}]", some, false, nil, `"missing": the description does not say what it is`},
		{"certificate", "[{mutual: [], bearer: []}]", some, true, []string{"Authorization"}, ""},
		{"no certificate", "[{mutual: [], bearer: []}]", some, false, nil, `"mutual": no client certificate is configured`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			api := serve(t, nil)
			set := load(t, "[{url: '"+api.URL+"'}]", api.URL, secured(test.security), "")
			k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: test.auth, ClientCertificate: test.certificate}}})
			x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
			var sent []string
			for _, name := range []string{"Authorization", "Cookie", "X-Api-Key"} {
				if api.only(t).header.Get(name) != "" {
					sent = append(sent, name)
				}
			}
			if !slices.Equal(sent, test.sent) {
				t.Errorf("sent %q, expected %q", sent, test.sent)
			}
			notices := strings.Join(x.Notices, "\n")
			if test.notice == "" && notices != "" || !strings.Contains(notices, test.notice) {
				t.Errorf("the notices are %q, expected %q", notices, test.notice)
			}
		})
	}
}

func TestANoticeSaysWhichVariableMayHaveBeenMeant(t *testing.T) {
	api := serve(t, nil)
	set := load(t, "[{url: '"+api.URL+"'}]", api.URL, secured("[{keyHeader: []}]"), "")
	k := ring(t, set, Options{Environ: []string{"WEFT_AUTH_MYAPI_KEYHEADER=" + planted}})
	x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
	if len(x.Notices) != 1 || !strings.Contains(x.Notices[0], "WEFT_AUTH_MY_API_KEYHEADER is not set; was it meant by WEFT_AUTH_MYAPI_KEYHEADER?") {
		t.Errorf("the notices are %q", x.Notices)
	}
}

func TestWhatTheStepWritesIsNotOverridden(t *testing.T) {
	tests := []struct {
		security, in, name string
		sent               func(received) string
		want               string
	}{
		{"[{bearer: []}]", "header", "authorization", headerOf("Authorization"), "own"},
		{"[{oauth: []}]", "header", "Authorization", headerOf("Authorization"), "own"},
		{"[{keyHeader: []}]", "header", "x-api-key", headerOf("X-Api-Key"), "own"},
		{"[{keyQuery: []}]", "query", "api_key", func(r received) string { return r.target }, "/a?api_key=own"},
		{"[{keyQuery: []}]", "querystring", "q", func(r received) string { return r.target }, "/a?own"},
		{"[{keyCookie: []}]", "cookie", "session", headerOf("Cookie"), "session=own"},
		{"[{keyCookie: []}]", "cookie", "other", headerOf("Cookie"), "other=own; session=" + planted + "/c"},
		// what the step writes meets its scheme
		{"[{basic: []}]", "header", "Authorization", headerOf("Authorization"), "own"},
	}
	for _, test := range tests {
		t.Run(test.security+" "+test.name, func(t *testing.T) {
			api, auth := serve(t, nil), issuer(t, 3600)
			set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, secured(test.security), "")
			auths := all()
			delete(auths, "basic")
			k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: auths}}})
			own := executor.Argument{Name: test.name, In: test.in, Value: value.String("own")}
			if test.in == "querystring" {
				own.Value = value.String("api_key=own")
				test.want = "/a?api_key=own"
			}
			x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL, own))
			if got := test.sent(api.only(t)); got != test.want {
				t.Errorf("sent %q, expected %q", got, test.want)
			}
			if len(x.Notices) > 0 || len(auth.all()) > 0 {
				t.Errorf("the notices are %q, %d tokens were asked for", x.Notices, len(auth.all()))
			}
		})
	}
}

func TestFixedHeaders(t *testing.T) {
	api := serve(t, nil)
	set := load(t, "[{url: '"+api.URL+"'}]", api.URL, secured("[{bearer: []}]"), "")
	k := ring(t, set, Options{Sources: map[string]Source{"my-api": {
		Auth: map[string]Credential{"bearer": Bearer{"the-token"}},
		Headers: []Header{
			{Name: "X-Tenant", Value: "acme", Shown: true}, {Name: "x-signature", Value: planted},
			{Name: "Authorization", Value: "never"}, {Name: "X-Own", Value: "never"}, {Name: "X-Empty"},
		},
	}}})
	x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL, executor.Argument{Name: "X-Own", In: "header", Value: value.String("step")}))
	got := api.only(t).header
	for name, want := range map[string]string{"X-Tenant": "acme", "X-Signature": planted, "Authorization": "Bearer the-token", "X-Own": "step"} {
		if got.Get(name) != want {
			t.Errorf("%s: sent %q, expected %q", name, got.Get(name), want)
		}
	}
	if x.Sent.Header["X-Tenant"][0] != "acme" || x.Sent.Header["X-Signature"][0] != "***" {
		t.Errorf("recorded %v", x.Sent.Header)
	}
}

func TestAFieldThatCannotBeWrittenIsRefused(t *testing.T) {
	api := serve(t, nil)
	set := load(t, "[{url: '"+api.URL+"'}]", api.URL, secured("[]"), "")
	k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Headers: []Header{{Name: "Host", Value: planted}}}}})
	x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
	if x.Class != idempotency.NotSent || !strings.Contains(x.Refused, `in the header "Host"`) || len(api.all()) > 0 {
		t.Errorf("got %s, refused %q", x.Class, x.Refused)
	}
	mustLack(t, "the exchange", fmt.Sprintf("%+v", x), planted)
}

func TestCredentialsAreBoundToAnOrigin(t *testing.T) {
	api, other := serve(t, nil), serve(t, nil)
	own := fmt.Sprintf("\n  /a: {get: {operationId: get, servers: [{url: '%s'}], security: [{bearer: []}], responses: {'200': {description: ok}}}}", other.URL)
	tests := []struct {
		name, servers string // of the description
		named         map[string]string
		to            *server
		sent          bool
		notice        string
	}{
		{"the described server on this machine", "[{url: '" + api.URL + "'}]", nil, api, true, ""},
		{"another server of the description", "[{url: '" + api.URL + "'}, {url: '" + other.URL + "'}]", nil, other, false,
			`not sent to ` + other.URL + `: they are for ` + api.URL + ` alone`},
		{"the server that the user named", "[{url: 'https://described.example.com'}]", map[string]string{"my-api": other.URL + "/v1"}, other, true, ""},
		{"the server that the user named for all", "[{url: '" + api.URL + "'}]", map[string]string{"": other.URL}, other, true, ""},
		{"the described server where the user named one", "[{url: '" + api.URL + "'}]", map[string]string{"my-api": other.URL}, api, false,
			`they are for ` + other.URL + ` alone`},
		{"a server that only the description names", "[{url: 'https://described.example.com'}]", nil, other, false,
			"only the description names this server"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set := load(t, test.servers, api.URL, own, "")
			k := ring(t, set, Options{
				Servers: test.named,
				Sources: map[string]Source{"my-api": {
					Auth:    map[string]Credential{"bearer": Bearer{planted}},
					Headers: []Header{{Name: "X-Signature", Value: planted}},
				}},
			})
			before := len(test.to.all())
			x := clientWith(t, k).Call(t.Context(), callTo(t, set, test.to.URL))
			got := test.to.all()[before:]
			if len(got) != 1 {
				t.Fatalf("%d requests came", len(got))
			}
			if sent := got[0].header.Get("Authorization") == "Bearer "+planted && got[0].header.Get("X-Signature") == planted; sent != test.sent {
				t.Errorf("the server got %v", got[0].header)
			}
			notices := strings.Join(x.Notices, "\n")
			if test.sent != (notices == "") || !strings.Contains(notices, test.notice) {
				t.Errorf("the notices are %q", notices)
			}
		})
	}
}

// A server that redirects gets what is for it; where it redirects to gets nothing.
func TestNothingCrossesAnOriginByRedirect(t *testing.T) {
	for _, security := range []string{"[{keyHeader: []}]", "[{keyQuery: []}]", "[{keyCookie: []}]", "[{basic: []}]", "[{bearer: []}]", "[{oauth: []}]"} {
		t.Run(security, func(t *testing.T) {
			auth, other := issuer(t, 3600), serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
			api := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/x", http.StatusFound) })
			set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, secured(security), "")
			k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: all(), Headers: []Header{{Name: "X-Signature", Value: planted}}}}})
			x := clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
			first := fmt.Sprint(api.only(t))
			if !strings.Contains(first, "X-Signature") {
				t.Fatalf("the first server got nothing: %s", first)
			}
			mustLack(t, "the other origin", fmt.Sprint(other.only(t)), append(k.Secrets(), planted)...)
			if x.Renewed || len(auth.all()) > 1 {
				t.Errorf("the 401 of another origin renewed a token: %d requests", len(auth.all()))
			}
		})
	}
}
