package pattern

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
)

// MaxNesting is how deep groups may be nested.
const MaxNesting = 500

// UnboundedError tells that the work which a pattern is has no bound that a text
// could stay below.
type UnboundedError struct {
	Offset int // of the repetition, in bytes from the start of the pattern
}

// Error says so.
func (e *UnboundedError) Error() string {
	return "a repetition within a repetition, or of what can match in more than one way, in a pattern that needs backtracking, is not supported: its time has no bound"
}

// NestingError tells that groups are nested too deep.
type NestingError struct{}

// Error gives the limit.
func (*NestingError) Error() string {
	return fmt.Sprintf("more than %d groups nested in a pattern", MaxNesting)
}

// Parse reads how much work a pattern is, which a compiler of ECMAScript patterns
// must have taken: what none would take is read as something. The error is an
// *UnboundedError or a *NestingError.
func Parse(text string) (Cost, error) {
	p := &parser{text: text}
	root, err := p.choice(0)
	if err != nil {
		return Cost{}, err
	}
	return Cost{root: root}, nil
}

type parser struct {
	text string
	at   int
	fold bool // upper and lower case may be the same: what a character begins is then not known
}

func (p *parser) more() bool { return p.at < len(p.text) }

// choice reads alternatives up to the end of the group.
func (p *parser) choice(depth int) (*node, error) {
	if depth > MaxNesting {
		return nil, &NestingError{}
	}
	n := &node{kind: choice}
	for {
		child, err := p.list(depth)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
		if !p.more() || p.text[p.at] == ')' {
			break
		}
		p.at++ // the |
	}
	if len(n.children) == 1 {
		return n.children[0], nil
	}
	n.apart = areApart(n.children)
	for _, child := range n.children {
		n.first = n.first.or(child.first)
	}
	return n, nil
}

func (p *parser) list(depth int) (*node, error) {
	n := &node{kind: list}
	for p.more() && p.text[p.at] != '|' && p.text[p.at] != ')' {
		child, err := p.atom(depth)
		if err != nil {
			return nil, err
		}
		if child, err = p.repetition(child); err != nil {
			return nil, err
		}
		n.children = append(n.children, child)
	}
	n.first = firstOf(n.children)
	return n, nil
}

// atom reads what a repetition may stand behind.
func (p *parser) atom(depth int) (*node, error) {
	from := p.at
	switch c := p.text[p.at]; c {
	case '(':
		return p.group(depth)
	case '^', '$':
		p.at++
		return &node{kind: empty, first: transparent, start: c == '^'}, nil
	case '[':
		p.class()
	case '\\':
		return p.escape(), nil
	default:
		p.at++
		for p.more() && p.text[p.at]&0xc0 == 0x80 { // the rest of a character in UTF-8
			p.at++
		}
	}
	return &node{kind: char, first: p.runesOf(p.text[from:p.at])}, nil
}

// class reads a character class. A ] that stands first in it belongs to it.
func (p *parser) class() {
	p.at++
	if p.more() && p.text[p.at] == '^' {
		p.at++
	}
	if p.more() && p.text[p.at] == ']' {
		p.at++
	}
	for p.more() && p.text[p.at] != ']' {
		if p.text[p.at] == '\\' {
			p.at++
		}
		p.at++
	}
	p.at = min(p.at+1, len(p.text))
}

// escape reads a backslash and what belongs to it.
func (p *parser) escape() *node {
	from := p.at
	p.at = min(p.at+2, len(p.text))
	switch c := p.text[p.at-1]; {
	case c == 'b' || c == 'B':
		return &node{kind: empty, first: transparent}
	case c >= '1' && c <= '9':
		for p.more() && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			p.at++
		}
		return &node{kind: echo, first: unknown}
	case c == 'k' && p.more() && p.text[p.at] == '<':
		p.skipPast('>')
		return &node{kind: echo, first: unknown}
	case (c == 'p' || c == 'P' || c == 'u') && p.more() && p.text[p.at] == '{':
		p.skipPast('}')
	case c == 'u':
		p.at = min(p.at+4, len(p.text))
		return &node{kind: char, first: unknown}
	case c == 'x':
		p.at = min(p.at+2, len(p.text))
	case c == 'c':
		p.at = min(p.at+1, len(p.text))
	}
	return &node{kind: char, first: p.runesOf(p.text[from:p.at])}
}

func (p *parser) skipPast(end byte) {
	if i := strings.IndexByte(p.text[p.at:], end); i >= 0 {
		p.at += i + 1
		return
	}
	p.at = len(p.text)
}

// group reads a group of any kind.
func (p *parser) group(depth int) (*node, error) {
	p.at++
	looks := false
	if rest := p.text[p.at:]; strings.HasPrefix(rest, "?") {
		switch {
		case strings.HasPrefix(rest, "?=") || strings.HasPrefix(rest, "?!"):
			looks, p.at = true, p.at+2
		case strings.HasPrefix(rest, "?<=") || strings.HasPrefix(rest, "?<!"):
			looks, p.at = true, p.at+3
		case strings.HasPrefix(rest, "?<") || strings.HasPrefix(rest, "?'"):
			p.at += 2
			p.skipPast(map[byte]byte{'<': '>', '\'': '\''}[rest[1]])
		default:
			if p.flags() {
				return &node{kind: empty, first: transparent}, nil
			}
		}
	}
	inner, err := p.choice(depth + 1)
	if err != nil {
		return nil, err
	}
	p.at = min(p.at+1, len(p.text)) // the )
	if looks {
		return &node{kind: look, children: []*node{inner}, first: transparent}, nil
	}
	return inner, nil
}

// flags reads what stands between (? and : or ). ended tells that it was the latter.
func (p *parser) flags() (ended bool) {
	p.at++
	for p.more() && (isLetter(p.text[p.at]) || p.text[p.at] == '-') {
		p.fold = p.fold || p.text[p.at] == 'i'
		p.at++
	}
	if !p.more() || p.text[p.at] != ':' && p.text[p.at] != ')' {
		return false
	}
	p.at++
	return p.text[p.at-1] == ')'
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// repetition reads how often an atom may stand.
func (p *parser) repetition(of *node) (*node, error) {
	for p.more() {
		from := p.at
		least, most, ok := p.quantifier()
		if !ok {
			return of, nil
		}
		if p.more() && (p.text[p.at] == '?' || p.text[p.at] == '+') {
			p.at++ // lazy; possessive in another dialect
		}
		if most < 0 {
			if ways, _ := of.reckon(unboundedFrom); ways > 1 {
				return nil, &UnboundedError{Offset: from}
			}
		}
		n := &node{kind: repeat, children: []*node{of}, min: least, max: most, first: of.first}
		if least == 0 {
			n.first = of.first.orNothing()
		}
		of = n
	}
	return of, nil
}

// unboundedFrom is a length of text for which what can match in more than one way
// does so.
const unboundedFrom = 1 << 10

func (p *parser) quantifier() (least, most int, ok bool) {
	switch p.text[p.at] {
	case '*':
		p.at++
		return 0, -1, true
	case '+':
		p.at++
		return 1, -1, true
	case '?':
		p.at++
		return 0, 1, true
	case '{':
		end := strings.IndexByte(p.text[p.at:], '}')
		if end < 0 {
			return 0, 0, false
		}
		low, high, ranged := strings.Cut(p.text[p.at+1:p.at+end], ",")
		least, err := strconv.Atoi(low)
		if err != nil {
			return 0, 0, false
		}
		most := least
		if ranged {
			if most, err = strconv.Atoi(high); high == "" {
				most = -1
			} else if err != nil {
				return 0, 0, false
			}
		}
		p.at += end + 1
		return least, most, true
	}
	return 0, 0, false
}

// runesOf gives the characters that an atom stands for, as RE2 reads it; unknown
// where it does not, or where case may not count.
func (p *parser) runesOf(atom string) runes {
	if p.fold {
		return unknown
	}
	parsed, err := syntax.Parse(atom, syntax.Perl)
	if err != nil {
		return unknown
	}
	switch parsed.Op {
	case syntax.OpLiteral:
		if len(parsed.Rune) == 1 && parsed.Flags&syntax.FoldCase == 0 {
			return runes{ranges: []rune{parsed.Rune[0], parsed.Rune[0]}}
		}
	case syntax.OpCharClass:
		return runes{ranges: parsed.Rune}
	}
	return unknown
}
