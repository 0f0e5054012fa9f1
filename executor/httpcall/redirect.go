package httpcall

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/weft-flow/weft/executor"
)

// maxRedirects is how many redirects of one exchange are followed.
const maxRedirects = 10

// follow sends a request and follows what redirects may be followed: all of a GET
// or HEAD that changes nothing, up to a limit; of others only a 303 in the same
// origin, once, as GET.
func (c *Client) follow(ctx context.Context, a authorized, call executor.Call) outcome {
	p, record := a.request, a.record
	o := c.send(ctx, p, call.Effectful && len(p.Body) == 0)
	safe := p.Method == http.MethodGet || p.Method == http.MethodHead
	if call.Effectful || !safe {
		return c.followSeeOther(ctx, a, call, o)
	}
	first := origin(p.URL)
	for range maxRedirects {
		next, why := redirected(p, o.response)
		if next == nil {
			o.note = cmp.Or(why, o.note)
			return o
		}
		var hop executor.Redirect
		hop, record = recordedRedirect(record, o.response)
		hops := append(o.redirects, hop)
		p = next
		o = c.send(ctx, p, false)
		o.note, o.crossed, o.redirects = "after a redirect", origin(p.URL) != first, hops
	}
	if next, _ := redirected(p, o.response); next != nil {
		o.note = fmt.Sprintf("more than %d redirects", maxRedirects)
	}
	return o
}

// followSeeOther follows a 303: the operation is done, and its answer is elsewhere.
func (c *Client) followSeeOther(ctx context.Context, a authorized, call executor.Call, first outcome) outcome {
	p := a.request
	if first.status != http.StatusSeeOther {
		return first
	}
	next, _ := redirected(p, first.response)
	if next == nil || origin(next.URL) != origin(p.URL) {
		return first
	}
	o := c.send(ctx, next, false)
	hop, _ := recordedRedirect(a.record, first.response)
	o.seeOther, o.redirects = call.Effectful, []executor.Redirect{hop}
	o.note = "303 followed"
	return o
}

// recordedRedirect gives a redirect that is followed as it is recorded: record is what
// is recorded of the request that it answers, next of the one that follows.
func recordedRedirect(record *Prepared, r *executor.Response) (hop executor.Redirect, next *Prepared) {
	hop.Response = executor.Response{Status: r.Status, Header: r.Header, Protocol: r.Protocol}
	if next, _ = redirected(record, r); next == nil {
		return hop, record
	}
	hop.Next = next.Sent()
	return hop, next
}

// redirected gives the request that a redirect asks for, or nil where the response
// is none that can be followed, with the reason where it needs one. The request
// never has a body or a key; header fields and credentials go along only within
// the origin.
func redirected(p *Prepared, r *executor.Response) (next *Prepared, why string) {
	if r == nil {
		return nil, ""
	}
	switch r.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, ""
	}
	location, _ := r.Header.Get("Location")
	to, err := url.Parse(location)
	if location == "" || err != nil {
		return nil, ""
	}
	to = p.URL.ResolveReference(to)
	to.Fragment, to.RawFragment = "", ""
	if to.Scheme != "http" && to.Scheme != "https" || to.Host == "" || to.User != nil {
		return nil, ""
	}
	same := origin(to) == origin(p.URL)
	if !same && p.leaks(to) {
		return nil, "the redirect would carry a credential to another origin and was not followed"
	}
	next = &Prepared{Method: http.MethodGet, URL: to, Header: redirectedHeader(p, same)}
	if p.Method == http.MethodHead {
		next.Method = http.MethodHead
	}
	if same {
		p.keepQuery(next)
	}
	return next, ""
}

// negotiation holds the fields that may cross an origin: they say what the client
// understands. Any other may be a key, a cookie or a credential, whatever its name.
var negotiation = [...]string{"Accept", "Accept-Language", "User-Agent"}

func redirectedHeader(p *Prepared, sameOrigin bool) http.Header {
	h := make(http.Header)
	if !sameOrigin {
		for _, name := range negotiation {
			if values, ok := p.Header[name]; ok {
				h[name] = values
			}
		}
		return h
	}
	h = p.Header.Clone()
	if p.Body != nil {
		h.Del("Content-Type")
	}
	if p.key != "" {
		h.Del(p.key)
	}
	return h
}

// origin gives scheme, host and port of a URL (RFC 6454).
func origin(u *url.URL) string {
	address, err := hostPort(u)
	if err != nil {
		address = u.Host
	}
	return u.Scheme + "://" + address
}
