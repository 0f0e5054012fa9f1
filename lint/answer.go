package lint

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// TakenWith tells whether an edge of success is taken for certain by an answer of a
// status whose body has a member of a value: the step's criteria and those of its
// actions are read with it, and what else they ask leaves it open.
func (e *Edge) TakenWith(status int, member string, v value.Value) bool {
	if !e.Success || e.Kind == Retry {
		return false
	}
	with := assumption{status: status, member: member, is: v}
	if _, must := with.all(e.From.Criteria); !must {
		return false
	}
	for _, a := range e.From.OnSuccess {
		may, must := with.all(a.Criteria)
		switch {
		case a == e.Action:
			return must
		case may:
			return false // it may be taken before
		}
	}
	return e.Kind == Proceed
}

// isMember tells whether an expression names the member whose value is held to be
// known.
func (a assumption) isMember(e *expression.Expression) bool {
	return a.member != "" && e.Root == expression.Response && e.Part == expression.BodyPart &&
		slices.Equal(Tokens(e), []string{a.member})
}
