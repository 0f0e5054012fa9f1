package credential

import (
	"reflect"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
)

func TestVariableNames(t *testing.T) {
	for _, test := range [][3]string{
		{"orders", "apiKey", "WEFT_AUTH_ORDERS_APIKEY"},
		{"pet-store", "oauth 2.0", "WEFT_AUTH_PET_STORE_OAUTH_2_0"},
		{"bücher", "k", "WEFT_AUTH_B_CHER_K"},
	} {
		if got := Variable(test[0], test[1]); got != test[2] {
			t.Errorf("%s, %s: %s, expected %s", test[0], test[1], got, test[2])
		}
	}
}

func TestWhatAVariableHolds(t *testing.T) {
	var (
		apiKey = &source.SecurityScheme{Type: "apiKey", In: "query", Key: "k"}
		basic  = &source.SecurityScheme{Type: "http", Scheme: "basic"}
		oauth  = &source.SecurityScheme{Type: "oauth2", Flows: []source.OAuthFlow{
			{Grant: "clientCredentials", TokenURL: "https://id.example.com/token"}}}
	)
	tests := []struct {
		name   string
		scheme *source.SecurityScheme
		text   string
		want   Credential
		fault  string
	}{
		{"key", apiKey, "a:b c", APIKey{"a:b c"}, ""},
		{"key with a line end", apiKey, "abc\r\n", APIKey{"abc"}, ""},
		{"empty", apiKey, "\n", nil, "empty"},
		{"two lines", apiKey, "a\nb", nil, "control character"},
		{"user", basic, "u:p:q", Basic{"u", "p:q"}, ""},
		{"user alone", basic, "secretuser", nil, "expected user:password"},
		{"client", oauth, "id:se:cret", OAuth2{ClientID: "id", ClientSecret: "se:cret"}, ""},
		{"ready token", oauth, "eyJ.x", Bearer{"eyJ.x"}, ""},
		{"bearer", &source.SecurityScheme{Type: "http", Scheme: "bearer"}, "t:1", Bearer{"t:1"}, ""},
		{"OpenID", &source.SecurityScheme{Type: "openIdConnect"}, "t", Bearer{"t"}, ""},
		{"digest", &source.SecurityScheme{Type: "http", Scheme: "digest"}, "secretuser:p", nil, `"digest" is not built`},
		{"negotiate", &source.SecurityScheme{Type: "http", Scheme: "negotiate"}, "secret", nil, `"negotiate" is not built`},
		{"certificate", &source.SecurityScheme{Type: "mutualTLS"}, "secret", nil, "does not come from the environment"},
		{"unknown", &source.SecurityScheme{Type: "magic"}, "secret", nil, `"magic" is not known`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.scheme, test.text)
			if test.fault == "" {
				if err != nil || !reflect.DeepEqual(got, test.want) {
					t.Fatalf("got %#v, %v", got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.fault) {
				t.Fatalf("got %v, expected %q in it", err, test.fault)
			}
			mustLack(t, "the error", err.Error(), "secret")
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("oauth2", "", "id:secret")
	f.Add("http", "basic", "u:p")
	f.Add("apiKey", "", "k\x00")
	f.Fuzz(func(t *testing.T, kind, scheme, text string) {
		s := &source.SecurityScheme{Type: kind, Scheme: scheme, In: "header", Key: "K",
			Flows: []source.OAuthFlow{{Grant: "clientCredentials", TokenURL: "https://id.example.com/t"}}}
		c, err := Parse(s, text)
		if err == nil && c.fits(s) != nil {
			t.Fatal("it was read and does not fit")
		}
	})
}
