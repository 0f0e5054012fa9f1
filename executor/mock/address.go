package mock

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// address gives where a message is to be sent; nil, with the reason, where it cannot be.
// A callback whose address the request did not give has no reason: it is not wanted.
func (o *outbox) address(in *incoming, answer *reply, h *webhook) (target *url.URL, failure string) {
	if !h.isCallback() {
		return o.addressOf(h, h.source), ""
	}
	if h.address == nil {
		return nil, h.unreadable
	}
	text, err := h.address.Eval(asked{in, answer})
	if err != nil || text.IsNothing() || text.Text() == "" {
		return nil, ""
	}
	target, err = url.Parse(text.Text())
	switch {
	case err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https":
		return nil, "the request gave " + strconv.Quote(text.Text()) + " as address, which is no URL of HTTP"
	case !o.reachable(target):
		return nil, "the request gave " + strconv.Quote(text.Text()) + " as address, which is not on this machine"
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wanted == nil {
		o.wanted = map[*webhook]*url.URL{}
	}
	o.wanted[h] = target
	return target, ""
}

// addressOf gives the fixed address of a webhook, of a source by one of its names.
func (o *outbox) addressOf(h *webhook, source string) *url.URL {
	target := *o.base
	below := strings.TrimSuffix(target.EscapedPath(), "/") + "/webhooks/" + url.PathEscape(source) + "/" + url.PathEscape(h.name)
	target.RawPath = below
	target.Path, _ = url.PathUnescape(below) // what was just escaped can be unescaped
	return &target
}

// asked is a request and its answer, as expressions see them.
type asked struct {
	in     *incoming
	answer *reply
}

// Resolve gives what an expression names.
func (a asked) Resolve(e *expression.Expression) value.Value {
	switch e.Root {
	case expression.URL:
		return value.String(a.in.scheme + "://" + a.in.host + a.in.escapedPath)
	case expression.Method:
		return value.String(a.in.method)
	case expression.StatusCode:
		return value.Int(int64(a.answer.status))
	case expression.Request:
		return a.request(e)
	case expression.Response:
		switch e.Part {
		case expression.HeaderPart:
			return fieldOf(a.answer.header, e.Name)
		case expression.BodyPart:
			body, _ := value.ParseJSON(a.answer.body)
			return body
		}
	}
	return value.Absent
}

func (a asked) request(e *expression.Expression) value.Value {
	switch e.Part {
	case expression.HeaderPart:
		return fieldOf(a.in.header, e.Name)
	case expression.QueryPart:
		if a.in.query.Has(e.Name) {
			return value.String(a.in.query.Get(e.Name))
		}
	case expression.PathPart:
		if text, ok := a.in.params[e.Name]; ok {
			return value.String(text)
		}
	case expression.BodyPart:
		return a.in.body
	}
	return value.Absent
}

func fieldOf(header http.Header, name string) value.Value {
	if all := header.Values(name); len(all) > 0 {
		return value.String(strings.Join(all, ", "))
	}
	return value.Absent
}
