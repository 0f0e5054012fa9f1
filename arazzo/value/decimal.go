package value

import (
	"cmp"
	"strconv"
	"strings"
)

// maxExponentDigits bounds the exponent of a number: it must fit an int64 with
// room for the length of the digits. RFC 8259, section 6, lets a reader set
// limits on the range of numbers.
const maxExponentDigits = 18

// isNumber tells whether text is a number by the grammar of RFC 8259, section 6,
// with an exponent of at most maxExponentDigits digits.
func isNumber(text string) bool {
	n := scanNumber(text)
	return n > 0 && n == len(text)
}

// scanNumber gives the length of the number that s begins with, 0 where it
// begins with none.
func scanNumber[T string | []byte](s T) int {
	i := 0
	if i < len(s) && s[i] == '-' {
		i++
	}
	whole := digits(s[i:])
	if whole == 0 || whole > 1 && s[i] == '0' {
		return 0
	}
	i += whole
	if i < len(s) && s[i] == '.' {
		fraction := digits(s[i+1:])
		if fraction == 0 {
			return 0
		}
		i += 1 + fraction
	}
	if i == len(s) || s[i] != 'e' && s[i] != 'E' {
		return i
	}
	i++
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	for i+1 < len(s) && s[i] == '0' && s[i+1] >= '0' && s[i+1] <= '9' {
		i++
	}
	exponent := digits(s[i:])
	if exponent == 0 || exponent > maxExponentDigits {
		return 0
	}
	return i + exponent
}

func digits[T string | []byte](s T) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// decimal is a number as 0.DIGITS times ten to the power of point. It is never
// written out, so the size of an exponent costs nothing. Of a number that is
// not zero, the first and the last digit are not 0; zero has no digits.
type decimal struct {
	negative bool
	// The digits before and after the point as written, trimmed at the outer
	// ends only: keeping them apart saves joining them.
	whole, fraction string
	point           int64
}

// parseDecimal reads a text that isNumber accepts.
func parseDecimal(text string) decimal {
	var d decimal
	if text[0] == '-' {
		d.negative, text = true, text[1:]
	}
	var exponent int64
	if at := strings.IndexAny(text, "eE"); at >= 0 {
		exponent, _ = strconv.ParseInt(text[at+1:], 10, 64)
		text = text[:at]
	}
	d.whole, d.fraction, _ = strings.Cut(text, ".")
	d.whole = strings.TrimLeft(d.whole, "0")
	d.fraction = strings.TrimRight(d.fraction, "0")
	d.point = exponent + int64(len(d.whole))
	if d.whole == "" {
		trimmed := strings.TrimLeft(d.fraction, "0")
		d.point -= int64(len(d.fraction) - len(trimmed))
		d.fraction = trimmed
	}
	if d.fraction == "" {
		d.whole = strings.TrimRight(d.whole, "0")
	}
	if d.isZero() {
		return decimal{}
	}
	return d
}

func (d decimal) isZero() bool { return d.whole == "" && d.fraction == "" }

func (d decimal) len() int { return len(d.whole) + len(d.fraction) }

// digit gives the digit at a position from 0; '0' past the last.
func (d decimal) digit(i int) byte {
	if i < len(d.whole) {
		return d.whole[i]
	}
	if i -= len(d.whole); i < len(d.fraction) {
		return d.fraction[i]
	}
	return '0'
}

func (d decimal) sign() int {
	switch {
	case d.isZero():
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// compareDecimals orders two numbers by their exact values.
func compareDecimals(a, b decimal) int {
	if c := cmp.Compare(a.sign(), b.sign()); c != 0 || a.isZero() {
		return c
	}
	c := cmp.Compare(a.point, b.point)
	for i, n := 0, max(a.len(), b.len()); c == 0 && i < n; i++ {
		c = cmp.Compare(a.digit(i), b.digit(i))
	}
	if a.negative {
		return -c
	}
	return c
}

// compareNumbers orders two texts that isNumber accepts by their exact values.
func compareNumbers(a, b string) int {
	if a == b {
		return 0
	}
	if x, ok := smallInteger(a); ok {
		if y, ok := smallInteger(b); ok {
			return cmp.Compare(x, y)
		}
	}
	return compareDecimals(parseDecimal(a), parseDecimal(b))
}

// smallInteger reads an integer of few digits: by far the most of what is
// compared, and quick.
func smallInteger(text string) (int64, bool) {
	const most = 18
	s := text
	if s[0] == '-' {
		s = s[1:]
	}
	if len(s) > most {
		return 0, false
	}
	var n int64
	for i := 0; i < len(s); i++ {
		c := s[i] - '0'
		if c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if len(s) < len(text) {
		n = -n
	}
	return n, true
}

// appendDecimal writes d in one form for each number: the layout that ECMAScript
// gives a number and RFC 8785 takes over, with every digit that d has.
func appendDecimal(dst []byte, d decimal) []byte {
	const widest, smallest = 21, -6 // ECMAScript, Number::toString
	if d.isZero() {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	n := d.len()
	switch {
	case d.point > smallest && d.point <= 0:
		dst = append(dst, '0', '.')
		dst = append(dst, "000000"[:-d.point]...)
		return d.appendDigits(dst, 0, n)
	case d.point > 0 && d.point <= widest:
		before := int(d.point)
		dst = d.appendDigits(dst, 0, before)
		if n > before {
			dst = d.appendDigits(append(dst, '.'), before, n)
		}
		return dst
	}
	dst = append(dst, d.digit(0))
	if n > 1 {
		dst = d.appendDigits(append(dst, '.'), 1, n)
	}
	dst = append(dst, 'e')
	if d.point > 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, d.point-1, 10)
}

func (d decimal) appendDigits(dst []byte, from, to int) []byte {
	for i := from; i < to; i++ {
		dst = append(dst, d.digit(i))
	}
	return dst
}
