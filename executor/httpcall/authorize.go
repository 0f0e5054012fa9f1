package httpcall

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
)

// Authorizer knows what shows to the servers who sends a call.
type Authorizer interface {
	// Authorize gives what the request of the call gets. It is asked once for each
	// exchange, within the exchange's timeout. An error means that nothing can be
	// sent, and is told as the reason: it must not hold a secret.
	Authorize(ctx context.Context, call executor.Call) (executor.Authorization, error)
}

// masked stands in the record of a request where a credential was sent.
const masked = "***"

// leastSecret is the length from which a credential is looked for inside of other
// text: a shorter one would be found everywhere.
const leastSecret = 4

// authorized is a request with what shows who sends it.
type authorized struct {
	request  *Prepared
	record   *Prepared // the same with *** where credentials are
	notices  []string
	answered func(ctx context.Context, status int) (bool, error)
}

// authorize asks for what the request gets, and adds it. The error is a
// *fieldError where the request could not be written.
func (c *Client) authorize(ctx context.Context, p *Prepared, call executor.Call) (authorized, error) {
	a := authorized{request: p, record: p}
	if c.authorizer == nil {
		return a, nil
	}
	given, err := c.authorizer.Authorize(ctx, call)
	a.notices = given.Notices
	if err != nil || len(given.Fields) == 0 {
		return a, err
	}
	request, record, added := p.clone(), p.clone(), false
	for _, f := range given.Fields {
		if request.has(f) {
			continue
		}
		if err := request.add(f, record); err != nil {
			return a, &fieldError{fmt.Errorf("the credential in the %s %q: %w", f.In, f.Name, err)}
		}
		added = added || !f.Shown
	}
	a.request, a.record = request, record
	if added {
		a.answered = given.Answered
	}
	return a, nil
}

// fieldError tells that a field cannot be written.
type fieldError struct{ err error }

func (e *fieldError) Error() string { return e.err.Error() }
func (e *fieldError) Unwrap() error { return e.err }

// hear passes on that the server has answered, for what the answer says of the
// credential; what came from elsewhere says nothing of it.
func (a authorized) hear(ctx context.Context, o outcome, x *executor.Exchange) {
	if a.answered == nil || o.response == nil || o.crossed {
		return
	}
	renewed, err := a.answered(ctx, o.status)
	x.Renewed = renewed
	if err != nil {
		x.Notices = append(x.Notices, err.Error())
	}
}

func (p *Prepared) clone() *Prepared {
	to := *p
	u := *p.URL
	to.URL, to.Header = &u, p.Header.Clone()
	return &to
}

// has tells whether the request has the field already.
func (p *Prepared) has(f executor.AuthorizationField) bool {
	switch f.In {
	case inHeader:
		_, is := p.Header[textproto.CanonicalMIMEHeaderKey(f.Name)]
		return is
	case inQuery:
		return hasQuery(p.URL, f.Name)
	case inCookie:
		for _, line := range p.Header["Cookie"] {
			for pair := range strings.SplitSeq(line, ";") {
				if name, _, _ := strings.Cut(pair, "="); strings.TrimSpace(name) == f.Name {
					return true
				}
			}
		}
	}
	return false
}

func hasQuery(u *url.URL, wanted string) bool {
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && plain == wanted && pair != "" {
			return true
		}
	}
	return false
}

// add adds a field to the request, and the same to its record with *** as its
// value if it is secret.
func (p *Prepared) add(f executor.AuthorizationField, record *Prepared) error {
	shown := func(written string) string {
		if f.Shown {
			return written
		}
		return masked
	}
	switch f.In {
	case inHeader:
		if err := checkField(f.Name, f.Value); err != nil {
			return err
		}
		name, text := textproto.CanonicalMIMEHeaderKey(f.Name), textproto.TrimString(f.Value)
		p.Header[name], record.Header[name] = []string{text}, []string{shown(text)}
	case inQuery:
		name, text := plain.text(f.Name), plain.text(f.Value)
		p.addQuery(name + "=" + text)
		record.addQuery(name + "=" + shown(text))
		p.kept, record.kept = append(p.kept, name+"="+text), append(record.kept, name+"="+shown(text))
	case inCookie:
		if !source.IsToken(f.Name) {
			return errors.New("this is not the name of a cookie")
		}
		text := cookieOctets.text(f.Value)
		p.addCookie(f.Name + "=" + text)
		record.addCookie(f.Name + "=" + shown(text))
	default:
		return errors.New("there is no such place; the places are header, query and cookie")
	}
	if !f.Shown {
		p.secrets = append(p.secrets, f.Value)
	}
	return nil
}

func (p *Prepared) addQuery(pair string) {
	if p.URL.RawQuery != "" {
		p.URL.RawQuery += "&"
	}
	p.URL.RawQuery += pair
}

func (p *Prepared) addCookie(pair string) {
	p.Header["Cookie"] = []string{strings.Join(append(slices.Clone(p.Header["Cookie"]), pair), "; ")}
}

// keepQuery adds the query credentials of p to a request in the same origin, as
// its header credentials go along too.
func (p *Prepared) keepQuery(to *Prepared) {
	for _, pair := range p.kept {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err == nil && !hasQuery(to.URL, plain) {
			to.addQuery(pair)
		}
	}
	to.kept, to.secrets = p.kept, p.secrets
}

// leaks tells whether a URL, which a server made, holds a credential that the
// request had: servers that redirect often repeat the whole query.
func (p *Prepared) leaks(to *url.URL) bool {
	written := to.String()
	unescaped, err := url.QueryUnescape(written)
	if err != nil {
		unescaped = written
	}
	for _, secret := range p.secrets {
		if _, token, found := strings.Cut(secret, " "); found {
			secret = token // of Bearer and Basic
		}
		if len(secret) >= leastSecret && (strings.Contains(written, secret) || strings.Contains(unescaped, secret)) {
			return true
		}
	}
	for _, pair := range p.kept {
		if slices.Contains(strings.Split(to.RawQuery, "&"), pair) {
			return true
		}
	}
	return false
}

// unsent gives the exchange in which nothing was sent, since what shows who sends
// it is not to be had or cannot be written.
func unsent(x executor.Exchange, err error) executor.Exchange {
	var field *fieldError
	if errors.As(err, &field) {
		x.Refused = err.Error()
	} else {
		x.Reason = err.Error()
	}
	return x
}
