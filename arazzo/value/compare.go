package value

import (
	"cmp"
	"unicode"
	"unicode/utf8"
)

// Identical tells whether a and b are the same value: of one kind, numbers by
// their exact numeric value (1, 1.0 and 10e-1 are the same), strings byte for
// byte, arrays element by element, objects whatever the order of their members.
func Identical(a, b Value) bool {
	return deepEqual(a, b, func(a, b string) bool { return a == b })
}

// LooseEqual tells whether Arazzo's == holds between a and b (Arazzo 1.1,
// Criterion Object): strings are compared without regard to case, a string that
// writes a number equals that number, and null, which absent stands for as well,
// equals null alone. Values of other different kinds are unequal.
//
// Arrays and objects are equal where their elements and members are. Beneath
// them the case of strings does not matter either, but no string is taken for a
// number, and the names of members are exact.
func LooseEqual(a, b Value) bool {
	switch {
	case a.IsNothing() || b.IsNothing():
		return a.IsNothing() && b.IsNothing()
	case a.kind == b.kind:
		return deepEqual(a, b, equalFold)
	case a.kind == KindNumber && b.kind == KindString:
		return isNumber(b.text) && compareNumbers(a.text, b.text) == 0
	case a.kind == KindString && b.kind == KindNumber:
		return isNumber(a.text) && compareNumbers(a.text, b.text) == 0
	default:
		return false
	}
}

// Order compares a and b as Arazzo's <, <=, > and >= do: two operands that are
// numbers or strings that write numbers compare as numbers, exactly; two other
// strings by code point without regard to case. The result is negative, zero or
// positive. For any other pair ok is false, and each of the four comparisons is.
//
// Order is a total order among numbers, and among strings that write none.
func Order(a, b Value) (order int, ok bool) {
	if a.isNumeric() && b.isNumeric() {
		return compareNumbers(a.text, b.text), true
	}
	if a.kind == KindString && b.kind == KindString {
		return compareFold(a.text, b.text), true
	}
	return 0, false
}

// isNumeric tells whether v is a number or a string that writes one in JSON's
// grammar: no white space, no plus sign, no leading zero.
func (v Value) isNumeric() bool {
	return v.kind == KindNumber || v.kind == KindString && isNumber(v.text)
}

func deepEqual(a, b Value, sameText func(a, b string) bool) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case KindNumber:
		return compareNumbers(a.text, b.text) == 0
	case KindString:
		return sameText(a.text, b.text)
	case KindArray:
		if a.tree == b.tree {
			return true
		}
		if len(a.tree.items) != len(b.tree.items) {
			return false
		}
		for i := range a.tree.items {
			if !deepEqual(a.tree.items[i], b.tree.items[i], sameText) {
				return false
			}
		}
		return true
	case KindObject:
		return a.tree == b.tree || equalMembers(a, b, sameText)
	default:
		return a.text == b.text
	}
}

// equalMembers relies on the names within an object being distinct.
func equalMembers(a, b Value, sameText func(a, b string) bool) bool {
	if len(a.tree.members) != len(b.tree.members) {
		return false
	}
	for i, m := range a.tree.members {
		other := b.tree.members[i]
		if other.Name != m.Name {
			other.Value = b.Get(m.Name)
		}
		if !deepEqual(m.Value, other.Value, sameText) {
			return false
		}
	}
	return true
}

func equalFold(a, b string) bool { return a == b || compareFold(a, b) == 0 }

// compareFold orders two strings by their code points after Unicode's simple
// case folding. Bytes that are not UTF-8 come last and are told apart.
func compareFold(a, b string) int {
	for a != "" && b != "" {
		if a[0] < utf8.RuneSelf && b[0] < utf8.RuneSelf {
			if a[0] != b[0] {
				if c := cmp.Compare(lower(a[0]), lower(b[0])); c != 0 {
					return c
				}
			}
			a, b = a[1:], b[1:]
			continue
		}
		x, sizeX := foldedRune(a)
		y, sizeY := foldedRune(b)
		if x != y {
			return cmp.Compare(x, y)
		}
		a, b = a[sizeX:], b[sizeY:]
	}
	return cmp.Compare(len(a), len(b))
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// foldedRune gives the rune that stands for all that the first rune of s folds
// with: a lower-case ASCII letter where there is one, else the least.
func foldedRune(s string) (folded rune, size int) {
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 {
		return unicode.MaxRune + 1 + rune(s[0]), 1
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	if least < utf8.RuneSelf {
		least = rune(lower(byte(least)))
	}
	return least, size
}
