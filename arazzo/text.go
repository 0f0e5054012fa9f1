package arazzo

import (
	"bytes"
	"fmt"
	"sort"
	"unicode/utf8"
)

// MaxSize is the greatest size in bytes of a document that ParseTree reads.
const MaxSize = 32 << 20

// blockSize is the distance in bytes between two entries of text.runes.
const blockSize = 64

// text is the source of a document, made ready for the YAML reader. Every
// replacement in it keeps the count of bytes and of characters, so that places
// in it are places in the file.
type text struct {
	data  []byte
	base  int   // length of the byte order mark before data
	lines []int // offset at which each line begins
	runes []int // count of characters before each block of blockSize bytes
	ascii bool  // each character is one byte
	near  int   // the line that was found last; 0: none was

	slash     byte          // the letter of the escape that stands in for \/, or 0
	breaks    map[rune]rune // U+0085, U+2028 and U+2029 by their stand-ins
	surrogate byte          // the digit that stands in for the d of a surrogate, or 0
}

// newText checks the encoding of data and prepares it.
func newText(data []byte) (*text, *Fault) {
	t := &text{data: data}
	if len(data) > MaxSize {
		return nil, t.fault(0, 0, fmt.Sprintf("the file has %d bytes, more than the %d MiB that are read", len(data), MaxSize>>20))
	}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		t.base, t.data = 3, data[3:]
	}
	t.index()
	if fault := t.checkCharacters(); fault != nil {
		return nil, fault
	}
	t.data = bytes.Clone(t.data)
	t.blankLeadingTabs()
	t.acceptVersionDirective()
	for _, replace := range []func() *Fault{t.replaceBreaks, t.replaceSlashes, t.replaceSurrogates} {
		if fault := replace(); fault != nil {
			return nil, fault
		}
	}
	return t, nil
}

// index notes where lines begin and how many characters stand before each block.
func (t *text) index() {
	t.lines = append(make([]int, 0, 2+bytes.Count(t.data, []byte("\n"))), 0)
	t.runes = make([]int, 0, 1+len(t.data)/blockSize)
	count := 0
	for i, c := range t.data {
		if i%blockSize == 0 {
			t.runes = append(t.runes, count)
		}
		if c&0xC0 != 0x80 {
			count++
		}
		if c == '\n' || c == '\r' && (i+1 == len(t.data) || t.data[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	if len(t.data)%blockSize == 0 {
		t.runes = append(t.runes, count)
	}
	t.ascii = count == len(t.data)
}

// runesBefore counts the characters before an offset.
func (t *text) runesBefore(offset int) int {
	if t.ascii {
		return offset
	}
	block := offset / blockSize
	count := t.runes[block]
	for _, c := range t.data[block*blockSize : offset] {
		if c&0xC0 != 0x80 {
			count++
		}
	}
	return count
}

// lineOf gives the line that an offset lies in, from 1. Most often it is that which
// was asked for before, or the next.
func (t *text) lineOf(offset int) int {
	for line := t.near; line > 0 && line <= min(t.near+1, len(t.lines)); line++ {
		if t.lines[line-1] <= offset && (line == len(t.lines) || offset < t.lines[line]) {
			t.near = line
			return line
		}
	}
	t.near = sort.SearchInts(t.lines, offset+1)
	return t.near
}

// position gives the place in the file of an offset in the text.
func (t *text) position(offset int) Position {
	offset = min(max(offset, 0), len(t.data))
	if t.lines == nil {
		return Position{Line: 1, Column: 1}
	}
	line := t.lineOf(offset)
	column := t.runesBefore(offset) - t.runesBefore(t.lines[line-1]) + 1
	return Position{Line: line, Column: column, Offset: t.base + offset}
}

// offset gives the offset of a line and column, both from 1.
func (t *text) offset(line, column int) int {
	if line < 1 || line > len(t.lines) {
		return len(t.data)
	}
	want := t.runesBefore(t.lines[line-1]) + column - 1
	if t.ascii {
		return min(max(want, 0), len(t.data))
	}
	block := max(sort.SearchInts(t.runes, want+1)-1, 0)
	at, count := block*blockSize, t.runes[block]
	for at < len(t.data) && (count < want || !utf8.RuneStart(t.data[at])) {
		if utf8.RuneStart(t.data[at]) {
			count++
		}
		at++
	}
	return at
}

// runeStart gives where the character begins that an offset lies in.
func (t *text) runeStart(at int) int {
	at = min(at, len(t.data))
	for at > 0 && at < len(t.data) && !utf8.RuneStart(t.data[at]) {
		at--
	}
	return at
}

// runeEnd gives where the character ends that begins at an offset; the offset
// itself at the end of a line.
func (t *text) runeEnd(at int) int {
	if at >= len(t.data) || t.data[at] == '\r' || t.data[at] == '\n' {
		return at
	}
	_, size := utf8.DecodeRune(t.data[at:])
	return at + size
}

// span gives the stretch between two offsets.
func (t *text) span(start, end int) Span {
	return Span{Start: t.position(start), End: t.position(max(start, end))}
}

func (t *text) fault(start, end int, message string) *Fault {
	return &Fault{Rule: "yaml", Message: message, Span: t.span(start, end)}
}

// checkCharacters reports the first byte that is not UTF-8 and the first
// character that YAML does not allow.
func (t *text) checkCharacters() *Fault {
	for i := 0; i < len(t.data); {
		c := t.data[i]
		if c >= 0x20 && c < 0x7F || c == '\n' || c == '\r' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(t.data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return t.fault(i, i, fmt.Sprintf("the byte 0x%02X is not UTF-8: the file must be encoded in UTF-8", c))
		case r < 0xA0 && r != 0x85, r == 0xFEFF, r == 0xFFFE, r == 0xFFFF:
			return t.fault(i, i+size, fmt.Sprintf("the character U+%04X is not allowed here; in a double-quoted string it can be written \\u%04X", r, r))
		}
		i += size
	}
	return nil
}
