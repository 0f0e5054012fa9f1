package config

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/idempotency"
)

// profile reads what an API does with idempotency keys; nil where nothing is said.
// A dialect that is known is the base, by its name or by its header; what is written
// beside it overrules.
func (r *reader) profile(n *arazzo.Node, name, where string) *idempotency.Profile {
	p := &idempotency.Profile{Name: name, Dialect: r.base(n, where)}
	d := &p.Dialect
	r.object(n, where, []field{
		{name: "dialect", read: func(*arazzo.Node) {}},
		{name: "header", read: func(*arazzo.Node) {}},
		{name: "format", read: into(&d.Format, oneOf(r, idempotency.Raw, idempotency.SFString, idempotency.UUID))},
		{name: "maxLength", read: into(&d.MaxLength, r.count)},
		{name: "retention", read: into(&d.Retention, r.positive)},
		{name: "kept", read: into(&d.Kept, oneOf(r, idempotency.KeptAll, idempotency.KeptSuccess, idempotency.KeptState))},
		{name: "methods", read: func(n *arazzo.Node) {
			r.list(n, "methods", func(item *arazzo.Node) { p.Methods = append(p.Methods, r.method(item)...) })
		}},
		{name: "statuses", read: func(n *arazzo.Node) { p.Statuses = r.statuses(n, where+".statuses") }},
		{name: "inFlight", read: into(&d.Statuses.InFlight, r.status)},
		{name: "settleAfter", read: into(&p.SettleAfter, r.positive)},
	})
	if len(n.Members) == 0 {
		return nil
	}
	return p
}

// base gives the dialect that a profile begins with.
func (r *reader) base(n *arazzo.Node, where string) (d idempotency.Dialect) {
	dialect, header := n.Get("dialect"), n.Get("header")
	switch {
	case dialect != nil && header != nil:
		r.fault(header.Span.Start, "%s has a dialect, which says the header: give one of the two", where)
	case dialect != nil:
		if name, ok := oneOf(r, dialectNames()...)(dialect); ok {
			d, _ = idempotency.ByName(name)
		}
	case header != nil:
		name, ok := r.text(header)
		if ok && !isToken(name) {
			r.fault(header.Span.Start, "%q is not the name of a header field", header.Text)
		}
		known, ok := idempotency.KnownHeader(name)
		if !ok {
			known = idempotency.Plain(name)
		}
		d, d.Header = known, name
	default:
		for _, m := range n.Members {
			switch m.Key.Text {
			case "format", "maxLength", "retention", "kept", "methods":
				r.fault(m.Key.Span.Start, "%s is about a key: %s needs a dialect or a header too", m.Key.Text, where)
			}
		}
	}
	return d
}

func dialectNames() []string {
	var names []string
	for _, d := range idempotency.Dialects() {
		names = append(names, d.Name)
	}
	return names
}

// method reads the name of one HTTP method; none where it is none.
func (r *reader) method(n *arazzo.Node) []string {
	text, ok := r.text(n)
	if !ok {
		return nil
	}
	if !isToken(text) || text != strings.ToUpper(text) {
		r.fault(n.Span.Start, "expected an HTTP method in upper case, such as POST, this is %q", n.Text)
		return nil
	}
	return []string{text}
}

// statuses reads what certain statuses say of an attempt. It cannot be that
// nothing was sent: a status is an answer.
func (r *reader) statuses(n *arazzo.Node, where string) map[int]idempotency.Class {
	classes := map[int]idempotency.Class{}
	read := oneOf(r, idempotency.NotProcessed, idempotency.Rejected, idempotency.Deferred, idempotency.Succeeded, idempotency.Unknown)
	r.each(n, where, func(key, item *arazzo.Node) {
		status, known := r.statusText(key)
		class, ok := read(item)
		if known && ok {
			classes[status] = class
		}
	})
	return classes
}
