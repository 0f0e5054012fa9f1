package lint

import (
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// Lets gives the outcomes of an attempt under which the edge is meant to be taken:
// those for which it is for certain, and where its action's criteria tell statuses
// apart those that they let through. Criteria that look at a body alone do not
// tell: then it cannot be known what was meant.
func (e *Edge) Lets() Outcomes {
	lets := e.When.Must
	if e.Action == nil {
		return lets
	}
	if !e.holds.May.Contains(AnyStatus) {
		lets = lets.Union(e.When.May.Intersect(e.holds.May))
	}
	return lets
}

// Unknown gives those of Lets after which nobody knows whether the step's call had
// its effect. A 503 is one of them only where it may come without Retry-After.
func (e *Edge) Unknown() Outcomes {
	effect := e.From.Effect()
	if effect == nil || !effect.Effectful {
		return Never
	}
	unknown := e.Lets().Intersect(effect.Unknown())
	if unknown.Has(http.StatusServiceUnavailable) && !e.takesWithoutRetryAfter() {
		unknown = unknown.Minus(Status(http.StatusServiceUnavailable))
	}
	return unknown
}

// takesWithoutRetryAfter tells whether the edge can be taken after a 503 that does
// not have the field Retry-After.
func (e *Edge) takesWithoutRetryAfter() bool {
	without := assumption{status: http.StatusServiceUnavailable, absent: "Retry-After"}
	list := e.From.OnFailure
	if e.Success {
		list = e.From.OnSuccess
	}
	for _, a := range list {
		may, must := without.all(a.Criteria)
		switch {
		case a == e.Action:
			return may
		case must && a.Type() != "retry":
			return false // it is taken before
		}
	}
	return true
}

// WithoutMessage tells whether the edge of a receiving step is taken when no
// message comes in time.
func (e *Edge) WithoutMessage() bool {
	if e.Success || e.Kind == Retry {
		return false
	}
	var none assumption
	for _, a := range e.From.OnFailure {
		may, must := none.all(a.Criteria)
		switch {
		case a == e.Action:
			return must
		case may && a.Type() != "retry":
			return false // it may be taken before
		}
	}
	return e.Kind == Fail
}

// IsUnclear tells whether it cannot be read of an action when it is taken or what it
// does: its edges are then guesses.
func (a *Action) IsUnclear() bool {
	return a.Model == nil || isUnreadable(a) || hasForeignFields(a.Model)
}

// assumption is what is held to be true of what came: its status, and one header
// that it does not have, or one member of the body. The zero assumption is that nothing came.
type assumption struct {
	status int
	absent string
	member string // of the body, that has the value is; empty: none is known
	is     value.Value
}

// all says whether all of the criteria may hold, and whether they must.
func (a assumption) all(criteria []*Criterion) (may, must bool) {
	may, must = true, true
	for _, c := range criteria {
		cMay, cMust := a.criterion(c)
		may, must = may && cMay, must && cMust
	}
	return may, must
}

func (a assumption) criterion(c *Criterion) (may, must bool) {
	verdict := c.Verdict()
	switch {
	case a.status != 0 && !verdict.May.Has(a.status):
		return false, false
	case c.Condition() != nil:
		return a.node(c.Condition())
	}
	for _, use := range c.Compiled.Uses() {
		if a.isAbsent(use.Expression) {
			return false, false // it has nothing to look at
		}
	}
	return true, a.status != 0 && verdict.Must.Has(a.status)
}

func (a assumption) node(n expression.Node) (may, must bool) {
	switch n := n.(type) {
	case *expression.Not:
		may, must = a.node(n.X)
		return !must, !may
	case *expression.Binary:
		if n.Operator.IsComparison() {
			return a.compare(n)
		}
		leftMay, leftMust := a.node(n.Left)
		rightMay, rightMust := a.node(n.Right)
		if n.Operator == expression.And {
			return leftMay && rightMay, leftMust && rightMust
		}
		return leftMay || rightMay, leftMust || rightMust
	default:
		v, known := a.value(n)
		return !known || passes(v), known && passes(v)
	}
}

func (a assumption) compare(n *expression.Binary) (may, must bool) {
	left, leftKnown := a.value(n.Left)
	right, rightKnown := a.value(n.Right)
	switch {
	case leftKnown && rightKnown:
		holds := holds(n.Operator, left, right)
		return holds, holds
	case n.Operator >= expression.Less && (leftKnown && left.IsNothing() || rightKnown && right.IsNothing()):
		return false, false // an order with null never holds
	default:
		return true, false
	}
}

// value gives the value of a node where it is known.
func (a assumption) value(n expression.Node) (v value.Value, known bool) {
	switch n := n.(type) {
	case *expression.Literal:
		return n.Value, true
	case *expression.Member:
		return a.within(n.X)
	case *expression.Index:
		return a.within(n.X)
	case *expression.Operand:
		switch {
		case n.Expression.Root == expression.StatusCode:
			if a.status == 0 {
				return value.Null, true
			}
			return value.Int(int64(a.status)), true
		case a.isAbsent(n.Expression):
			return value.Null, true
		case a.isMember(n.Expression):
			return a.is, true
		}
	}
	return value.Absent, false
}

// within gives the value of a part of what a node stands for: of nothing, nothing.
func (a assumption) within(n expression.Node) (v value.Value, known bool) {
	v, known = a.value(n)
	if known && !v.IsNothing() {
		return value.Absent, false
	}
	return v, known
}

func (a assumption) isAbsent(e *expression.Expression) bool {
	if a.status == 0 {
		return e.Root == expression.Response || e.Root == expression.Message
	}
	return e.Root == expression.Response && e.Part == expression.HeaderPart && strings.EqualFold(e.Name, a.absent)
}
