package reason

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Types is a set of the types that a value may be of.
type Types uint8

// The types. A number is of the type Integer or of the type Fraction.
const (
	Null Types = 1 << iota
	Bool
	Integer
	Fraction
	String
	Array
	Object

	Number  = Integer | Fraction
	AnyType = Null | Bool | Number | String | Array | Object
)

// typeWords names the types as schemas do; number before integer, which it holds.
var typeWords = []struct {
	of   Types
	word string
}{
	{String, "string"}, {Number, "number"}, {Integer, "integer"}, {Bool, "boolean"}, {Array, "array"}, {Object, "object"}, {Null, "null"},
}

// Has tells whether one of the types of u is in t.
func (t Types) Has(u Types) bool { return t&u != 0 }

// Words names the types as schemas do.
func (t Types) Words() []string {
	var words []string
	for _, w := range typeWords {
		if t&w.of == w.of {
			words = append(words, w.word)
			t &^= w.of
		}
	}
	if t.Has(Fraction) {
		words = append(words, "number")
	}
	return words
}

// String names the types: "integer or null".
func (t Types) String() string {
	switch t {
	case AnyType:
		return "anything"
	case 0:
		return "nothing"
	default:
		return strings.Join(t.Words(), " or ")
	}
}

// named gives the types that the keyword type names; all where it is not there,
// or names one that is not known.
func named(keyword value.Value) Types {
	names := keyword.Items()
	if keyword.Kind() == value.KindString {
		names = []value.Value{keyword}
	}
	var all Types
	for _, name := range names {
		one, ok := typeNamed(name.Text())
		if !ok {
			return AnyType
		}
		all |= one
	}
	if all == 0 {
		return AnyType
	}
	return all
}

func typeNamed(name string) (Types, bool) {
	for _, w := range typeWords {
		if w.word == name {
			return w.of, true
		}
	}
	return 0, false
}

// typeOf gives the type of a value. A number that may or may not have a fraction
// counts as both.
func typeOf(v value.Value) Types {
	switch v.Kind() {
	case value.KindBool:
		return Bool
	case value.KindNumber:
		if text, _ := v.NumberText(); !strings.ContainsAny(text, ".eE") {
			return Integer
		}
		return Number
	case value.KindString:
		return String
	case value.KindArray:
		return Array
	case value.KindObject:
		return Object
	default:
		return Null
	}
}
