package expression

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// String writes e in its one canonical form, which Parse reads back as e.
func (e *Expression) String() string {
	var b strings.Builder
	e.writeName(&b)
	if e.hasPointer {
		b.WriteByte('#')
		b.WriteString(e.Pointer.String())
	}
	for _, a := range e.Accesses {
		if a.IsIndex {
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(a.Index))
			b.WriteByte(']')
			continue
		}
		b.WriteByte('.')
		b.WriteString(a.Name)
	}
	return b.String()
}

// Standard writes e as the grammar has it: with a JSON Pointer in place of dots
// and brackets. It is what a fix of the tolerated forms puts in their place.
func (e *Expression) Standard() string {
	if len(e.Accesses) == 0 {
		return e.String()
	}
	var b strings.Builder
	e.writeName(&b)
	b.WriteByte('#')
	for _, a := range e.Accesses {
		b.WriteByte('/')
		if a.IsIndex {
			b.WriteString(strconv.Itoa(a.Index))
			continue
		}
		b.WriteString(value.EscapeToken(a.Name))
	}
	return b.String()
}

// writeName writes the expression up to its pointer.
func (e *Expression) writeName(b *strings.Builder) {
	b.WriteString(roots[e.Root].word)
	if e.Owner != "" {
		b.WriteByte('.')
		b.WriteString(e.Owner)
	}
	switch e.Part {
	case HeaderPart:
		b.WriteString(".header.")
	case QueryPart:
		b.WriteString(".query.")
	case PathPart:
		b.WriteString(".path.")
	case BodyPart:
		b.WriteString(".body")
	case PayloadPart:
		b.WriteString(".payload")
	case InputsPart:
		b.WriteString(".inputs.")
	case OutputsPart:
		b.WriteString(".outputs.")
	case NoPart:
		if !roots[e.Root].alone {
			b.WriteByte('.')
		}
	}
	if e.Part == QueryPart || e.Part == PathPart || e.Root == SourceDescriptions {
		writeChars(b, e.Name)
		return
	}
	b.WriteString(e.Name)
}

// writeChars writes a name of any characters, with the escapes that the grammar
// demands.
func writeChars(b *strings.Builder, name string) {
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case isPlainChar(c):
			b.WriteByte(c)
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			fmt.Fprintf(b, `\u%04x`, c)
		}
	}
}
