package asyncapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Part is the part of a message that an expression reads.
type Part string

// The parts of a message.
const (
	Header  Part = "header"
	Payload Part = "payload"
)

// Expression names a place in a message (AsyncAPI, Runtime Expression). It is not
// the language of Arazzo, although it looks like it.
type Expression struct {
	Part    Part
	Pointer value.Pointer // empty: the whole part
}

// String writes the expression as a description does.
func (e Expression) String() string {
	text := "$message." + string(e.Part)
	if len(e.Pointer) > 0 {
		text += "#" + e.Pointer.String()
	}
	return text
}

// ParseExpression reads $message.header#/POINTER or $message.payload#/POINTER;
// the pointer may be left out.
func ParseExpression(text string) (Expression, error) {
	source, fragment, _ := strings.Cut(text, "#")
	part, ok := strings.CutPrefix(source, "$message.")
	if !ok {
		return Expression{}, fmt.Errorf("%w, this is %q", errForm, text)
	}
	switch e := (Expression{Part: Part(part)}); e.Part {
	case Header, Payload:
		pointer, err := value.ParsePointer(fragment)
		if err != nil {
			return Expression{}, fmt.Errorf("the pointer of %q cannot be read: %w", text, err)
		}
		e.Pointer = pointer
		return e, nil
	}
	if meant := meantExpression(part, fragment); meant != "" {
		return Expression{}, fmt.Errorf("%w, this is %q; did you mean %q?", errForm, text, meant)
	}
	return Expression{}, fmt.Errorf("%w, this is %q", errForm, text)
}

var errForm = errors.New("expected $message.header or $message.payload with a JSON Pointer, as in $message.header#/id")

// meantExpression corrects the words of others: the plural, Arazzo's body, and
// names that follow a dot.
func meantExpression(part, fragment string) string {
	part, name, dotted := strings.Cut(part, ".")
	if dotted && fragment == "" {
		for token := range strings.SplitSeq(name, ".") {
			fragment += "/" + value.EscapeToken(token)
		}
	}
	switch part {
	case "header", "headers":
		part = "header"
	case "payload", "body":
		part = "payload"
	default:
		return ""
	}
	if _, err := value.ParsePointer(fragment); err != nil || fragment == "" {
		return "$message." + part
	}
	return "$message." + part + "#" + fragment
}
