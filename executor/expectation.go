package executor

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// Expectation says which messages of a mailbox belong to a run: those that have a
// value at a place.
type Expectation struct {
	Box   string // the name of the mailbox
	Where Locator
	Value value.Value
	// Identity is where a message has what names it (x-weft-message-id), for those
	// whose protocol names none; the zero Locator: nowhere.
	Identity Locator
}

// Matches tells whether a message belongs to the run by its content. Values are
// compared as text, exactly, two numbers as numbers, and 16 bytes with the text of
// a UUID as UUIDs. What is absent or empty matches nothing.
func (e Expectation) Matches(m *Message) bool {
	return SameCorrelation(e.Where.In(m), e.Value)
}

// SameCorrelation compares what a message has with what is expected of it.
func SameCorrelation(has, expected value.Value) bool {
	for _, key := range CorrelationKeys(expected) {
		for _, other := range CorrelationKeys(has) {
			if key == other {
				return true
			}
		}
	}
	return false
}

// CorrelationKeys gives texts by which a correlation value can be looked up: two
// values are the same where they share one. There is none for what is absent, empty
// or no scalar. A list is one of the values of a joined Locator, which all must be the
// same.
func CorrelationKeys(v value.Value) []string {
	if v.Kind() == value.KindArray {
		return combinedKeys(v.Items())
	}
	if v.IsNothing() || !v.IsScalar() || v.Text() == "" {
		return nil
	}
	keys := []string{"text:" + v.Text()}
	if v.Kind() == value.KindNumber {
		if r, ok := new(big.Rat).SetString(v.Text()); ok && len(v.Text()) <= maxNumberText {
			keys = append(keys, "number:"+r.RatString())
		}
	}
	if v.Kind() == value.KindString && len(v.Text()) == 16 {
		if id, err := uuid.FromBytes([]byte(v.Text())); err == nil {
			keys = append(keys, "text:"+id.String())
		}
	}
	return keys
}

// combinedKeys gives the keys of several values together: each of one with each of the
// others.
func combinedKeys(items []value.Value) []string {
	if len(items) == 0 || len(items) > maxJoined {
		return nil
	}
	all := []string{""}
	for _, item := range items {
		if item.Kind() == value.KindArray {
			return nil
		}
		var next []string
		for _, before := range all {
			for _, key := range CorrelationKeys(item) {
				next = append(next, before+fmt.Sprintf("%d:", len(key))+key)
			}
		}
		all = next
	}
	return all
}

// maxJoined bounds how many places a joined Locator has.
const maxJoined = 6

// maxNumberText keeps a number with an absurd exponent from being written out.
const maxNumberText = 40

// Locator says where a message has a value. Its text is $message.header.NAME,
// $message.payload with what may follow it in a runtime expression,
// $message.query.NAME, or $message.path.NAME for an address parameter.
type Locator struct {
	text       string
	part, name string                 // for query and path
	compiled   *expression.Expression // for header and payload
	joined     []Locator              // several places, which all count
}

// joint stands between the places of a joined Locator.
const joint = " + "

// JoinLocators makes one Locator of several: what is there is the list of all values.
func JoinLocators(all ...Locator) Locator {
	if len(all) == 1 {
		return all[0]
	}
	texts := make([]string, len(all))
	for i, l := range all {
		texts[i] = l.text
	}
	return Locator{text: strings.Join(texts, joint), joined: all}
}

// ParseLocator reads a place in a message, or several joined by " + ".
func ParseLocator(text string) (Locator, error) {
	if parts := strings.Split(text, joint+"$message."); len(parts) > 1 {
		return parseJoined(parts)
	}
	for _, part := range []string{"query", "path"} {
		if name, ok := strings.CutPrefix(text, "$message."+part+"."); ok && name != "" {
			return Locator{text: text, part: part, name: name}, nil
		}
	}
	e, err := expression.Parse(text, nil)
	if err != nil {
		return Locator{}, fmt.Errorf("%q is no place in a message: %w", text, err)
	}
	if e.Root != expression.Message {
		return Locator{}, fmt.Errorf("%q is no place in a message; expected $message.header.NAME or $message.payload#/POINTER", text)
	}
	return Locator{text: text, compiled: e}, nil
}

// parseJoined reads the parts of a joined Locator, of which all but the first lack their
// beginning.
func parseJoined(parts []string) (Locator, error) {
	all := make([]Locator, len(parts))
	for i, part := range parts {
		if i > 0 {
			part = "$message." + part
		}
		var err error
		if all[i], err = ParseLocator(part); err != nil {
			return Locator{}, err
		}
	}
	return JoinLocators(all...), nil
}

// String gives the locator as ParseLocator reads it; empty for the zero Locator.
func (l Locator) String() string { return l.text }

// IsZero tells that the locator says nothing.
func (l Locator) IsZero() bool { return l.text == "" }

// In gives the value that a message has there; value.Absent where it has none.
func (l Locator) In(m *Message) value.Value {
	switch {
	case l.joined != nil:
		items := make([]value.Value, len(l.joined))
		for i, one := range l.joined {
			items[i] = one.In(m)
		}
		return value.Array(items...)
	case l.compiled != nil:
		v := l.compiled.Eval(&messageView{message: m})
		if v.Kind() == value.KindArray {
			return value.Absent // a list is no value to be recognised by
		}
		return v
	case l.part == "query":
		return listedOnce(m.Query[l.name])
	case l.part == "path":
		return textOrAbsent(m.Path[l.name])
	default:
		return value.Absent
	}
}

// listedOnce gives a query value that stands there once: of several nobody can tell
// which is meant.
func listedOnce(texts []string) value.Value {
	if len(texts) != 1 {
		return value.Absent
	}
	return value.String(texts[0])
}
