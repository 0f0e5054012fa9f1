package arazzo

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf16"
)

// The YAML reader keeps to YAML 1.1 in a few things that JSON or YAML 1.2 have
// otherwise. They are passed to it as stand-ins of the same length, which are
// changed back in the scalars that it gives.

// blankLeadingTabs lets JSON begin with tabs, which YAML does not.
func (t *text) blankLeadingTabs() {
	white := len(t.data) - len(bytes.TrimLeft(t.data, " \t\r\n"))
	if white == len(t.data) || t.data[white] != '{' && t.data[white] != '[' {
		return
	}
	for i := range t.data[:white] {
		if t.data[i] == '\t' {
			t.data[i] = ' '
		}
	}
}

// acceptVersionDirective makes a leading %YAML 1.2 read as 1.1, the only
// version that the reader lets pass. The two differ in how scalars are
// resolved, which is not left to the reader.
func (t *text) acceptVersionDirective() {
	for _, start := range t.lines {
		line := t.data[start:]
		switch {
		case bytes.HasPrefix(line, []byte("%YAML 1.2")):
			line[8] = '1'
			return
		case len(line) > 0 && line[0] != '#' && line[0] != '%' && line[0] != '\n' && line[0] != '\r':
			return
		}
	}
}

// replaceBreaks puts stand-ins for the characters that break lines in YAML 1.1,
// as the reader has it, but not in YAML 1.2.
func (t *text) replaceBreaks() *Fault {
	for _, r := range []rune{0x85, 0x2028, 0x2029} {
		if !bytes.ContainsRune(t.data, r) {
			continue
		}
		first := rune(0xF800)
		if r == 0x85 {
			first = 0x07B2 // two bytes long, as U+0085 is; unassigned
		}
		standIn, ok := t.unusedRune(first)
		if !ok {
			at := bytes.IndexRune(t.data, r)
			return t.fault(at, at, fmt.Sprintf("the character U+%04X cannot be read here; write \\u%04X in a double-quoted string", r, r))
		}
		if t.breaks == nil {
			t.breaks = map[rune]rune{}
		}
		t.breaks[standIn] = r
		t.data = bytes.ReplaceAll(t.data, []byte(string(r)), []byte(string(standIn)))
	}
	return nil
}

// unusedRune gives the first of a few characters from first on that the text
// neither holds nor writes as an escape.
func (t *text) unusedRune(first rune) (rune, bool) {
	lower := bytes.ToLower(t.data)
	for r := first; r < first+14; r++ {
		if !bytes.ContainsRune(t.data, r) && !bytes.Contains(lower, fmt.Appendf(nil, "%04x", r)) {
			return r, true
		}
	}
	return 0, false
}

// slashEscapes are escapes that the reader knows, by their letters, with the
// character that each means.
var slashEscapes = map[byte]string{'a': "\a", 'v': "\v", 'e': "\x1b"}

// replaceSlashes lets JSON's escape \/ pass the reader: another escape that the
// text does not mention stands in for it.
func (t *text) replaceSlashes() *Fault {
	places := t.escapes(func(rest []byte) bool { return rest[1] == '/' })
	if len(places) == 0 {
		return nil
	}
	for _, letter := range []byte("ave") {
		same := t.escapes(func(rest []byte) bool { return rest[1] == letter })
		if len(same) > 0 || t.mentionsControl(slashEscapes[letter][0]) {
			continue
		}
		t.slash = letter
		for _, at := range places {
			t.data[at+1] = letter
		}
		return nil
	}
	return t.fault(places[0], places[0]+2, `the escape \/ cannot be read here; write / alone`)
}

// mentionsControl tells whether an escape of some length names a control character.
func (t *text) mentionsControl(code byte) bool {
	lower := bytes.ToLower(t.data)
	for _, escape := range []string{"\\x%02x", "\\u%04x", "\\u%08x"} {
		if bytes.Contains(lower, fmt.Appendf(nil, escape, code)) {
			return true
		}
	}
	return false
}

// replaceSurrogates lets JSON's surrogate pairs (\ud83d\ude00) pass the reader:
// the first digit of each half is changed, so that it names a character of
// another block that the text does not mention. restore changes it back.
func (t *text) replaceSurrogates() *Fault {
	pairs := t.surrogatePairs()
	if len(pairs) == 0 {
		return nil
	}
	for _, digit := range []byte("ebac") { // letters, so that the case can be kept
		if t.mentionsBlock(digit) {
			continue
		}
		t.surrogate = digit
		for _, at := range pairs {
			t.data[at+2] += digit - 'd'
			t.data[at+8] += digit - 'd'
		}
		return nil
	}
	return t.fault(pairs[0], pairs[0]+12, "this surrogate pair cannot be read here; write the character itself")
}

// surrogatePairs gives the offsets at which an escaped surrogate pair begins.
func (t *text) surrogatePairs() []int {
	return t.escapes(func(rest []byte) bool {
		return len(rest) >= 12 && isSurrogate(rest[:6], "89ab") && isSurrogate(rest[6:12], "cdef")
	})
}

// escapes gives the offsets of the backslashes that are not escaped themselves
// and whose text, at least two bytes, is accepted.
func (t *text) escapes(accept func(rest []byte) bool) []int {
	var places []int
	for i := 0; i+1 < len(t.data); i++ {
		next := bytes.IndexByte(t.data[i:], '\\')
		if next < 0 || i+next+1 == len(t.data) {
			break
		}
		i += next
		if accept(t.data[i:]) {
			places = append(places, i)
		}
		i++ // the escaped character, which may be a backslash
	}
	return places
}

// isSurrogate tells whether escape is \udXYZ with X one of the given digits.
func isSurrogate(escape []byte, third string) bool {
	return escape[0] == '\\' && escape[1] == 'u' && lower(escape[2]) == 'd' &&
		strings.IndexByte(third, lower(escape[3])) >= 0 && isHex(escape[4]) && isHex(escape[5])
}

// mentionsBlock tells whether the text holds or escapes a character of the
// block whose code points begin with digit and one of 8 to f.
func (t *text) mentionsBlock(digit byte) bool {
	first := rune(hexDigit(digit))<<12 | 0x800
	for i, r := range string(t.data) {
		if r >= first && r < first+0x800 {
			return true
		}
		if r == '\\' && (escapesBlock(t.data[i+1:], "u", digit) || escapesBlock(t.data[i+1:], "U0000", digit)) {
			return true
		}
	}
	return false
}

func escapesBlock(escape []byte, prefix string, digit byte) bool {
	n := len(prefix)
	return len(escape) > n+1 && string(escape[:n]) == prefix && lower(escape[n]) == digit &&
		isHex(escape[n+1]) && hexDigit(escape[n+1]) >= 8
}

// restore gives the text of a scalar with all stand-ins changed back.
// doubleQuoted tells whether escapes were read in it.
func (t *text) restore(s string, doubleQuoted bool) string {
	if t.breaks != nil {
		s = strings.Map(func(r rune) rune {
			if original, ok := t.breaks[r]; ok {
				return original
			}
			return r
		}, s)
	}
	switch {
	case t.slash == 0:
	case doubleQuoted:
		s = strings.ReplaceAll(s, slashEscapes[t.slash], "/")
	default:
		s = t.writeSlashes(s)
	}
	switch {
	case t.surrogate == 0:
		return s
	case doubleQuoted:
		return t.joinSurrogates(s)
	default:
		return t.writeSurrogates(s)
	}
}

// writeSlashes restores \/ in a scalar without escapes, where it is text.
func (t *text) writeSlashes(s string) string {
	b := []byte(s)
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if i++; b[i] == t.slash {
			b[i] = '/'
		}
	}
	return string(b)
}

// joinSurrogates turns each pair of stand-ins into the character it means.
func (t *text) joinSurrogates(s string) string {
	low := rune(hexDigit(t.surrogate))<<12 | 0x800
	var b strings.Builder
	var first rune
	for _, r := range s {
		switch {
		case r < low || r >= low+0x800:
			b.WriteRune(r)
		case first == 0:
			first = r
		default:
			b.WriteRune(utf16.DecodeRune(first-low+0xD800, r-low+0xD800))
			first = 0
		}
	}
	return b.String()
}

// writeSurrogates restores escapes in a scalar that has none: there they are text.
func (t *text) writeSurrogates(s string) string {
	b := []byte(s)
	for i := 0; i+3 < len(b); i++ {
		if b[i] == '\\' && escapesBlock(b[i+1:], "u", t.surrogate) {
			b[i+2] -= t.surrogate - 'd'
		}
	}
	return string(b)
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || lower(c) >= 'a' && lower(c) <= 'f' }

func hexDigit(c byte) int {
	if c <= '9' {
		return int(c - '0')
	}
	return int(lower(c)-'a') + 10
}
