package contract

import (
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// answerScope is what criteria see of an answer, and of the run before it.
type answerScope struct {
	status  int
	header  http.Header
	body    value.Value
	inputs  value.Value
	outputs map[stepID]value.Value
	in      string // workflow
}

// Resolve gives what an expression names (expression.Scope).
func (s *answerScope) Resolve(e *expression.Expression) value.Value {
	switch e.Root {
	case expression.StatusCode:
		if s.status > 0 {
			return value.Int(int64(s.status))
		}
	case expression.Inputs:
		return s.inputs.Get(e.Name)
	case expression.Steps:
		return s.outputs[stepID{s.in, e.Owner}].Get(e.Name)
	case expression.Response, expression.Message:
		if e.Part != expression.HeaderPart {
			return s.body
		}
		if all := s.header.Values(e.Name); len(all) > 0 {
			return value.String(strings.Join(all, ", "))
		}
	}
	return value.Absent
}
