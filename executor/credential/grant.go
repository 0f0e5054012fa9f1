package credential

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

const (
	// TokenTimeout limits one request for a token.
	TokenTimeout = 30 * time.Second
	// MaxTokenAnswer is the size of an answer to such a request, in bytes, up to
	// which it is looked at.
	MaxTokenAnswer = 1 << 20
	// maxToken is the length of a token, in bytes: longer ones fit into no header.
	maxToken = 64 << 10
	// maxLifetime bounds what a server may say: none lives longer than this process.
	maxLifetime = 10 * 365 * 24 * time.Hour
)

// request is what a token is asked for with. Who would ask for the same shares
// the token.
type request struct {
	endpoint               string
	grant                  Grant
	clientID, clientSecret string
	username, password     string
	scope, audience        string
}

func (c OAuth2) request(n need, server string) (request, error) {
	endpoint, err := c.endpoint(n.scheme, server)
	if err != nil {
		return request{}, err
	}
	scopes := c.Scopes
	if scopes == nil {
		scopes = n.scopes
	}
	scopes = slices.Compact(slices.Sorted(slices.Values(scopes)))
	r := request{
		endpoint: endpoint.String(), grant: c.grant(), clientID: c.ClientID, clientSecret: string(c.ClientSecret),
		scope: strings.Join(scopes, " "), audience: c.Audience,
	}
	if r.grant == Password {
		r.username, r.password = c.Username, string(c.Password)
	}
	return r, nil
}

// call gives the token request (RFC 6749, sections 4.3.2 and 4.4.2).
func (r request) call() (executor.Call, error) {
	u, err := url.Parse(r.endpoint)
	if err != nil {
		return executor.Call{}, errors.New("the endpoint is not a URL")
	}
	path := u.EscapedPath()
	if u.RawQuery != "" {
		path += "?" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(u.RawQuery)
	}
	arguments := []executor.Argument{{Name: "Accept", In: "header", Value: value.String("application/json")}}
	if client := r.client(); client != "" {
		arguments = append(arguments, executor.Argument{Name: "Authorization", In: "header", Value: value.String("Basic " + client)})
	}
	return executor.Call{
		Name:      "token",
		Attempt:   1,
		Operation: &source.Operation{Method: "POST", Path: path},
		Server:    u.Scheme + "://" + u.Host,
		Arguments: arguments,
		Body: &executor.Body{
			ContentType: "application/x-www-form-urlencoded", Value: value.String(r.form()), Verbatim: true,
		},
		Effectful: true,
		Timeout:   TokenTimeout,
	}, nil
}

// client is how the client shows who it is: id and secret are form-encoded first
// (RFC 6749, section 2.3.1). It is empty where there is no secret to show.
func (r request) client() string {
	if r.clientSecret == "" {
		return ""
	}
	return basic(url.QueryEscape(r.clientID), url.QueryEscape(r.clientSecret))
}

func (r request) form() string {
	form := url.Values{}
	form.Set("grant_type", "client_credentials")
	if r.grant == Password {
		form.Set("grant_type", "password")
		form.Set("username", r.username)
		form.Set("password", r.password)
	}
	for name, text := range map[string]string{"scope": r.scope, "audience": r.audience} {
		if text != "" {
			form.Set(name, text)
		}
	}
	if r.clientSecret == "" && r.clientID != "" {
		form.Set("client_id", r.clientID)
	}
	return form.Encode()
}

// fault tells why there is no token, without a secret.
func (r request) fault(why string) error {
	u, err := url.Parse(r.endpoint)
	if err != nil {
		return errors.New("no token: " + why)
	}
	return fmt.Errorf("no token from %s: %s", shown(u), why)
}

// issued is a token as the server gave it.
type issued struct {
	token    string
	lifetime time.Duration
	expires  bool // whether lifetime is known
}

// read takes the token out of the answer (RFC 6749, sections 5.1 and 5.2).
func (r request) read(x executor.Exchange) (issued, error) {
	switch {
	case x.Response == nil && x.Refused != "":
		return issued{}, r.fault(x.Refused)
	case x.Response == nil:
		return issued{}, r.fault(cmp.Or(x.Reason, "there was no answer"))
	case x.Response.Status != 200:
		return issued{}, r.fault(strings.TrimSpace(fmt.Sprintf("status %d %s", x.Response.Status, errorCode(x.Response.Body))))
	case len(x.Response.Body) > MaxTokenAnswer:
		return issued{}, r.fault("the answer is too large")
	}
	var answer struct {
		Token   string          `json:"access_token"`
		Type    string          `json:"token_type"`
		Expires json.RawMessage `json:"expires_in"`
	}
	if json.Unmarshal(x.Response.Body, &answer) != nil {
		return issued{}, r.fault("the answer is not JSON as RFC 6749 describes it")
	}
	switch {
	case answer.Token == "":
		return issued{}, r.fault("the answer has no access_token")
	case len(answer.Token) > maxToken || sound("the token", answer.Token) != nil:
		return issued{}, r.fault("the access_token cannot be sent in a header")
	case answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return issued{}, r.fault("the token is of another type than bearer")
	}
	t := issued{token: answer.Token}
	t.lifetime, t.expires = lifetime(string(answer.Expires))
	return t, nil
}

// lifetime reads expires_in, which some servers write as a string.
func lifetime(text string) (time.Duration, bool) {
	seconds, err := strconv.ParseFloat(strings.Trim(text, `"`), 64)
	if err != nil || seconds != seconds {
		return 0, false
	}
	seconds = min(max(seconds, 0), maxLifetime.Seconds())
	return time.Duration(seconds * float64(time.Second)), true
}

// codes are the errors of a token endpoint that are passed on (RFC 6749, sections
// 4.1.2.1 and 5.2; RFC 8707). Any other text may hold what was sent.
var codes = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
	"invalid_scope", "invalid_target", "access_denied", "server_error", "temporarily_unavailable",
}

func errorCode(body []byte) string {
	var answer struct {
		Error string `json:"error"`
	}
	if len(body) > MaxTokenAnswer || json.Unmarshal(body, &answer) != nil || !slices.Contains(codes, answer.Error) {
		return ""
	}
	return answer.Error
}
