package format

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/weft-flow/weft/arazzo"
)

const (
	// frameWidth is how many columns of a line a frame shows.
	frameWidth = 110
	// tabWidth is the distance of the tab stops that tabs are shown by.
	tabWidth = 4
	ellipsis = "…"
)

// lines finds the lines of a file.
type lines struct {
	source []byte
	starts []int // offset of each line
}

func newLines(source []byte) lines {
	l := lines{source: source, starts: []int{0}}
	for i, c := range source {
		if c == '\n' || c == '\r' && (i+1 == len(source) || source[i+1] != '\n') {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// marked is a part of a line before, in and after what a frame marks.
type marked struct {
	before, inside, after []byte
}

// cut gives the line in which a span begins, parted by the span; only so much
// of a very long line as could be shown.
func (l lines) cut(span arazzo.Span) (marked, bool) {
	start, end := span.Start.Offset, span.End.Offset
	if start < 0 || start > len(l.source) || end < start {
		return marked{}, false
	}
	number := sort.SearchInts(l.starts, start+1) - 1
	first, last := l.starts[number], len(l.source)
	if number+1 < len(l.starts) {
		last = l.starts[number+1]
	}
	last = first + len(bytes.TrimRight(l.source[first:last], "\r\n"))
	start = min(start, last)
	end = max(start, min(end, last))
	const most = 4 * frameWidth // bytes of a character are at most four
	m := marked{
		before: l.source[max(first, start-most):start],
		inside: l.source[start:min(end, start+most)],
		after:  l.source[end:min(last, end+most)],
	}
	if len(m.inside) < end-start {
		m.after = nil // out of sight
	}
	m.before = bytes.TrimPrefix(m.before, []byte("\ufeff"))
	return m, true
}

// cell is one character as a terminal shows it, with the columns that it takes.
type cell struct {
	text  string
	width int
}

// row is a line as it is shown: the columns from up to, not including, to are
// marked.
type row struct {
	cells    []cell
	from, to int
}

func layOut(m marked) row {
	var r row
	column := 0
	add := func(part []byte) {
		for len(part) > 0 {
			character, size := utf8.DecodeRune(part)
			part = part[size:]
			c := cellOf(character, column)
			r.cells = append(r.cells, c)
			column += c.width
		}
	}
	add(m.before)
	r.from = column
	add(m.inside)
	r.to = max(column, r.from+1) // an empty span is a place all the same
	add(m.after)
	return r
}

func cellOf(r rune, column int) cell {
	switch {
	case r == '\t':
		n := tabWidth - column%tabWidth
		return cell{strings.Repeat(" ", n), n}
	case isUnsafe(r):
		return cell{string(unicode.ReplacementChar), 1}
	default:
		return cell{string(r), runeWidth(r)}
	}
}

// runeWidth gives the columns that a terminal uses for r.
func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	default:
		return 1
	}
}

// isUnsafe tells whether r would steer a terminal, or turn the direction of
// text so that a line is shown in another order than it is read.
func isUnsafe(r rune) bool {
	return unicode.IsControl(r) || r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

func (r row) width() int {
	n := 0
	for _, c := range r.cells {
		n += c.width
	}
	return n
}

// clip cuts a row to at most frameWidth columns so that the mark stays in sight.
func (r row) clip() row {
	total := r.width()
	if total <= frameWidth {
		return r
	}
	first := max(0, min(r.from-frameWidth/3, total-frameWidth))
	last := min(first+frameWidth, total)
	clipped := row{from: r.from - first, to: min(r.to, last) - first}
	clipped.to = max(clipped.to, clipped.from+1)
	column := 0
	for _, c := range r.cells {
		start, end := column, column+c.width
		column = end
		switch {
		case end <= first || start >= last:
			continue
		case first > 0 && start <= first, last < total && end >= last:
			c.text = ellipsis + strings.Repeat(" ", max(0, min(end, last)-max(start, first)-1))
			c.width = min(end, last) - max(start, first)
		}
		clipped.cells = append(clipped.cells, c)
	}
	return clipped
}

func (r row) text() string {
	var b strings.Builder
	for _, c := range r.cells {
		b.WriteString(c.text)
	}
	return strings.TrimRight(b.String(), " ")
}
