package config

import (
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// positive reads a duration longer than nothing.
func (r *reader) positive(n *arazzo.Node) (time.Duration, bool) {
	d, ok := r.duration(n)
	if ok && d == 0 {
		r.fault(n.Span.Start, "must be longer than nothing")
		return 0, false
	}
	return d, ok
}

// duration reads a duration in Go's form, which is not negative.
func (r *reader) duration(n *arazzo.Node) (time.Duration, bool) {
	const expected = "a duration with its unit, such as 800ms, 30s or 1h"
	if n.Kind != value.KindString {
		r.wrong(n, expected)
		return 0, false
	}
	text, ok := r.text(n)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		r.fault(n.Span.Start, "expected %s, this is %q", expected, n.Text)
		return 0, false
	}
	if d < 0 {
		r.fault(n.Span.Start, "must not be negative")
		return 0, false
	}
	return d, true
}

// size reads a count of bytes, alone or with a unit.
func (r *reader) size(n *arazzo.Node) (int64, bool) {
	text, ok := n.Text, n.Kind == value.KindNumber
	if !ok {
		if text, ok = r.text(n); !ok {
			return 0, false
		}
	}
	size, err := ParseSize(text)
	if err != nil {
		r.fault(n.Span.Start, "expected a size such as 512KiB or 10MiB, this is %q", n.Text)
		return 0, false
	}
	return size, true
}

// count reads a whole number from 1 on.
func (r *reader) count(n *arazzo.Node) (int, bool) {
	if n.Kind == value.KindNumber {
		if i, err := strconv.ParseInt(n.Text, 10, 32); err == nil && i > 0 {
			return int(i), true
		}
		r.fault(n.Span.Start, "expected a whole number from 1 on, this is %s", n.Text)
		return 0, false
	}
	r.wrong(n, "a whole number from 1 on")
	return 0, false
}

// status reads the status of an HTTP response.
func (r *reader) status(n *arazzo.Node) (int, bool) {
	if n.Kind != value.KindNumber {
		r.wrong(n, "an HTTP status")
		return 0, false
	}
	return r.statusText(n)
}

// statusText reads a status that may be a key, which is always a text.
func (r *reader) statusText(n *arazzo.Node) (int, bool) {
	if len(n.Text) == 3 && n.Text >= "100" && n.Text < "600" {
		if status, err := strconv.Atoi(n.Text); err == nil {
			return status, true
		}
	}
	r.fault(n.Span.Start, "expected an HTTP status from 100 to 599, this is %q", n.Text)
	return 0, false
}

// path reads the name of a file, a relative one from the folder of the
// configuration on.
func (r *reader) path(n *arazzo.Node) (string, bool) {
	text, ok := r.text(n)
	if !ok || filepath.IsAbs(text) {
		return text, ok
	}
	return filepath.Join(r.folder, filepath.FromSlash(text)), true
}

// address reads an absolute http or https URL without a fragment.
func (r *reader) address(n *arazzo.Node, text string) (*url.URL, bool) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		r.fault(n.Span.Start, "expected an absolute http or https URL, such as https://api.example.com")
	case u.Fragment != "":
		r.fault(n.Span.Start, "a URL must have no fragment here")
	default:
		return u, true
	}
	return nil, false
}

// server reads the base URL of an API.
func (r *reader) server(n *arazzo.Node) (string, bool) {
	text, ok := r.text(n)
	if !ok {
		return "", false
	}
	u, ok := r.address(n, text)
	switch {
	case !ok:
		return "", false
	case u.User != nil:
		r.fault(n.Span.Start, "a server's URL must hold no user or password: they belong under auth")
		return "", false
	case u.RawQuery != "" || u.ForceQuery:
		r.fault(n.Span.Start, "a server's URL must have no query")
		return "", false
	}
	return text, true
}

// tokenURL reads the URL of a token endpoint, which may have a query (RFC 6749,
// section 3.2).
func (r *reader) tokenURL(n *arazzo.Node) (string, bool) {
	text, ok := r.hidden(n)
	if !ok {
		return "", false
	}
	u, ok := r.address(n, text)
	if ok && u.User != nil {
		r.fault(n.Span.Start, "a token URL must hold no user or password: they are clientId and clientSecret")
		return "", false
	}
	return text, ok
}

// noProxy is the word for going straight to the server.
const noProxy = "none"

// proxy reads the URL of a proxy; nil stands for none at all.
func (r *reader) proxy(n *arazzo.Node) (*url.URL, bool) {
	text, ok := r.hidden(n)
	if !ok || text == noProxy {
		return nil, ok
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		r.fault(n.Span.Start, "expected the http or https URL of a proxy, or %s", noProxy)
		return nil, false
	}
	if password, ok := u.User.Password(); ok {
		r.secret.hide(password)
	}
	return u, true
}
