package credential

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func TestWhatATokenIsAskedForWith(t *testing.T) {
	tests := []struct {
		name   string
		c      OAuth2
		scopes string
		form   string
		client string // the Authorization field
	}{
		{"client credentials", OAuth2{ClientID: "id", ClientSecret: "se cret"}, "[write, read, write]",
			"grant_type=client_credentials&scope=read+write", "Basic aWQ6c2UrY3JldA=="},
		{"no scopes", OAuth2{ClientID: "id", ClientSecret: "secret"}, "[]", "grant_type=client_credentials", "Basic aWQ6c2VjcmV0"},
		{"configured scopes and audience", OAuth2{ClientID: "i:d", ClientSecret: "secret", Scopes: []string{"all"}, Audience: "https://api"}, "[read]",
			"audience=https%3A%2F%2Fapi&grant_type=client_credentials&scope=all", "Basic aSUzQWQ6c2VjcmV0"},
		{"password", OAuth2{Grant: Password, ClientID: "id", ClientSecret: "secret", Username: "u", Password: "p&w"}, "[]",
			"grant_type=password&password=p%26w&username=u", "Basic aWQ6c2VjcmV0"},
		{"password with a public client", OAuth2{Grant: Password, ClientID: "id", Username: "u", Password: "pw"}, "[]",
			"client_id=id&grant_type=password&password=pw&username=u", ""},
		{"password without client", OAuth2{Grant: Password, Username: "u", Password: "pw"}, "[]", "grant_type=password&password=pw&username=u", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			api, auth := serve(t, nil), issuer(t, 3600)
			set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, secured("[{oauth: "+test.scopes+"}]"), "")
			test.c.TokenURL = auth.URL + "/o/token/?tenant={x}#y"
			k := ring(t, set, Options{Sources: map[string]Source{"my-api": {Auth: map[string]Credential{"oauth": test.c}}}})
			clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
			got := auth.only(t)
			if got.method != "POST" || got.target != "/o/token/?tenant=%7Bx%7D" {
				t.Errorf("%s %s", got.method, got.target)
			}
			if got.body != test.form || got.header.Get("Content-Type") != "application/x-www-form-urlencoded" {
				t.Errorf("the form is %s (%s)", got.body, got.header.Get("Content-Type"))
			}
			if got.header.Get("Authorization") != test.client || got.header.Get("Accept") != "application/json" {
				t.Errorf("the header is %v", got.header)
			}
			if sent := api.only(t).header.Get("Authorization"); sent != "Bearer token-1" {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

func TestTokensAreByScopes(t *testing.T) {
	api, auth := serve(t, nil), issuer(t, 3600)
	paths := "\n  /a:" +
		"\n    get: {operationId: get, security: [{oauth: [read, write]}], responses: {'200': {description: ok}}}" +
		"\n    put: {operationId: put, security: [{oauth: [write, read]}], responses: {'200': {description: ok}}}" +
		"\n    post: {operationId: post, security: [{oauth: [read]}], responses: {'200': {description: ok}}}"
	set := load(t, "[{url: '"+api.URL+"'}]", auth.URL, paths, "")
	k := ring(t, set, Options{Environ: []string{"WEFT_AUTH_MY_API_OAUTH=id:" + planted}})
	client := clientWith(t, k)
	call := callTo(t, set, api.URL)
	for _, id := range []string{"get", "put", "post"} {
		_, o, err := set.FindOperation(id)
		if err != nil {
			t.Fatal(err)
		}
		call.Operation = o
		client.Call(t.Context(), call)
	}
	var sent []string
	for _, r := range api.all() {
		sent = append(sent, r.header.Get("Authorization"))
	}
	if want := []string{"Bearer token-1", "Bearer token-1", "Bearer token-2"}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, expected %q", sent, want)
	}
}

func TestAnswersOfTokenEndpoints(t *testing.T) {
	long := strings.Repeat("x", maxToken+1)
	tests := []struct {
		name   string
		status int
		body   string
		token  string
		fault  string
	}{
		{"all of it", 200, `{"access_token":"tok","token_type":"BEARER","expires_in":"3600","refresh_token":"r","x":[1]}`, "tok", ""},
		{"no type", 200, `{"access_token":"tok"}`, "tok", ""},
		{"odd lifetime", 200, `{"access_token":"tok","expires_in":{"a":1}}`, "tok", ""},
		{"known error", 401, `{"error":"invalid_client","error_description":"` + planted + `"}`, "", "status 401 invalid_client"},
		{"unknown error", 400, `{"error":"` + planted + `"}`, "", "status 400"},
		{"no JSON", 500, planted, "", "status 500"},
		{"no JSON on success", 200, planted, "", "the answer is not JSON as RFC 6749 describes it"},
		{"a list", 200, `["` + planted + `"]`, "", "the answer is not JSON as RFC 6749 describes it"},
		{"no token", 200, `{"token":"` + planted + `"}`, "", "the answer has no access_token"},
		{"another type", 200, `{"access_token":"` + planted + `","token_type":"mac"}`, "", "the token is of another type than bearer"},
		{"a token of two lines", 200, `{"access_token":"a\r\nX-Evil: ` + planted + `"}`, "", "the access_token cannot be sent in a header"},
		{"an endless token", 200, `{"access_token":"` + long + `"}`, "", "the access_token cannot be sent in a header"},
		{"an endless answer", 200, `{"access_token":"tok","x":"` + strings.Repeat("x", MaxTokenAnswer) + `"}`, "", "the response is larger than the limit of 1048576 bytes, after the status 200"},
		{"created", 201, `{"access_token":"tok"}`, "", "status 201"},
		{"a redirect", 307, "", "", "status 307"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			elsewhere := serve(t, nil)
			auth := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				if test.status == 307 {
					w.Header().Set("Location", elsewhere.URL)
				}
				w.WriteHeader(test.status)
				fmt.Fprint(w, test.body)
			})
			api := serve(t, nil)
			call, k := oauthAPI(t, api, auth, nil)
			x := clientWith(t, k).Call(t.Context(), call)
			auth.only(t) // never a second one
			if len(elsewhere.all()) > 0 {
				t.Error("the client's secret was sent where a redirect led")
			}
			mustLack(t, "the exchange", fmt.Sprintf("%+v", x), planted)
			if test.fault != "" {
				want := "no token from " + auth.URL + "/token: " + test.fault
				if x.Class != idempotency.NotSent || x.Reason != want || len(api.all()) > 0 {
					t.Errorf("got %s: %q, expected %q", x.Class, x.Reason, want)
				}
				return
			}
			if got := api.only(t).header.Get("Authorization"); got != "Bearer "+test.token {
				t.Errorf("sent %q", got)
			}
			if !slices.Contains(k.Learned(0), test.token) {
				t.Errorf("the token is not known as a secret: %q", k.Learned(0))
			}
		})
	}
}

func TestATokenEndpointThatIsNotThere(t *testing.T) {
	api, auth := serve(t, nil), serve(t, nil)
	auth.Close()
	call, k := oauthAPI(t, api, auth, nil)
	x := clientWith(t, k).Call(t.Context(), call)
	if want := "no token from " + auth.URL + "/token: connection refused"; x.Class != idempotency.NotSent || x.Reason != want {
		t.Errorf("got %s: %q, expected %q", x.Class, x.Reason, want)
	}
}

// The token endpoint of a description may be relative to the server. It then is
// the server that the user named, whatever the description calls it.
func TestARelativeTokenEndpoint(t *testing.T) {
	api := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			fmt.Fprint(w, `{"access_token":"here","token_type":"bearer"}`)
		}
	})
	set := load(t, "[{url: 'https://api.example.com/v1'}]", "", secured("[{oauth: []}]"), "")
	k := ring(t, set, Options{
		Servers: map[string]string{"my-api": api.URL + "/v1"}, Environ: []string{"WEFT_AUTH_MY_API_OAUTH=id:" + planted},
	})
	clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL+"/v1"))
	if got := api.all(); len(got) != 2 || got[0].target != "/token" || got[1].header.Get("Authorization") != "Bearer here" {
		t.Errorf("got %+v", got)
	}
}

func TestWhereClientCredentialsMayGo(t *testing.T) {
	tests := []struct {
		described, server string
		want              string // empty: nowhere
	}{
		{"https://id.example.com/t", "http://api.example.com", ""},
		{"https://id.example.com/t", "https://id.example.com/v1", "https://id.example.com/t"},
		{"http://localhost:8080/t", "http://api.example.com", "http://localhost:8080/t"},
		{"http://id.example.com/t", "http://api.example.com", ""},
		{"http://api.example.com:80/t", "http://api.example.com", "http://api.example.com:80/t"},
		{"/t", "http://api.example.com/v1", "http://api.example.com/t"},
		{"t", "http://api.example.com/v1/", "http://api.example.com/v1/t"},
		{"//id.example.com/t", "http://api.example.com", ""},
		{"//id.example.com/t", "https://api.example.com", ""},
		{"//id.example.com/t", "https://id.example.com", "https://id.example.com/t"},
		{"https:opaque", "https://api.example.com", ""},
		{"https://u:p@id.example.com/t", "https://api.example.com", ""},
	}
	for _, test := range tests {
		u, err := describedEndpoint(flow(test.described), test.server)
		if got := fmt.Sprint(u); test.want == "" && err == nil || test.want != "" && got != test.want {
			t.Errorf("%s with the server %s: %s, %v", test.described, test.server, got, err)
		}
	}
}

func TestLifetimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"3600": time.Hour, `"60"`: time.Minute, "0.5": time.Second / 2, "-1": 0, "1e300": maxLifetime,
		"": -1, "null": -1, "NaN": -1, `"soon"`: -1, "{}": -1,
	} {
		got, known := lifetime(text)
		if known != (want >= 0) || known && got != want {
			t.Errorf("%s: %s, known %t", text, got, known)
		}
	}
}

func FuzzTokenAnswer(f *testing.F) {
	f.Add(200, []byte(`{"access_token":"t","token_type":"bearer","expires_in":1}`))
	f.Add(401, []byte(`{"error":"invalid_client"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		r := request{endpoint: "https://id.example.com/token"}
		got, err := r.read(executor.Exchange{Response: &executor.Response{Status: status, Body: body}})
		if err == nil && (got.token == "" || sound("it", got.token) != nil || got.lifetime < 0) {
			t.Fatalf("read %+v", got)
		}
		if err != nil && len(err.Error()) > 200 {
			t.Fatalf("the answer speaks through the error: %v", err)
		}
	})
}
