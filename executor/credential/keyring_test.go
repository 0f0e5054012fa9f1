package credential

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
)

func TestFaultsOfWhatIsConfigured(t *testing.T) {
	set := load(t, "[{url: 'http://127.0.0.1:1'}]", "https://id.example.com", secured("[]"), "")
	tests := []struct {
		name    string
		auth    map[string]Credential
		environ []string
		want    []string // a part of each fault
	}{
		{"all well", map[string]Credential{"keyHeader": APIKey{"k"}, "oauth": OAuth2{ClientID: "c", TokenURL: "https://id.example.com/t"}}, nil, nil},
		{"a token endpoint that only the description names", map[string]Credential{"oauth": OAuth2{ClientID: "c"}}, nil,
			[]string{"the token endpoint https://id.example.com/token, which is not at the server that was named"}},
		{"the same for a variable", nil, []string{"WEFT_AUTH_MY_API_OAUTH=c:s"}, []string{"which is not at the server that was named"}},
		{"a variable for a configured endpoint", map[string]Credential{"oauth": OAuth2{ClientID: "c", TokenURL: "https://id.example.com/t"}},
			[]string{"WEFT_AUTH_MY_API_OAUTH=c:s"}, nil},
		{"unknown scheme", map[string]Credential{"keyHeadr": APIKey{"k"}}, nil,
			[]string{`source "my-api": security scheme "keyHeadr": the description has none of this name; it has basic, bearer, code, connect, digest, keyCookie, keyHeader, keyQuery, mutual, oauth, did you mean "keyHeader"?`}},
		{"digest", map[string]Credential{"digest": Basic{"u", "p"}}, nil, []string{`"digest" is not built`}},
		{"two at once", map[string]Credential{"basic": APIKey{"k"}, "bearer": Basic{"u", "p"}}, nil, []string{`"basic": an API key`, `"bearer": a user`}},
		{"bad variable", nil, []string{"WEFT_AUTH_MY_API_BASIC=nocolon"}, []string{"WEFT_AUTH_MY_API_BASIC: expected user:password"}},
		{"digest in a variable", nil, []string{"WEFT_AUTH_MY_API_DIGEST=u:p"}, []string{`WEFT_AUTH_MY_API_DIGEST: HTTP authentication "digest" is not built`}},
		{"another source", nil, []string{"WEFT_AUTH_OTHER_BASIC=nocolon", "HOME=/x", "WEFT_AUTH_"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			k := New(Options{
				Sources: map[string]Source{"my-api": {Auth: test.auth}}, Environ: test.environ, Tokens: noCaller{},
			})
			faults := k.Bind(set)
			if len(faults) != len(test.want) {
				t.Fatalf("got %v, expected %d faults", faults, len(test.want))
			}
			for i, fault := range faults {
				if !strings.Contains(fault.Error(), test.want[i]) {
					t.Errorf("got %v\nexpected %s in it", fault, test.want[i])
				}
				mustLack(t, "the fault", fault.Error(), "nocolon", "u:p")
			}
		})
	}
}

func TestOneVariableForTwoSchemesIsAFault(t *testing.T) {
	described := func(name, scheme string) *source.Description {
		return &source.Description{Name: name, OpenAPI: &source.Catalog{Security: map[string]*source.SecurityScheme{
			scheme: {Name: scheme, Type: "apiKey", In: "header", Key: "K"},
		}}}
	}
	set := &source.Set{Sources: []*source.Description{described("a_b", "c"), described("a", "b-c")}}
	faults := New(Options{Environ: []string{"WEFT_AUTH_A_B_C=planted"}}).Bind(set)
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), `WEFT_AUTH_A_B_C would be for this scheme and for "c" of the source "a_b" too`) {
		t.Fatalf("got %v", faults)
	}
	if faults := New(Options{}).Bind(set); len(faults) > 0 {
		t.Errorf("the variable is not set, and yet: %v", faults)
	}
}

func TestSetsThatNameEachOtherAreBoundOnce(t *testing.T) {
	inner := &source.Set{}
	outer := &source.Set{Sources: []*source.Description{{Name: "in", Arazzo: inner}}}
	inner.Sources = []*source.Description{{Name: "out", Arazzo: outer}, {Name: "api", OpenAPI: &source.Catalog{
		Security: map[string]*source.SecurityScheme{"k": {Name: "k", Type: "http", Scheme: "basic"}},
	}}}
	faults := New(Options{Environ: []string{"WEFT_AUTH_API_K=x"}}).Bind(outer)
	if len(faults) != 1 {
		t.Errorf("got %v, expected one fault of the inner source", faults)
	}
}

func TestEnvironmentGoesBeforeConfiguration(t *testing.T) {
	api := serve(t, nil)
	set := load(t, "[{url: '"+api.URL+"'}]", api.URL, secured("[{keyHeader: []}]"), "")
	k := ring(t, set, Options{
		Sources: map[string]Source{"my-api": {Auth: map[string]Credential{"keyHeader": APIKey{"from-file"}}}},
		Environ: []string{"WEFT_AUTH_MY_API_KEYHEADER=from-environment"},
	})
	clientWith(t, k).Call(t.Context(), callTo(t, set, api.URL))
	if got := api.only(t).header.Get("X-Api-Key"); got != "from-environment" {
		t.Errorf("sent %q", got)
	}
	if got := k.Secrets(); !slices.Contains(got, "from-file") || !slices.Contains(got, "from-environment") {
		t.Errorf("the secrets are %q", got)
	}
	if got := k.Learned(len(k.Secrets())); len(got) != 0 {
		t.Errorf("learned without cause: %q", got)
	}
}
