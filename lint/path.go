package lint

import (
	"regexp"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// jsonPathSegment is one segment of a JSONPath that leads to one place: a name after
// a dot, a name in quotes without escapes, or a position from the beginning.
const jsonPathSegment = `\.[A-Za-z_][A-Za-z0-9_]*|\['[^'\\]*'\]|\["[^"\\]*"\]|\[(?:0|[1-9][0-9]*)\]`

var (
	jsonPathSegments = regexp.MustCompile(jsonPathSegment)
	plainJSONPath    = regexp.MustCompile(`^[$@](?:` + jsonPathSegment + `)*$`)
	leadingJSONPath  = regexp.MustCompile(`^\$(?:` + jsonPathSegment + `)*`)
)

// LeadingTokens gives the way of a JSONPath as far as it leads to one place: that
// before a wildcard, a slice, a filter or a descent. written is how many bytes of it
// say so.
func LeadingTokens(text string) (written int, tokens []string) {
	leading := leadingJSONPath.FindString(text)
	tokens, ok := JSONPathTokens(leading)
	if !ok {
		return 0, nil
	}
	return len(leading), tokens
}

// JSONPathTokens gives the way of a JSONPath that leads to one place, from $ or from
// @ on; ok is false for any other.
func JSONPathTokens(text string) (tokens []string, ok bool) {
	if !plainJSONPath.MatchString(text) {
		return nil, false
	}
	for _, segment := range jsonPathSegments.FindAllString(text[1:], -1) {
		token, isName := strings.CutPrefix(segment, ".")
		if !isName {
			token = strings.Trim(segment, `[]`)
			unquoted := strings.Trim(token, `'"`)
			if _, isIndex := value.ArrayIndex(unquoted); isIndex && unquoted != token {
				return nil, false // a member, which a position is not
			}
			token = unquoted
		}
		tokens = append(tokens, token)
	}
	return tokens, true
}

// SelectionTokens gives the way that a Selector Object goes from what its context
// names before its pointer; ok is false where it does not lead to one place.
func SelectionTokens(context *expression.Expression, of *selector.Selector) (tokens []string, ok bool) {
	switch of.Language() {
	case selector.JSONPointer:
		pointer, err := value.ParsePointer(of.String())
		if err != nil {
			return nil, false
		}
		tokens = pointer
	case selector.JSONPath:
		if tokens, ok = JSONPathTokens(of.String()); !ok {
			return nil, false
		}
	default:
		return nil, false
	}
	return append(Tokens(context), tokens...), true
}
