package httpcall

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// userAgent is what the client calls itself where the document does not say.
const userAgent = "weft"

// Prepared is a request as it will be sent. It must not be changed once a client
// has it.
type Prepared struct {
	Method string
	URL    *url.URL
	Header http.Header
	Body   []byte // nil: none is sent

	host    string   // of the Host field; empty: that of URL
	key     string   // name of the field with the idempotency key; empty: none is sent
	kept    []string // query pairs, written, that go along within the origin
	secrets []string // values of credentials that were added
}

// Sent gives the request as it is recorded. Its header is that of p, which nobody may
// change.
func (p *Prepared) Sent() executor.Sent {
	return executor.Sent{
		Method: p.Method,
		URL:    p.URL.String(),
		Header: executor.Header(p.Header),
		Body:   p.Body,
	}
}

// Target gives the path and query, as the first line of the request has them.
func (p *Prepared) Target() string { return p.URL.RequestURI() }

// Prepare writes a call as a request. Nothing is sent that the call does not
// give, but for the name of the client. An error tells in words why the call
// cannot be sent as its description demands, and names the parameter.
func Prepare(call executor.Call) (*Prepared, error) {
	if call.Operation == nil {
		return nil, errors.New("the call has no operation")
	}
	p := &Prepared{Method: call.Operation.Method, Header: make(http.Header, 4)}
	if !source.IsToken(p.Method) {
		return nil, fmt.Errorf("%q is not an HTTP method", p.Method)
	}
	args, err := sortArguments(call.Arguments)
	if err != nil {
		return nil, err
	}
	if p.URL, err = buildURL(call.Server, call.Operation.Path, args); err != nil {
		return nil, err
	}
	if err := setHeaders(p.Header, args.header, args.cookie); err != nil {
		return nil, err
	}
	if err := p.setKey(call.Key); err != nil {
		return nil, err
	}
	if err := p.setBody(call); err != nil {
		return nil, err
	}
	if _, given := p.Header["User-Agent"]; !given {
		p.Header["User-Agent"] = []string{userAgent}
	}
	return p, nil
}

// arguments are the parameters of a call by their place.
type arguments struct {
	path, query, whole, header, cookie []parameter
}

func sortArguments(list []executor.Argument) (arguments, error) {
	var args arguments
	for _, a := range list {
		if a.Value.IsNothing() {
			continue
		}
		p := describe(a)
		switch a.In {
		case inPath:
			args.path = append(args.path, p)
		case inQuery:
			args.query = append(args.query, p)
		case inQuerystring:
			args.whole = append(args.whole, p)
		case inHeader:
			args.header = append(args.header, p)
		case inCookie:
			args.cookie = append(args.cookie, p)
		default:
			return args, fmt.Errorf("the parameter %q: there is no place %q in a request; the places are path, query, querystring, header and cookie", a.Name, a.In)
		}
	}
	return args, nil
}

func buildURL(server, path string, args arguments) (*url.URL, error) {
	base, err := parseServer(server)
	if err != nil {
		return nil, err
	}
	filled, err := fillPath(path, args.path)
	if err != nil {
		return nil, err
	}
	query, err := buildQuery(base.RawQuery, filled.query, args.query, args.whole)
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(pathLiteral.text(base.EscapedPath()), "/")
	if filled.path != "" && filled.path[0] != '/' {
		text += "/"
	}
	text += filled.path
	if text == "" {
		text = "/"
	}
	u := &url.URL{Scheme: base.Scheme, Host: base.Host, RawPath: text, RawQuery: query}
	if u.Path, err = url.PathUnescape(text); err != nil {
		return nil, fmt.Errorf("the path %s: %w", path, err)
	}
	return u, nil
}

func parseServer(server string) (*url.URL, error) {
	base, err := url.Parse(server)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the server %q is not a URL", server)
	case base.Scheme != "http" && base.Scheme != "https" || base.Host == "":
		return nil, fmt.Errorf("the server %q is not an absolute http or https URL", server)
	case base.User != nil:
		return nil, errors.New("the server URL holds a user name or password; credentials belong into the configuration")
	}
	return base, nil
}

func (p *Prepared) setKey(key *idempotency.Key) error {
	if key == nil {
		return nil
	}
	if err := checkField(key.Header, key.Value); err != nil {
		return fmt.Errorf("the idempotency key in %s: %w", key.Header, err)
	}
	p.key = key.Header
	p.Header.Set(key.Header, key.Value)
	return nil
}

// setBody writes the body. A Content-Type that the document also writes as a
// parameter must agree with it: one request cannot be of two types.
func (p *Prepared) setBody(call executor.Call) error {
	if call.Body == nil {
		return nil
	}
	body, contentType, err := encodeBody(call.Body)
	if err != nil {
		return err
	}
	if given := p.Header.Get("Content-Type"); given != "" {
		kind, _ := parseMedia(given)
		if of, _ := parseMedia(contentType); kind != of {
			return fmt.Errorf("the header parameter \"Content-Type\" says %s, but the request body is of type %s", kind, of)
		}
		if !strings.HasPrefix(kind, "multipart/") {
			contentType = given
		}
	}
	p.Body = body
	p.Header.Set("Content-Type", contentType)
	return nil
}
