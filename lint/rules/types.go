package rules

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// kinds is a set of kinds that a value may have, or unknown.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	number
	text
	list
	object
)

const unknown = null | boolean | number | text | list | object

var kindWords = []struct {
	kind kinds
	word string
}{
	{null, "null"}, {boolean, "a boolean"}, {number, "a number"}, {text, "a text"}, {list, "a list"}, {object, "an object"},
}

func (k kinds) String() string {
	var words []string
	for _, w := range kindWords {
		if k&w.kind != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " or ")
}

// kindsOf gives the kinds that an operand of a condition can have. Absent counts
// as null, which any expression may be.
func kindsOf(c *lint.Criterion, n expression.Node) kinds {
	switch n := n.(type) {
	case *expression.Literal:
		return literalKinds(n.Value)
	case *expression.Text:
		return text
	case *expression.Not, *expression.Binary:
		return boolean
	case *expression.Operand:
		if k := expressionKinds(c.Workflow, n.Expression); k != unknown {
			return k | null
		}
	}
	read, ok := readingOf(n)
	if !ok {
		return unknown
	}
	return described(c.SchemaAlong(read.expression, read.tokens)) | null
}

// described gives the kinds that a schema allows.
func described(s reason.Schema) kinds {
	var k kinds
	types := s.Types()
	for _, of := range typeKinds {
		if types.Has(of.types) {
			k |= of.kind
		}
	}
	return k
}

var typeKinds = []struct {
	types reason.Types
	kind  kinds
}{
	{reason.Null, null}, {reason.Bool, boolean}, {reason.Number, number}, {reason.String, text}, {reason.Array, list}, {reason.Object, object},
}

func literalKinds(v value.Value) kinds {
	switch v.Kind() {
	case value.KindBool:
		return boolean
	case value.KindNumber:
		return number
	case value.KindString:
		return text
	default:
		return null
	}
}

// expressionKinds gives the kinds that the value of an expression can have.
func expressionKinds(w *lint.Workflow, e *expression.Expression) kinds {
	switch {
	case e.HasPointer() || len(e.Accesses) > 0:
		return unknown
	case e.Root == expression.StatusCode:
		return number
	case e.Root == expression.Method, e.Root == expression.URL, e.Root == expression.Self,
		e.Root == expression.SourceDescriptions && e.Name == "url", e.Part == expression.HeaderPart && e.Root != expression.Message:
		return text
	case e.Root == expression.Inputs && w != nil:
		return inputKinds(w, e.Name)
	default:
		return unknown
	}
}

// inputKinds gives the kinds that the schema of an input names; unknown where it
// says nothing plain.
func inputKinds(w *lint.Workflow, name string) kinds {
	schema := w.Model.Inputs.Get("properties").Get(name)
	if schema == nil || schema.Kind != value.KindObject || w.Model.Inputs.Get("$ref") != nil || schema.Get("$ref") != nil {
		return unknown
	}
	kind := schema.Get("type")
	if kind == nil {
		return unknown
	}
	words := []*arazzo.Node{kind}
	if kind.Kind == value.KindArray {
		words = kind.Items
	}
	var all kinds
	for _, word := range words {
		one, ok := schemaKinds[word.Text]
		if !ok {
			return unknown
		}
		all |= one
	}
	return all
}

var schemaKinds = map[string]kinds{
	"null": null, "boolean": boolean, "number": number, "integer": number, "string": text, "array": list, "object": object,
}

// neverHolds tells whether a comparison cannot hold, whatever the values of its
// kinds are. To be unequal can always hold.
func neverHolds(c *lint.Criterion, b *expression.Binary) bool {
	if !b.Operator.IsComparison() || b.Operator == expression.NotEqual {
		return false
	}
	left, right := kindsOf(c, b.Left), kindsOf(c, b.Right)
	if bothLiteral(b) || left&right&^null != 0 && canCompare(b.Operator, left&right) {
		return false
	}
	if b.Operator == expression.Equal && left&right&null != 0 {
		return false // both may be missing
	}
	return !numberAgainstText(b, left, right) && !numberAgainstText(b, right, left)
}

func bothLiteral(b *expression.Binary) bool {
	_, left := b.Left.(*expression.Literal)
	_, right := b.Right.(*expression.Literal)
	return left && right
}

// canCompare tells whether two values of one of the kinds can be compared so.
func canCompare(o expression.Operator, k kinds) bool {
	if o == expression.Equal {
		return k&^null != 0
	}
	return k&(number|text) != 0
}

// numberAgainstText tells whether one side may be a number and the other a text
// that writes one.
func numberAgainstText(b *expression.Binary, numbers, texts kinds) bool {
	if numbers&number == 0 || texts&text == 0 || isWord(b.Left) || isWord(b.Right) {
		return false
	}
	for _, n := range []expression.Node{b.Left, b.Right} {
		if l, ok := n.(*expression.Literal); ok && l.Value.Kind() == value.KindString {
			return isNumeric(l.Value.Text())
		}
	}
	return true
}

// isWord tells whether an operand is a text that never writes a number.
func isWord(n expression.Node) bool {
	o, ok := n.(*expression.Operand)
	return ok && (o.Expression.Root == expression.Method || o.Expression.Root == expression.URL)
}

func isNumeric(s string) bool {
	_, err := value.Number(s)
	return err == nil
}

// whyNever says what stands against each other in a comparison.
func whyNever(c *lint.Criterion, b *expression.Binary) string {
	left, right := kindsOf(c, b.Left), kindsOf(c, b.Right)
	if b.Operator != expression.Equal {
		for _, k := range []kinds{left, right} {
			if k == null || k&^null == boolean {
				return side(k) + " has no order"
			}
		}
	}
	return fmt.Sprintf("%s is compared with %s", side(left), side(right))
}

// side names the kinds of one side, without the null that any expression may be.
func side(k kinds) string {
	if k != null {
		k &^= null
	}
	return k.String()
}
