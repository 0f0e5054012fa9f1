package credential

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
)

// Credential is what proves to one security scheme who calls: an APIKey, a Bearer,
// a Basic or an OAuth2. A client certificate is none of them: it belongs to the
// connection (Source.ClientCertificate).
type Credential interface {
	// fits tells why the credential is none for the scheme.
	fits(*source.SecurityScheme) error
	// secrets are the texts of it that must not be seen.
	secrets() []string
}

// APIKey is the value of an apiKey scheme, whether it is sent as query parameter,
// header or cookie.
type APIKey struct{ Key Secret }

// Bearer is a token (RFC 6750) for a scheme http bearer, or one that was got
// elsewhere for a scheme oauth2 or openIdConnect.
type Bearer struct{ Token Secret }

// Basic is a user with a password (RFC 7617).
type Basic struct {
	Username string
	Password Secret
}

// Grant is a way to get an OAuth2 token, by its name in OpenAPI.
type Grant string

// The grants.
const (
	ClientCredentials Grant = "clientCredentials" // RFC 6749, section 4.4
	Password          Grant = "password"          // RFC 6749, section 4.3
)

// OAuth2 says with what to get a token, and where.
type OAuth2 struct {
	Grant Grant // empty: ClientCredentials
	// TokenURL is the token endpoint; empty: that of the description's flow.
	TokenURL string
	// ClientID and ClientSecret go as HTTP Basic (RFC 6749, section 2.3.1); a client
	// without secret only names itself.
	ClientID     string
	ClientSecret Secret
	// Username and Password are for the grant Password.
	Username string
	Password Secret
	Scopes   []string // nil: those that the operation asks for
	Audience string   // empty: none is sent
}

func (c APIKey) secrets() []string { return []string{string(c.Key)} }
func (c Bearer) secrets() []string { return []string{string(c.Token)} }
func (c Basic) secrets() []string {
	return []string{string(c.Password), c.Username + ":" + string(c.Password), c.encoded()}
}
func (c OAuth2) secrets() []string {
	r := request{clientID: c.ClientID, clientSecret: string(c.ClientSecret)}
	return []string{r.clientSecret, string(c.Password), r.client()}
}

func (c Basic) encoded() string { return basic(c.Username, string(c.Password)) }

func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

// kindOf names a scheme's kind for people.
func kindOf(s *source.SecurityScheme) string {
	if s.Type == "http" {
		return "HTTP " + s.Scheme
	}
	return s.Type
}

// known tells why nothing is known of a scheme's kind; nil where it is built.
func known(s *source.SecurityScheme) error {
	switch {
	case s.Type == "http" && s.Scheme != "basic" && s.Scheme != "bearer":
		return fmt.Errorf("HTTP authentication %q is not built; basic and bearer are", s.Scheme)
	case s.Type == "apiKey" && s.In != "query" && s.In != "header" && s.In != "cookie":
		return fmt.Errorf("an API key cannot be sent in %q; the places are query, header and cookie", s.In)
	case s.Type == "apiKey" && s.Key == "":
		return errors.New("the description gives the API key no name")
	}
	switch s.Type {
	case "http", "apiKey", "oauth2", "openIdConnect", "mutualTLS":
		return nil
	default:
		return fmt.Errorf("security of type %q is not known; known are apiKey, http, oauth2, openIdConnect and mutualTLS", s.Type)
	}
}

// wanted says what a scheme takes.
func wanted(s *source.SecurityScheme) string {
	switch {
	case s.Type == "apiKey":
		return "an API key"
	case s.Type == "http" && s.Scheme == "basic":
		return "a user and a password"
	case s.Type == "oauth2":
		return "an OAuth2 client or a bearer token"
	case s.Type == "mutualTLS":
		return "a client certificate of the source"
	default:
		return "a bearer token"
	}
}

func mismatch(what string, s *source.SecurityScheme) error {
	return fmt.Errorf("%s is no credential for it: it is %s and takes %s", what, kindOf(s), wanted(s))
}

func (c APIKey) fits(s *source.SecurityScheme) error {
	if s.Type != "apiKey" {
		return mismatch("an API key", s)
	}
	return sound("the API key", string(c.Key))
}

func (c Bearer) fits(s *source.SecurityScheme) error {
	if s.Type == "apiKey" || s.Type == "mutualTLS" || s.Type == "http" && s.Scheme != "bearer" {
		return mismatch("a bearer token", s)
	}
	if len(c.Token) > 7 && strings.EqualFold(string(c.Token[:7]), "bearer ") {
		return errors.New("the bearer token begins with the word Bearer; give the token alone")
	}
	return sound("the bearer token", string(c.Token))
}

func (c Basic) fits(s *source.SecurityScheme) error {
	if s.Type != "http" || s.Scheme != "basic" {
		return mismatch("a user with a password", s)
	}
	if strings.Contains(c.Username, ":") {
		return errors.New("the user name holds a colon, which ends it")
	}
	return nil
}

func (c OAuth2) fits(s *source.SecurityScheme) error {
	if s.Type != "oauth2" && (s.Type != "openIdConnect" || c.TokenURL == "") {
		return mismatch("an OAuth2 client", s)
	}
	switch grant := c.grant(); {
	case grant != ClientCredentials && grant != Password:
		return fmt.Errorf("the grant %q is not built; %s and %s are", grant, ClientCredentials, Password)
	case grant == ClientCredentials && c.ClientID == "":
		return fmt.Errorf("the grant %s needs the id of a client", grant)
	case grant == Password && c.Username == "":
		return fmt.Errorf("the grant %s needs a user", grant)
	}
	_, err := c.endpoint(s, "")
	return err
}

func (c OAuth2) grant() Grant {
	if c.Grant == "" {
		return ClientCredentials
	}
	return c.Grant
}

// sound refuses what no request could carry.
func sound(what, text string) error {
	if text == "" {
		return fmt.Errorf("%s is empty", what)
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == 0x7f {
			return fmt.Errorf("%s holds the control character 0x%02x", what, c)
		}
	}
	return nil
}
