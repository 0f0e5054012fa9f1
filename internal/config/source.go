package config

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/idempotency"
)

func (r *reader) sources(n *arazzo.Node) map[string]Source {
	sources := map[string]Source{}
	r.each(n, "sources", func(key, item *arazzo.Node) {
		sources[key.Text] = r.source(key, item)
	})
	return sources
}

func (r *reader) source(key, n *arazzo.Node) Source {
	name, where := key.Text, "sources."+key.Text
	s := Source{Place: r.place(key.Span.Start)}
	r.object(n, where, []field{
		{name: "server", read: setting(r, &s.Server, r.server)},
		{name: "variables", read: func(n *arazzo.Node) { s.Variables = r.variables(n, where+".variables") }},
		{name: "auth", read: func(n *arazzo.Node) { s.Auth = r.auth(n, where+".auth") }},
		{name: "headers", read: func(n *arazzo.Node) { s.Headers = r.headers(n, where+".headers") }},
		{name: "ca", read: setting(r, &s.CA, r.path)},
		{name: "clientCertificate", read: func(n *arazzo.Node) {
			s.ClientCertificate = r.clientCertificate(n, where+".clientCertificate")
		}},
		{name: "proxy", read: setting(r, &s.Proxy, r.proxy)},
		{name: "idempotency", read: func(n *arazzo.Node) {
			s.Idempotency = r.profile(n, name, where+".idempotency")
		}},
		{name: "webhooks", read: func(n *arazzo.Node) { s.Webhooks = r.webhooks(n, where+".webhooks") }},
		{name: "effects", read: func(n *arazzo.Node) { s.Effects = r.effects(n, where+".effects") }},
	})
	return s
}

func (r *reader) variables(n *arazzo.Node, where string) map[string]string {
	variables := map[string]string{}
	r.each(n, where, func(key, item *arazzo.Node) {
		if text, ok := r.text(item); ok {
			variables[key.Text] = text
		}
	})
	return variables
}

func (r *reader) headers(n *arazzo.Node, where string) []Header {
	var headers []Header
	seen := map[string]bool{}
	r.each(n, where, func(key, item *arazzo.Node) {
		name := strings.ToLower(key.Text)
		switch {
		case !isToken(key.Text):
			r.fault(key.Span.Start, "%q is not the name of a header field", key.Text)
			return
		case seen[name]:
			r.fault(key.Span.Start, "the header %s is there already: upper and lower case are the same", key.Text)
			return
		}
		seen[name] = true
		text, ok := r.hidden(item)
		switch {
		case !ok:
		case !isFieldValue(text):
			r.fault(item.Span.Start, "the value of a header must be one line without control characters, and without spaces around it")
		default:
			headers = append(headers, Header{Name: key.Text, Value: text, Place: r.place(key.Span.Start)})
		}
	})
	return headers
}

// isToken tells whether text is a token: RFC 9110, section 5.6.2.
func isToken(text string) bool {
	for _, c := range []byte(text) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return text != ""
}

// isFieldValue tells whether text can be the value of a field: RFC 9110, section 5.5.
func isFieldValue(text string) bool {
	for _, c := range []byte(text) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return strings.Trim(text, " \t") == text
}

func (r *reader) clientCertificate(n *arazzo.Node, where string) *ClientCertificate {
	c := &ClientCertificate{Place: r.place(n.Span.Start)}
	r.object(n, where, []field{
		{name: "cert", required: true, read: into(&c.Cert, r.path)},
		{name: "key", required: true, read: into(&c.Key, r.path)},
	})
	return c
}

func (r *reader) effects(n *arazzo.Node, where string) map[string]Setting[string] {
	effects := map[string]Setting[string]{}
	mark := oneOf(r, idempotency.MarkRead, idempotency.MarkIdempotent, idempotency.MarkEffect)
	r.each(n, where, func(key, item *arazzo.Node) {
		var effect Setting[string]
		setting(r, &effect, mark)(item)
		if effect.Given {
			effects[key.Text] = effect
		}
	})
	return effects
}
