package arazzo

import (
	"bytes"
	"sort"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// The YAML reader names one line with a syntax error, often the one before or
// the one where an enclosing collection began, and no column. What it was doing
// shows where the error is: the bytes that it had taken when it gave up, and the
// shortest beginning of the text with which it fails in the same way.

// syntaxProblem says in our words what the reader found, and how to find its place.
type syntaxProblem struct {
	found string // how the reader begins its message
	says  string
	place func(s *failure) int
}

// failure is one failed attempt to read the text.
type failure struct {
	text  *text
	found string
	line  int  // the line that the reader names, or 0
	taken int  // the bytes it had taken
	ended bool // it had come to the end
}

// lookahead is how many characters the reader may have taken beyond the one
// that it failed at.
const lookahead = 4

var syntaxProblems = []syntaxProblem{
	{"mapping values are not allowed", "a second ': ' in one line, or a key that is indented deeper than the one before it; quote the text if no key is meant", last(":")},
	{"found character that cannot start any token", "a text without quotes cannot begin with this character", firstAhead("%@`\t|>")},
	{"could not find expected ':'", "a key was expected here, but no ': ' follows", shortest("")},
	{"block sequence entries are not allowed", "a list item ('- ') cannot stand here: begin it in a line of its own", last("-")},
	{"mapping keys are not allowed", "'? ' cannot stand here", last("?")},
	{"exceeded max depth", "nested deeper than 1000", (*failure).tooDeep},
	{"did not find expected key", "this belongs to no mapping around it: check the indentation, and that nothing follows a quoted text or a closing bracket", shortest("")},
	{"did not find expected '-' indicator", "the indentation of this line fits neither the list item above it nor the list around it", shortest("")},
	{"did not find expected <document start>", "the document has ended before this line: check the indentation", shortest("")},
	{"did not find expected ',' or ']'", "',' or ']' is missing before this, or the list in brackets is never closed", (*failure).flow},
	{"did not find expected ',' or '}'", "',' or '}' is missing before this, or the mapping in braces is never closed", (*failure).flow},
	{"did not find expected node content", "a value was expected here", shortest("\nx")},
	{"found unexpected end of stream", "this quoted text is never closed", (*failure).openQuote},
	{"found unexpected document indicator", "this quoted text is not closed before the next '---' or '...'", (*failure).openQuote},
	{"found unknown escape character", "no such escape exists in a double-quoted text; write '\\\\' for a backslash", last("\\")},
	{"did not find expected hexdecimal number", "the escape needs hexadecimal digits", last("\\")},
	{"found invalid Unicode character escape code", "the escape names no character (half of a surrogate pair, or beyond U+10FFFF)", last("\\")},
	{"found a tab character", "a tab cannot indent; use spaces", last("\t")},
	{"found an indentation indicator equal to 0", "the indentation of a block text is 1 to 9", last("|>")},
	{"did not find expected comment or line break", "nothing but a comment can follow in this line", (*failure).lastTaken},
	{"did not find expected alphabetic or numeric character", "an anchor or alias needs a name of letters, digits, '-' and '_'; quote the text if none is meant", last("&*")},
	{"unknown anchor", "no anchor of this name stands before this alias; quote the text if none is meant", last("*")},
	{"found undefined tag handle", "this tag is not declared", last("!")},
	{"did not find the expected '>'", "this tag is not closed with '>'", last("!")},
	{"did not find expected '!'", "this is no tag", last("!")},
	{"did not find expected tag URI", "this is no tag", last("!")},
	{"found incompatible YAML document", "only YAML 1.1 and 1.2 are read", last("%")},
	{"found duplicate %", "this directive is given twice", last("%")},
	{"found unknown directive name", "no such directive exists", last("%")},
	{"input error", "the text ends in the middle of a character", (*failure).lastTaken},
}

// syntaxFault makes the fault for an error of the YAML reader.
func (t *text) syntaxFault(err error) Fault {
	s := &failure{text: t}
	s.found, s.line = problem(err)
	s.taken, s.ended = t.consumed()
	says, place := s.found, (*failure).lastTaken
	for _, p := range syntaxProblems {
		if strings.HasPrefix(s.found, p.found) {
			says, place = p.says, p.place
			break
		}
	}
	at := t.runeStart(place(s))
	if t.is(at, "\t") {
		says = "a tab cannot indent; use spaces"
	}
	return *t.fault(at, t.runeEnd(at), "this is no valid YAML: "+says)
}

// last places a problem at the last of some characters that was taken.
func last(chars string) func(*failure) int {
	return func(s *failure) int {
		if at := bytes.LastIndexAny(s.text.data[:s.taken], chars); at >= 0 {
			return at
		}
		return s.lastTaken()
	}
}

// firstAhead places a problem at the first of some characters among those that
// the reader looked ahead to.
func firstAhead(chars string) func(*failure) int {
	return func(s *failure) int {
		from := max(0, s.taken-lookahead)
		if at := bytes.IndexAny(s.text.data[from:s.taken], chars); at >= 0 {
			return from + at
		}
		return s.lastTaken()
	}
}

// lastTaken places a problem at the last character taken that is not white space.
func (s *failure) lastTaken() int {
	return max(0, len(bytes.TrimRight(s.text.data[:s.taken], " \t\r\n"))-1)
}

// maxSearched is the greatest size of a text whose beginnings are tried.
const maxSearched = 2 << 20

// shortest gives a way to place a problem at the word that ends the shortest
// beginning of the text that fails in the same way. filler is put after each
// beginning, so that the mere end of the text does not cause the same problem.
func shortest(filler string) func(*failure) int {
	return func(s *failure) int {
		at, ok := s.search(filler)
		if !ok {
			return s.lastTaken()
		}
		return s.tokenStart(at)
	}
}

// search gives the last byte of the shortest beginning that, with filler after
// it, fails as the whole text does. Beginnings that end with a line come first:
// one that ends within a line may fail for want of the rest.
func (s *failure) search(filler string) (int, bool) {
	if s.taken > maxSearched || !s.failsAlike(s.taken, filler) {
		return 0, false
	}
	lines := s.text.lines[:sort.SearchInts(s.text.lines, s.taken)]
	n := sort.Search(len(lines)-1, func(i int) bool { return s.failsAlike(lines[i+1], filler) })
	from, to := lines[n], s.taken
	if n+1 < len(lines) {
		to = lines[n+1]
	}
	length := from + sort.Search(to-from, func(i int) bool { return s.failsAlike(from+i, filler) })
	return max(0, length-1), true
}

func (s *failure) failsAlike(length int, filler string) bool {
	beginning := text{data: append(bytes.Clone(s.text.data[:length]), filler...)}
	_, err := beginning.readRaw()
	if err == nil {
		return false
	}
	found, _ := problem(err)
	return found == s.found
}

// flow places a problem inside brackets: at what stands where a comma was
// expected, or at the bracket where it is never closed.
func (s *failure) flow() int {
	// After the commas the reader fails in another way, unless it has failed before.
	if at, ok := s.search("\n,,,,@"); ok {
		return s.tokenStart(at)
	}
	return s.openBracket()
}

// tokenStart gives where the word or quoted text that holds an offset begins.
func (s *failure) tokenStart(at int) int {
	if s.text.is(at, "[]{},") {
		return at
	}
	line := s.text.lines[s.text.position(at).Line-1]
	tokens := s.tokens(line, at+1)
	if len(tokens) == 0 {
		return at
	}
	return tokens[len(tokens)-1]
}

// tokens gives where words and quoted texts begin in a stretch of the text.
func (s *failure) tokens(from, to int) []int {
	var starts []int
	for at := from; at < to; {
		switch {
		case s.text.is(at, " \t\r\n,:[]{}"):
			at++
			continue
		case s.text.is(at, `"`):
			starts, at = append(starts, at), s.text.doubleQuotedEnd(at)
			continue
		case s.text.is(at, "'"):
			starts, at = append(starts, at), s.text.singleQuotedEnd(at)
			continue
		}
		starts = append(starts, at)
		for at < to && !s.text.is(at, " \t\r\n,:[]{}") {
			at++
		}
	}
	return starts
}

// openQuote gives the quote that is never closed: the last that begins a text in
// the line that the reader names.
func (s *failure) openQuote() int {
	for _, line := range []int{s.line, 1} {
		if line < 1 || line > len(s.text.lines) {
			continue
		}
		from := s.text.lines[line-1]
		to := s.lineEnd(from)
		for _, at := range s.tokens(from, to) {
			if s.text.is(at, `"`) && s.text.doubleQuotedEnd(at) >= to || s.text.is(at, "'") && s.text.singleQuotedEnd(at) >= to {
				return at
			}
		}
	}
	return s.lastTaken()
}

func (s *failure) lineEnd(from int) int {
	to := from
	for to < len(s.text.data) && !s.text.is(to, "\r\n") {
		to++
	}
	return to
}

// openBracket gives the innermost bracket that is never closed, in the line
// after the one that the reader names (it counts from 0 here), or in the first.
func (s *failure) openBracket() int {
	for _, line := range []int{s.line + 1, 1} {
		if line > len(s.text.lines) {
			continue
		}
		from := s.text.lines[line-1]
		if at, ok := s.unclosed(from, s.lineEnd(from)); ok {
			return at
		}
	}
	return s.lastTaken()
}

// unclosed gives the innermost bracket opened and not closed in a stretch.
func (s *failure) unclosed(from, to int) (int, bool) {
	var open []int
	for at := from; at < to; at++ {
		switch s.text.data[at] {
		case '"':
			at = s.text.doubleQuotedEnd(at) - 1
		case '[', '{':
			open = append(open, at)
		case ']', '}':
			open = open[:max(0, len(open)-1)]
		}
	}
	if len(open) == 0 {
		return 0, false
	}
	return open[len(open)-1], true
}

// tooDeep gives the bracket with which the nesting passes the limit.
func (s *failure) tooDeep() int {
	depth := 0
	for at := 0; at < s.taken; at++ {
		switch s.text.data[at] {
		case '"':
			at = s.text.doubleQuotedEnd(at) - 1
		case '[', '{':
			if depth++; depth > value.MaxDepth {
				return at
			}
		case ']', '}':
			depth--
		}
	}
	return s.lastTaken()
}
