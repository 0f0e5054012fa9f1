package arazzo

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/spelling"
)

// decoder reads the model from the tree and collects what is wrong with it.
type decoder struct {
	faults  []Fault
	version Version
	written string // the version as the document writes it
	mute    bool   // the version is unknown: nothing can be said of the shape
}

func (d *decoder) fault(rule string, n *Node, format string, args ...any) {
	d.faultAt(rule, n.Span, n, format, args...)
}

// faultAt reports a fault of n at another place than its own.
func (d *decoder) faultAt(rule string, span Span, n *Node, format string, args ...any) {
	if d.mute {
		return
	}
	d.faults = append(d.faults, Fault{Rule: rule, Message: fmt.Sprintf(format, args...), Span: span, Pointer: n.Pointer()})
}

// field is one field of an object of the specification.
type field[T any] struct {
	name     string
	read     func(d *decoder, n *Node, into *T)
	required bool
	since    Version // the version that brought it, where that is not the first
}

// shape is what the specification says of one kind of object.
type shape[T any] struct {
	name   string // with its article: "a step"
	closed bool   // x- fields are not allowed
	fields []field[T]
	hints  map[string]string // what to write instead of a field that is often mistaken
}

// read reads the fields of n, which may be of any kind, and tells whether n is
// an object at all.
func (s *shape[T]) read(d *decoder, n *Node, into *T) bool {
	if !d.isObject(n, s.name) {
		return false
	}
	seen := make([]bool, len(s.fields))
	for i := range n.Members {
		m := &n.Members[i]
		at := s.find(m.Key.Text)
		if at < 0 {
			s.unknown(d, m)
			continue
		}
		seen[at] = true
		f := &s.fields[at]
		if f.since > d.version {
			d.faultAt("unknown-field", m.Key.Span, m.Value, "%s needs Arazzo 1.1; this document says %s", f.name, d.written)
		}
		f.read(d, m.Value, into)
	}
	for i, f := range s.fields {
		if f.required && !seen[i] {
			d.fault("schema", n, "%s needs the field %q", s.name, f.name)
		}
	}
	return true
}

func (s *shape[T]) find(name string) int {
	for i := range s.fields {
		if s.fields[i].name == name {
			return i
		}
	}
	return -1
}

// listedFields is the greatest count of fields that a message lists.
const listedFields = 8

// ownPrefix begins the names of Weft's own extensions. One that does not exist is
// a fault: a misspelt x-weft-idempotency would silently leave out the key.
const ownPrefix = "x-weft-"

// unknown reports a field that the object does not have, unless it is somebody
// else's extension.
func (s *shape[T]) unknown(d *decoder, m *Member) {
	name := m.Key.Text
	if strings.HasPrefix(name, "x-") && !strings.HasPrefix(name, ownPrefix) && !s.closed {
		return
	}
	var known []string
	for _, f := range s.fields {
		if f.since <= d.version && strings.HasPrefix(f.name, ownPrefix) == strings.HasPrefix(name, ownPrefix) {
			known = append(known, f.name)
		}
	}
	hint := ""
	if advice, ok := s.hints[name]; ok {
		hint = ": " + advice
	} else if near, ok := spelling.Nearest(name, known); ok {
		hint = fmt.Sprintf(": did you mean %q?", near)
	} else if len(known) > 0 && len(known) <= listedFields {
		hint = "; its fields are " + strings.Join(known, ", ")
	}
	d.faultAt("unknown-field", m.Key.Span, m.Value, "%s has no field %s%s", s.name, quote(name), hint)
}

func (d *decoder) isObject(n *Node, what string) bool {
	return d.isKind(n, value.KindObject, "schema", what+" (a mapping)")
}

// isKind reports n where it is of another kind than expected.
func (d *decoder) isKind(n *Node, kind value.Kind, rule, expected string) bool {
	if n.Kind == kind {
		return !n.broken
	}
	if n.broken {
		return false // reported already
	}
	hint := ""
	if expected == "a string" && (n.Kind == value.KindNumber || n.Kind == value.KindBool) {
		hint = "; put it in quotes"
	}
	d.fault(rule, n, "%sexpected %s, this is %s%s", subject(n), expected, describe(n), hint)
	return false
}

// subject names the field that n is the value of, to begin a message with.
func subject(n *Node) string {
	if n.parent == nil || n.parent.Kind != value.KindObject {
		return ""
	}
	if !isName(n.token, "._-$") {
		return quote(n.token) + ": "
	}
	return shorten(n.token) + ": "
}

// str reads a string field.
func str[T any](at func(*T) *Text) func(*decoder, *Node, *T) {
	return func(d *decoder, n *Node, into *T) { *at(into) = d.text(n) }
}

func (d *decoder) text(n *Node) Text {
	d.isKind(n, value.KindString, "schema", "a string")
	return Text{Node: n, Value: n.Text}
}

// word is one value that a field may have.
type word struct {
	name  string
	since Version
}

func words(names ...string) []word {
	list := make([]word, len(names))
	for i, name := range names {
		list[i] = word{name: name}
	}
	return list
}

// oneOf reads a string field that has a fixed set of values.
func oneOf[T any](rule string, allowed []word, at func(*T) *Text) func(*decoder, *Node, *T) {
	return func(d *decoder, n *Node, into *T) {
		*at(into) = Text{Node: n, Value: n.Text}
		d.checkWord(rule, n, allowed)
	}
}

// checkWord reports n where it is none of the allowed values.
func (d *decoder) checkWord(rule string, n *Node, allowed []word) bool {
	var known []string
	for _, w := range allowed {
		if w.since > d.version {
			if n.Text == w.name {
				d.fault(rule, n, "%s%s needs Arazzo 1.1; this document says %s", subject(n), w.name, d.written)
				return false
			}
			continue
		}
		if n.Kind == value.KindString && n.Text == w.name {
			return true
		}
		known = append(known, w.name)
	}
	if n.Kind != value.KindString {
		return d.isKind(n, value.KindString, rule, choice(known))
	}
	d.fault(rule, n, "%sexpected %s, this is %s", subject(n), choice(known), quote(n.Text))
	return false
}

// list says what a list holds and how many.
type list struct {
	of  string // "steps"
	min int
}

// items gives the items of n, reporting what is wrong with the list itself.
func (d *decoder) items(n *Node, l list) []*Node {
	if !d.isKind(n, value.KindArray, "schema", "a list of "+l.of) {
		return nil
	}
	if len(n.Items) < l.min {
		d.fault("schema", n, "%sthe list of %s is empty: it needs at least one", subject(n), l.of)
	}
	d.checkUnique(n)
	return n.Items
}

// checkUnique reports each item that says the same as one before it.
func (d *decoder) checkUnique(n *Node) {
	if d.mute || !mayRepeat(n.Items) {
		return
	}
	first := make(map[string]int, len(n.Items))
	for i, item := range n.Items {
		key := string(item.appendCanonical(nil))
		if j, ok := first[key]; ok {
			d.fault("schema", item, "the same as item %d of this list, in line %d: items must differ", j+1, n.Items[j].Span.Start.Line)
			continue
		}
		first[key] = i
	}
}

// objects reads a list of objects.
func objects[T, E any](l list, read func(*decoder, *Node) *E, at func(*T) *[]*E) func(*decoder, *Node, *T) {
	return func(d *decoder, n *Node, into *T) {
		for _, item := range d.items(n, l) {
			if e := read(d, item); e != nil {
				*at(into) = append(*at(into), e)
			}
		}
	}
}

// texts reads a list of strings.
func texts[T any](l list, at func(*T) *[]Text) func(*decoder, *Node, *T) {
	return func(d *decoder, n *Node, into *T) {
		for _, item := range d.items(n, l) {
			*at(into) = append(*at(into), d.text(item))
		}
	}
}

// anything keeps a field of any kind as it is.
func anything[T any](at func(*T) **Node) func(*decoder, *Node, *T) {
	return func(_ *decoder, n *Node, into *T) { *at(into) = n }
}

// number reads a number field and checks it.
func number[T any](rule, expected string, valid func(string) bool, at func(*T) *Number) func(*decoder, *Node, *T) {
	return func(d *decoder, n *Node, into *T) {
		if !d.isKind(n, value.KindNumber, rule, expected) {
			return
		}
		*at(into) = Number{Node: n, Raw: n.Text}
		if !valid(n.Text) {
			d.fault(rule, n, "%sexpected %s, this is %s", subject(n), expected, shorten(n.Text))
		}
	}
}

// members gives the members of a map, reporting where n is none and where a
// name breaks the pattern of names (specification, Components Object).
func (d *decoder) members(n *Node, rule, what string) []Member {
	if !d.isKind(n, value.KindObject, "schema", "a mapping of "+what+" by name") {
		return nil
	}
	for _, m := range n.Members {
		if !isName(m.Key.Text, "._-") {
			d.faultAt(rule, m.Key.Span, m.Value, "the name %s may have letters, digits, '.', '-' and '_' only", quote(m.Key.Text))
		}
	}
	return n.Members
}

// isName tells whether s is made of ASCII letters, digits and the given marks.
func isName(s, marks string) bool {
	for _, r := range s {
		alphanumeric := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !alphanumeric && !strings.ContainsRune(marks, r) {
			return false
		}
	}
	return s != ""
}
