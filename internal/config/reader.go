package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/spelling"
)

// reader makes settings of the tree and gathers what is wrong with it.
type reader struct {
	file, folder string
	faults       []Fault
	secret       Environment // for what must not be seen
	open         Environment // for what may be: its memory is not looked at
}

// field is one key that a mapping may have.
type field struct {
	name     string
	required bool
	read     func(*arazzo.Node)
}

func (r *reader) place(at arazzo.Position) Place {
	return Place{File: r.file, Line: at.Line, Column: at.Column}
}

func (r *reader) fault(at arazzo.Position, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	r.faults = append(r.faults, Fault{Place: r.place(at), Message: err.Error(), Unset: errors.Is(err, errUnset)})
}

// wrong reports that a node is not what was expected. It says of what kind the node
// is, never what it holds.
func (r *reader) wrong(n *arazzo.Node, expected string) {
	r.fault(n.Span.Start, "expected %s, this is %s", expected, kindOf(n))
}

func kindOf(n *arazzo.Node) string {
	switch n.Kind {
	case value.KindNull:
		return "empty"
	case value.KindBool:
		return "true or false without quotes"
	case value.KindNumber:
		return "a number without quotes"
	case value.KindString:
		return "a string"
	case value.KindArray:
		return "a list"
	default:
		return "a mapping"
	}
}

// object reads a mapping with known keys. where names it in messages. An empty
// node is a mapping without keys: all below it may be commented out.
func (r *reader) object(n *arazzo.Node, where string, fields []field) {
	if !r.isMapping(n, where) {
		return
	}
	for _, m := range n.Members {
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == m.Key.Text })
		if at < 0 {
			r.unknownKey(m.Key, where, fields)
			continue
		}
		fields[at].read(m.Value)
	}
	for _, f := range fields {
		if f.required && n.Get(f.name) == nil {
			r.fault(n.Span.Start, "%s needs the key %s", where, f.name)
		}
	}
}

func (r *reader) unknownKey(key *arazzo.Node, where string, fields []field) {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	slices.Sort(names)
	r.fault(key.Span.Start, "%s has no key %q%s (known: %s)", where, key.Text, meant(key.Text, names), strings.Join(names, ", "))
}

// each reads a mapping whose keys are names of the user's.
func (r *reader) each(n *arazzo.Node, where string, read func(key, item *arazzo.Node)) {
	if !r.isMapping(n, where) {
		return
	}
	for _, m := range n.Members {
		if m.Key.Text == "" {
			r.fault(m.Key.Span.Start, "a key of %s must not be empty", where)
			continue
		}
		read(m.Key, m.Value)
	}
}

func (r *reader) isMapping(n *arazzo.Node, where string) bool {
	if n.Kind == value.KindObject || n.Kind == value.KindNull {
		return true
	}
	r.fault(n.Span.Start, "%s must be a mapping, this is %s", where, kindOf(n))
	return false
}

// list reads a list of at least one item.
func (r *reader) list(n *arazzo.Node, of string, read func(*arazzo.Node)) {
	if n.Kind != value.KindArray {
		r.wrong(n, "a list of "+of)
		return
	}
	if len(n.Items) == 0 {
		r.fault(n.Span.Start, "expected at least one of %s: leave the key out for none", of)
	}
	for _, item := range n.Items {
		read(item)
	}
}

// text reads a string that may be seen. ok is false where a fault was reported.
func (r *reader) text(n *arazzo.Node) (text string, ok bool) { return r.expand(n, &r.open) }

// hidden reads a string of which what comes from the environment is secret.
func (r *reader) hidden(n *arazzo.Node) (text string, ok bool) { return r.expand(n, &r.secret) }

// credential reads a string that is secret, wherever it comes from.
func (r *reader) credential(n *arazzo.Node) (text string, ok bool) {
	text, ok = r.hidden(n)
	r.secret.hide(text)
	return text, ok
}

func (r *reader) expand(n *arazzo.Node, e *Environment) (string, bool) {
	if n.Kind != value.KindString {
		r.wrong(n, "a string")
		return "", false
	}
	text, err := e.Expand(n.Text)
	switch {
	case err != nil:
		r.fault(n.Span.Start, "%w", err)
		return "", false
	case text == "":
		r.fault(n.Span.Start, "must not be empty")
		return "", false
	}
	return text, true
}

// oneOf gives a function that reads one of several words. They are not secret, and
// few: nothing is expanded.
func oneOf[T ~string](r *reader, words ...T) func(*arazzo.Node) (T, bool) {
	return func(n *arazzo.Node) (word T, ok bool) {
		if n.Kind == value.KindString && slices.Contains(words, T(n.Text)) {
			return T(n.Text), true
		}
		r.notListed(n, texts(words))
		return "", false
	}
}

func (r *reader) notListed(n *arazzo.Node, words []string) {
	if n.Kind != value.KindString {
		r.wrong(n, choice(words))
		return
	}
	r.fault(n.Span.Start, "expected %s, this is %q%s", choice(words), n.Text, meant(n.Text, words))
}

// meant asks after the nearest of the known words, if one is near.
func meant(text string, known []string) string {
	if near, ok := spelling.Nearest(text, known); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return ""
}

func texts[T ~string](words []T) []string {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = string(word)
	}
	return texts
}

func choice(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// setting gives a function that reads a node into a Setting.
func setting[T any](r *reader, into *Setting[T], read func(*arazzo.Node) (T, bool)) func(*arazzo.Node) {
	return func(n *arazzo.Node) {
		if v, ok := read(n); ok {
			*into = Setting[T]{Value: v, Given: true, Place: r.place(n.Span.Start)}
		}
	}
}

// into gives a function that reads a node into a variable.
func into[T any](target *T, read func(*arazzo.Node) (T, bool)) func(*arazzo.Node) {
	return func(n *arazzo.Node) {
		if v, ok := read(n); ok {
			*target = v
		}
	}
}
