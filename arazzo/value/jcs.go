package value

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// AppendJCS appends v to dst as canonical JSON: without white space, members
// sorted by the UTF-16 code units of their names, strings escaped as RFC 8785
// says. Absent is written as null, bytes that are not UTF-8 as U+FFFD.
//
// It departs from RFC 8785 in one place: a number does not pass through a
// binary float, it keeps all its digits. It is laid out as RFC 8785 lays out
// numbers, one form for each numeric value, so both agree wherever the number is
// written as shortly as its float can be; 9007199254740993 and 9007199254740992
// stay different. Values that are Identical have one text.
func AppendJCS(dst []byte, v Value) []byte {
	switch v.kind {
	case KindNumber:
		return appendDecimal(dst, parseDecimal(v.text))
	case KindArray:
		dst = append(dst, '[')
		for i, item := range v.tree.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJCS(dst, item)
		}
		return append(dst, ']')
	case KindObject:
		dst = append(dst, '{')
		for i, m := range sortedMembers(v.tree.members) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.Name), ':')
			dst = AppendJCS(dst, m.Value)
		}
		return append(dst, '}')
	default:
		return AppendJSON(dst, v)
	}
}

func sortedMembers(members []Member) []Member {
	order := func(a, b Member) int {
		if c := compareUTF16(a.Name, b.Name); c != 0 {
			return c
		}
		// Two names can only be written alike where they are not UTF-8.
		return strings.Compare(a.Name, b.Name)
	}
	if slices.IsSortedFunc(members, order) {
		return members
	}
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, order)
	return sorted
}

// compareUTF16 orders two strings by their UTF-16 code units (RFC 8785, section
// 3.2.3). It differs from the order of bytes only where a code point past U+FFFF,
// whose surrogates begin at 0xD800, meets one from U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	if i == len(a) || i == len(b) {
		return cmp.Compare(len(a), len(b))
	}
	for i > 0 && !utf8.RuneStart(a[i]) {
		i--
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	return cmp.Compare(unitOrder(x), unitOrder(y))
}

// unitOrder moves the code points past U+FFFF to where their surrogates sort.
func unitOrder(r rune) rune {
	const surrogates, moved = 0xE000, 0x110000
	if r >= surrogates && r <= 0xFFFF {
		return r + moved
	}
	return r
}
