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
// or no scalar.
func CorrelationKeys(v value.Value) []string {
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

// maxNumberText keeps a number with an absurd exponent from being written out.
const maxNumberText = 40

// Locator says where a message has a value. Its text is $message.header.NAME,
// $message.payload with what may follow it in a runtime expression,
// $message.query.NAME, or $message.path.NAME for an address parameter.
type Locator struct {
	text       string
	part, name string                 // for query and path
	compiled   *expression.Expression // for header and payload
}

// ParseLocator reads a place in a message.
func ParseLocator(text string) (Locator, error) {
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

// String gives the locator as ParseLocator reads it; empty for the zero Locator.
func (l Locator) String() string { return l.text }

// IsZero tells that the locator says nothing.
func (l Locator) IsZero() bool { return l.text == "" }

// In gives the value that a message has there; value.Absent where it has none.
func (l Locator) In(m *Message) value.Value {
	switch {
	case l.compiled != nil:
		return l.compiled.Eval(&messageView{message: m})
	case l.part == "query" && len(m.Query[l.name]) > 0:
		return value.String(m.Query[l.name][0])
	case l.part == "path":
		return textOrAbsent(m.Path[l.name])
	default:
		return value.Absent
	}
}
