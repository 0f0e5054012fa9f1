package selector

import "strings"

// The library compares numbers as doubles. makeExact therefore writes each
// comparison of a filter as a call of a function of ours, so that
// $[?@.id == 9007199254740993] becomes $[?equal_to(@.id,exact_number('9007199254740993'))].
// It reads only queries that the library has accepted, so it need not tell what
// is wrong with others.

// comparisons gives the function for each operator, and whether it is negated.
var comparisons = []struct{ operator, call string }{
	{"==", "equal_to("},
	{"!=", "!equal_to("},
	{"<=", "at_most("},
	{">=", "at_least("},
	{"<", "less_than("},
	{">", "more_than("},
}

// exactDigits is how many digits a double always keeps.
const exactDigits = 15

type exactWriter struct {
	in    string
	pos   int
	draft bool
	out   []byte
}

// makeExact gives the query with exact comparisons, and the costs of the
// filters of its own segments in their order. In the draft dialect a lone query
// in a filter passes when its value is true in the sense of a script, not when
// it is merely there.
func makeExact(text string, draft bool) (exact string, filters []*filterCost) {
	w := &exactWriter{in: text, draft: draft}
	q := w.query()
	return string(w.out), q.filters
}

func (w *exactWriter) peek() byte {
	if w.pos < len(w.in) {
		return w.in[w.pos]
	}
	return 0
}

// copy writes n bytes on.
func (w *exactWriter) copy(n int) {
	end := min(w.pos+n, len(w.in))
	w.out = append(w.out, w.in[w.pos:end]...)
	w.pos = end
}

func (w *exactWriter) copyBlanks() {
	for isBlank(w.peek()) {
		w.copy(1)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// query reads from $ or @ to the end of the last segment.
func (w *exactWriter) query() *queryCost {
	cost := &queryCost{absolute: w.peek() == '$'}
	w.copy(1)
	for w.pos < len(w.in) {
		next := w.pos
		for next < len(w.in) && isBlank(w.in[next]) {
			next++
		}
		if next == len(w.in) || w.in[next] != '.' && w.in[next] != '[' {
			return cost
		}
		w.copyBlanks()
		if strings.HasPrefix(w.in[w.pos:], "..") {
			cost.descendants++
			cost.many = true
			w.copy(2)
		} else if w.peek() == '.' {
			w.copy(1)
		}
		w.copyBlanks()
		switch c := w.peek(); {
		case c == '[':
			w.bracket(cost)
		case c == '*':
			cost.many = true
			w.copy(1)
		default:
			w.copyName()
		}
	}
	return cost
}

func (w *exactWriter) copyName() {
	from := w.pos
	for w.pos < len(w.in) && isNameByte(w.in[w.pos]) {
		w.pos++
	}
	w.out = append(w.out, w.in[from:w.pos]...)
}

func isNameByte(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// bracket reads a bracketed selection.
func (w *exactWriter) bracket(cost *queryCost) {
	w.copy(1)
	for w.pos < len(w.in) {
		switch c := w.peek(); c {
		case ']':
			w.copy(1)
			return
		case '\'', '"':
			w.copyString()
		case '?':
			w.copy(1)
			cost.many = true
			filter := &filterCost{}
			cost.filters = append(cost.filters, filter)
			w.logical(filter)
		case '*', ':', ',':
			cost.many = true
			w.copy(1)
		default:
			w.copy(1)
		}
	}
}

func (w *exactWriter) copyString() {
	quote := w.peek()
	w.copy(1)
	for w.pos < len(w.in) && w.peek() != quote {
		if w.peek() == '\\' {
			w.copy(1)
		}
		w.copy(1)
	}
	w.copy(1)
}

// logical reads a logical expression: terms joined by && and ||.
func (w *exactWriter) logical(cost *filterCost) {
	for {
		w.copyBlanks()
		w.term(cost)
		w.copyBlanks()
		if c := w.peek(); c != '&' && c != '|' {
			return
		}
		w.copy(2)
	}
}

func (w *exactWriter) term(cost *filterCost) {
	negated := false
	for w.peek() == '!' {
		negated = true
		w.copy(1)
		w.copyBlanks()
	}
	if w.peek() == '(' {
		w.copy(1)
		w.logical(cost)
		w.copyBlanks()
		w.copy(1)
		return
	}
	w.comparison(cost, negated)
}

// comparison reads a comparable, and where an operator follows the other one.
func (w *exactWriter) comparison(cost *filterCost, negated bool) {
	from := len(w.out)
	first := w.comparable(cost)
	left, after := string(w.out[from:]), w.pos
	w.out = w.out[:from]
	for isBlank(w.peek()) {
		w.pos++
	}
	for _, c := range comparisons {
		if negated || !strings.HasPrefix(w.in[w.pos:], c.operator) {
			continue
		}
		w.pos += len(c.operator)
		w.out = append(w.out, c.call+left+","...)
		w.copyBlanks()
		cost.compares(first, w.comparable(cost))
		w.out = append(w.out, ')')
		return
	}
	w.pos = after
	if w.draft && first != nil {
		left = "truthy(" + left + ")"
	}
	w.out = append(w.out, left...)
}

// comparable reads a literal, a query or a function call. It gives the query.
func (w *exactWriter) comparable(cost *filterCost) *queryCost {
	switch c := w.peek(); {
	case c == '@' || c == '$':
		q := w.query()
		cost.queries = append(cost.queries, q)
		return q
	case c == '\'' || c == '"':
		w.copyString()
	case c == '-' || c >= '0' && c <= '9':
		w.number()
	default:
		if rest := w.in[w.pos:]; strings.HasPrefix(rest, "match(") || strings.HasPrefix(rest, "search(") {
			cost.patterns++
		}
		w.copyName()
		if w.peek() == '(' {
			w.arguments(cost)
		}
	}
	return nil
}

func (w *exactWriter) arguments(cost *filterCost) {
	w.copy(1)
	for w.pos < len(w.in) {
		w.copyBlanks()
		switch w.peek() {
		case ')':
			w.copy(1)
			return
		case ',':
			w.copy(1)
		case '!', '(':
			w.logical(cost)
		default:
			from := w.pos
			w.comparable(cost)
			if w.pos == from {
				w.copy(1)
			}
		}
	}
}

func (w *exactWriter) number() {
	from, count := w.pos, 0
	for w.pos < len(w.in) && strings.IndexByte("+-.0123456789eE", w.in[w.pos]) >= 0 {
		if c := w.in[w.pos]; c >= '0' && c <= '9' {
			count++
		}
		w.pos++
	}
	text := w.in[from:w.pos]
	if count > exactDigits {
		text = "exact_number('" + text + "')"
	}
	w.out = append(w.out, text...)
}
