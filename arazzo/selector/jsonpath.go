package selector

import (
	"strconv"
	"strings"

	"github.com/theory/jsonpath"
	"github.com/theory/jsonpath/spec"
	"github.com/weft-flow/weft/arazzo/value"
)

// jsonPathQuery is a JSONPath query (RFC 9535).
type jsonPathQuery struct {
	segments []segment
	singular bool
	filtered bool
}

// segment is one child or descendant segment.
type segment struct {
	selectors  []spec.Selector
	costs      []*filterCost // beside selectors; nil where one is no filter
	descendant bool
}

func compileJSONPath(draft bool, text string) (query, error) {
	if err := checkNesting(text); err != nil {
		return nil, err
	}
	if draft {
		plain, err := draftToRFC(text)
		if err != nil {
			return nil, err
		}
		text = plain
	}
	if _, err := jsonpath.Parse(text); err != nil {
		return nil, jsonPathError(text, draft, err)
	}
	exact, filters := makeExact(text, draft)
	path, err := jsonpath.NewParser(jsonpath.WithRegistry(exactFunctions())).Parse(exact)
	if err != nil {
		return nil, &UnsupportedError{Message: "this filter is not supported: " + err.Error()}
	}
	q := path.Query()
	compiled := &jsonPathQuery{singular: q.Singular() != nil, filtered: len(filters) > 0}
	for _, s := range q.Segments() {
		built := segment{selectors: s.Selectors(), costs: make([]*filterCost, len(s.Selectors())), descendant: s.IsDescendant()}
		for i, sel := range built.selectors {
			if _, ok := sel.(*spec.FilterSelector); ok && len(filters) > 0 {
				built.costs[i], filters = filters[0], filters[1:]
			}
		}
		compiled.segments = append(compiled.segments, built)
	}
	return compiled, nil
}

// checkNesting refuses brackets and parentheses nested deeper than MaxNesting,
// outside quotes, so that no parser runs out of stack.
func checkNesting(text string) error {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[' || c == '(':
			if depth++; depth > MaxNesting {
				return &LimitError{What: "brackets nested in a selector", Limit: MaxNesting}
			}
		case c == ']' || c == ')':
			depth--
		}
	}
	return nil
}

// jsonPathError gives the place that the library's message tells.
func jsonPathError(text string, draft bool, err error) error {
	message := strings.TrimPrefix(err.Error(), "jsonpath: ")
	offset := len(text)
	if at := strings.LastIndex(message, " at position "); at >= 0 {
		if position, convErr := strconv.Atoi(message[at+len(" at position "):]); convErr == nil {
			offset, message = min(max(position-1, 0), len(text)), message[:at]
		}
	}
	if draft {
		return &UnsupportedError{Offset: offset, Message: "of draft-goessner-dispatch-jsonpath-00 only what RFC 9535 can say is supported, not this: " + message}
	}
	if strings.Contains(message, "value out of range") && strings.Contains(text, "?") {
		return &UnsupportedError{Offset: offset, Message: "numbers this large are not supported in a filter: " + message}
	}
	if meant := suggestFilter(text, offset); meant != "" {
		offset += len(text[offset:]) - len(strings.TrimLeft(text[offset:], " "))
		return &SyntaxError{Offset: offset, Message: "JSONPath (RFC 9535) compares only within a filter", Suggestion: meant}
	}
	return &SyntaxError{Offset: offset, Message: "not JSONPath (RFC 9535): " + message}
}

// suggestFilter turns $.a.ok == true, which is no JSONPath, into
// $[?$.a.ok == true], which finds something exactly when the comparison holds.
// With @ for the inner $ it would look for ok in the members of the data, not in
// the data. It gives nothing where a comparison is not what is wrong.
func suggestFilter(text string, offset int) string {
	rest := strings.TrimLeft(text[offset:], " ")
	path, operator := strings.TrimRight(text[:offset], " "), ""
	for _, c := range comparisons {
		if strings.HasPrefix(rest, c.operator) {
			operator = c.operator
			break
		}
	}
	switch {
	case operator != "":
		rest = strings.TrimPrefix(rest, operator)
	case strings.HasPrefix(rest, "="):
		operator, rest = "==", rest[1:]
	default:
		return ""
	}
	if of, ok := strings.CutSuffix(path, ".length"); ok {
		path = "length(" + of + ")"
	}
	meant := "$[?" + path + " " + operator + " " + strings.TrimSpace(rest) + "]"
	if _, err := jsonpath.Parse(meant); err != nil {
		return ""
	}
	return meant
}

func (q *jsonPathQuery) selectFrom(v value.Value) (value.Value, error) {
	found, err := q.find(v)
	if err != nil {
		return value.Absent, err
	}
	if q.singular {
		if len(found) == 0 {
			return value.Absent, nil
		}
		return found[0].value, nil
	}
	items := make([]value.Value, len(found))
	for i, n := range found {
		items[i] = n.value
	}
	return value.Array(items...), nil
}

func (q *jsonPathQuery) test(v value.Value) (bool, error) {
	found, err := q.find(v)
	return len(found) > 0, err
}

func (q *jsonPathQuery) replace(v, with value.Value) (value.Value, error) {
	found, err := q.find(v)
	if err != nil {
		return value.Absent, err
	}
	if len(found) == 0 {
		return value.Absent, ErrNoMatch
	}
	var edits edit
	for _, n := range found {
		n.mark(&edits).here = true
	}
	return edits.apply(v, with), nil
}
