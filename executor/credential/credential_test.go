package credential

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
)

func TestASecretIsNeverPrinted(t *testing.T) {
	const planted = "planted-secret"
	credentials := []Credential{
		APIKey{planted}, Bearer{planted}, Basic{"u", planted},
		OAuth2{ClientID: "c", ClientSecret: planted, Username: "u", Password: planted},
	}
	for _, c := range credentials {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			mustLack(t, verb, fmt.Sprintf(verb, c), planted, fmt.Sprintf("%x", planted))
		}
		encoded, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		mustLack(t, "JSON", string(encoded), planted)
		var log strings.Builder
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "credential", c, "secret", Secret(planted))
		mustLack(t, "a log", log.String(), planted)
	}
}

func TestWhichCredentialIsForWhichScheme(t *testing.T) {
	var (
		apiKey  = &source.SecurityScheme{Type: "apiKey", In: "header", Key: "K"}
		basic   = &source.SecurityScheme{Type: "http", Scheme: "basic"}
		bearer  = &source.SecurityScheme{Type: "http", Scheme: "bearer"}
		connect = &source.SecurityScheme{Type: "openIdConnect"}
		mutual  = &source.SecurityScheme{Type: "mutualTLS"}
		oauth   = &source.SecurityScheme{Type: "oauth2", Flows: []source.OAuthFlow{
			{Grant: "clientCredentials", TokenURL: "https://id.example.com/token"}}}
		code = &source.SecurityScheme{Type: "oauth2", Flows: []source.OAuthFlow{
			{Grant: "authorizationCode", TokenURL: "https://id.example.com/token"}}}
		plain = &source.SecurityScheme{Type: "oauth2", Flows: []source.OAuthFlow{
			{Grant: "clientCredentials", TokenURL: "http://id.example.com/token"}}}
	)
	tests := []struct {
		name       string
		scheme     *source.SecurityScheme
		credential Credential
		fault      string // a part of it; empty: it fits
	}{
		{"key", apiKey, APIKey{"k"}, ""},
		{"key for basic", basic, APIKey{"k"}, "it is HTTP basic and takes a user and a password"},
		{"empty key", apiKey, APIKey{""}, "is empty"},
		{"key of two lines", apiKey, APIKey{"a\nb"}, "control character 0x0a"},
		{"token", bearer, Bearer{"t"}, ""},
		{"token for OpenID", connect, Bearer{"t"}, ""},
		{"token for OAuth2", oauth, Bearer{"t"}, ""},
		{"token for a key", apiKey, Bearer{"t"}, "it is apiKey and takes an API key"},
		{"token with its scheme", bearer, Bearer{"Bearer t"}, "give the token alone"},
		{"token for a certificate", mutual, Bearer{"t"}, "takes a client certificate"},
		{"user", basic, Basic{"u", "p"}, ""},
		{"user with a colon", basic, Basic{"u:v", "p"}, "colon"},
		{"user for bearer", bearer, Basic{"u", "p"}, "takes a bearer token"},
		{"client", oauth, OAuth2{ClientID: "c", ClientSecret: "s"}, ""},
		{"client for OpenID without endpoint", connect, OAuth2{ClientID: "c"}, "takes a bearer token"},
		{"client for OpenID", connect, OAuth2{ClientID: "c", TokenURL: "https://id.example.com/t"}, ""},
		{"client without id", oauth, OAuth2{ClientSecret: "s"}, "needs the id of a client"},
		{"password without its flow", oauth, OAuth2{Grant: Password, Username: "u"}, "has only clientCredentials, not password"},
		{"password without user", oauth, OAuth2{Grant: Password}, "needs a user"},
		{"client for a code flow", code, OAuth2{ClientID: "c"}, "has only authorizationCode, not clientCredentials"},
		{"client for a code flow with endpoint", code, OAuth2{ClientID: "c", TokenURL: "https://id.example.com/t"}, ""},
		{"grant that is not built", oauth, OAuth2{Grant: "implicit", ClientID: "c"}, `"implicit" is not built`},
		{"described endpoint, the server not being known yet", plain, OAuth2{ClientID: "c"}, ""},
		{"configured endpoint without TLS", plain, OAuth2{ClientID: "c", TokenURL: "http://id.example.com/t"}, ""},
		{"relative configured endpoint", oauth, OAuth2{ClientID: "c", TokenURL: "/t"}, "not an absolute URL"},
		{"endpoint with password", oauth, OAuth2{ClientID: "c", TokenURL: "https://u:p@id.example.com/t"}, "must not hold a user"},
		{"endpoint that is no web address", oauth, OAuth2{ClientID: "c", TokenURL: "ftp://id.example.com/t"}, "no http or https URL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.credential.fits(test.scheme)
			if test.fault == "" && err != nil {
				t.Fatal(err)
			}
			if test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
				t.Fatalf("got %v, expected %q in it", err, test.fault)
			}
		})
	}
}
