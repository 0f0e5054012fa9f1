package arazzo

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

var statesShape = shape[States]{name: "x-weft-states", fields: []field[States]{
	{name: "initial", required: true, read: str(func(s *States) *Text { return &s.Initial })},
	{name: "terminal", read: texts(list{"states", 0}, func(s *States) *[]Text { return &s.Terminal })},
	{name: "transitions", required: true, read: (*decoder).transitions},
}}

func (d *decoder) states(n *Node) *States {
	s := &States{Node: n}
	if !statesShape.read(d, n, s) {
		return nil
	}
	return s
}

func (d *decoder) transitions(n *Node, into *States) {
	if !d.isKind(n, value.KindObject, "schema", "a mapping from a state to the states that may follow it") {
		return
	}
	for _, m := range n.Members {
		t := Transition{From: Text{Node: m.Key, Value: m.Key.Text}}
		for _, item := range d.items(m.Value, list{"states", 0}) {
			t.To = append(t.To, d.text(item))
		}
		into.Transitions = append(into.Transitions, t)
	}
}

var stateShape = shape[State]{name: "x-weft-state", fields: []field[State]{
	{name: "value", required: true, read: str(func(s *State) *Text { return &s.Value })},
	{name: "map", required: true, read: func(d *decoder, n *Node, into *State) {
		if !d.isKind(n, value.KindObject, "schema", "a mapping from values to states") {
			return
		}
		for _, m := range n.Members {
			into.Map = append(into.Map, Named[Text]{Name: Text{Node: m.Key, Value: m.Key.Text}, Value: d.text(m.Value)})
		}
	}},
}}

// state reads x-weft-state: a state, or a value with a map from values to states.
func (d *decoder) state(n *Node) *State {
	s := &State{Node: n}
	switch n.Kind {
	case value.KindString:
		s.To = Text{Node: n, Value: n.Text}
	case value.KindObject:
		stateShape.read(d, n, s)
	default:
		d.isKind(n, value.KindString, "schema", "a state, or a mapping with value and map")
		return nil
	}
	return s
}

var idempotencyShape = shape[Idempotency]{name: "x-weft-idempotency", fields: []field[Idempotency]{
	{name: "header", read: (*decoder).keyHeader},
	{name: "format", read: oneOf("schema", words("raw", "sf-string", "uuid"), func(i *Idempotency) *Text { return &i.Format })},
	{name: "key", read: str(func(i *Idempotency) *Text { return &i.Key })},
}}

// idempotency reads x-weft-idempotency: off, or how the key is made and sent.
func (d *decoder) idempotency(n *Node) *Idempotency {
	i := &Idempotency{Node: n}
	switch {
	case n.Kind == value.KindString && n.Text == "off":
		i.Off = true
	case n.Kind == value.KindObject:
		idempotencyShape.read(d, n, i)
	case n.Kind == value.KindString:
		d.fault("schema", n, "x-weft-idempotency: expected off, or a mapping with header, format and key, this is %s", quote(n.Text))
		return nil
	default:
		d.isKind(n, value.KindObject, "schema", "off, or a mapping with header, format and key")
		return nil
	}
	return i
}

// keyHeader reads the name of a header field (RFC 9110, section 5.1).
func (d *decoder) keyHeader(n *Node, into *Idempotency) {
	into.Header = d.text(n)
	if n.Kind == value.KindString && !isName(n.Text, "!#$%&'*+-.^_`|~") {
		d.fault("schema", n, "header: %s is no name of a header field", quote(n.Text))
	}
}

var backoffShape = shape[Backoff]{name: "x-weft-backoff", fields: []field[Backoff]{
	{name: "factor", required: true, read: number("schema", "a number, 1 or more", isOneOrMore, func(b *Backoff) *Number { return &b.Factor })},
	{name: "max", read: number("schema", "a number of seconds, 0 or more",
		func(s string) bool { return !isNegative(s) }, func(b *Backoff) *Number { return &b.Max })},
}}

// isOneOrMore tells whether a JSON number without an exponent is at least 1;
// with one it is taken to be.
func isOneOrMore(s string) bool {
	return !isNegative(s) && (strings.ContainsAny(s, "eE") || !strings.HasPrefix(s, "0") && !strings.HasPrefix(s, "-"))
}

func (d *decoder) backoff(n *Node) *Backoff {
	b := &Backoff{Node: n}
	if !backoffShape.read(d, n, b) {
		return nil
	}
	return b
}
