package contract

import (
	"regexp"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
)

// pathFunction is a call in a JSONPath.
var pathFunction = regexp.MustCompile(`\b(length|count|match|search|value)\s*\(`)

// beyond tells of a criterion for what of it no answers are made up; empty: they are.
func (s *stepModel) beyond(pointer string) string {
	for _, c := range s.judged() {
		if c.pointer == pointer {
			return c.beyond()
		}
	}
	return ""
}

func (c *criterionModel) beyond() string {
	kind := ""
	if c.model.Type != nil {
		kind = c.model.Type.Type
	}
	condition := c.model.Condition.Value
	switch {
	case kind == "xpath":
		return c.beyondXPath()
	case kind == "jsonpath" && pathFunction.MatchString(condition):
		return "functions in a JSONPath"
	case kind == "jsonpath" && strings.Contains(condition, "{$"):
		return "a JSONPath that is made of values of the run"
	}
	for _, use := range c.compiled.Uses() {
		if use.Expression.Root == expression.URL {
			return "$url: the server that is played has another address"
		}
	}
	return ""
}
