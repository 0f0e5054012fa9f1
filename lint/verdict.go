package lint

import (
	"strconv"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// Verdict says under which outcomes criteria hold. Must is within May; what is in
// May alone depends on what only a run can know.
type Verdict struct {
	May  Outcomes // where they can hold
	Must Outcomes // where they hold for certain
}

// both is a verdict that the outcome alone decides.
func both(o Outcomes) Verdict { return Verdict{May: o, Must: o} }

// maybe is a verdict that is open for each of the outcomes.
func maybe(o Outcomes) Verdict { return Verdict{May: o} }

func (v Verdict) and(w Verdict) Verdict {
	return Verdict{May: v.May.Intersect(w.May), Must: v.Must.Intersect(w.Must)}
}

func (v Verdict) or(w Verdict) Verdict {
	return Verdict{May: v.May.Union(w.May), Must: v.Must.Union(w.Must)}
}

func (v Verdict) not() Verdict {
	return Verdict{May: v.Must.Complement(), Must: v.May.Complement()}
}

// Judge says under which outcomes all of the criteria hold; none always do.
func Judge(criteria []*Criterion) Verdict {
	all := both(Always)
	for _, c := range criteria {
		all = all.and(c.Verdict())
	}
	return all
}

// judged says under which outcomes all successCriteria of the step hold.
func (s *Step) judged() Verdict {
	if s.verdict == nil {
		v := Judge(s.Criteria)
		s.verdict = &v
	}
	return *s.verdict
}

// judged says under which outcomes all criteria of the action hold.
func (a *Action) judged() Verdict {
	if a.judgement == nil {
		v := Judge(a.Criteria)
		a.judgement = &v
	}
	return *a.judgement
}

// Verdict says under which outcomes the criterion holds. One with a fault never
// does when it runs (Arazzo 1.1, Evaluation Errors); but that is told by itself,
// and what the flow would be without the fault is open.
func (c *Criterion) Verdict() Verdict {
	if c.verdict == nil {
		v := c.judge()
		c.verdict = &v
	}
	return *c.verdict
}

func (c *Criterion) judge() Verdict {
	switch {
	case len(c.Faults) > 0:
		return maybe(Always)
	case c.Compiled.Simple() != nil:
		return c.simple()
	default:
		return c.other()
	}
}

// simple judges a simple condition. What stands in braces must have a value, or
// the condition fails as a whole.
func (c *Criterion) simple() Verdict {
	v := judge(c.Compiled.Simple().Root())
	expression.Walk(c.Compiled.Simple().Root(), func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Operand:
			if n.Braced {
				v = v.and(present(n.Expression))
			}
		case *expression.Text:
			for _, s := range n.Segments {
				if s.Expression != nil {
					v = v.and(present(s.Expression))
				}
			}
		}
		return true
	})
	return v
}

// other judges a criterion of another type: it is open, but fails where its
// context has no value. A condition on the status alone is tried with each one.
func (c *Criterion) other() Verdict {
	uses := c.Compiled.Uses()
	if len(uses) == 1 && uses[0].Expression.Root == expression.StatusCode {
		return c.try()
	}
	v := maybe(Always)
	for _, use := range uses {
		v = v.and(maybe(present(use.Expression).May))
	}
	return v
}

// try evaluates a criterion that depends on nothing but the status.
func (c *Criterion) try() Verdict {
	holds := Never
	for s := minStatus; s <= maxStatus; s++ {
		if c.Compiled.Eval(statusScope(s)).Passed {
			holds = holds.Union(Status(s))
		}
	}
	return both(holds)
}

// statusScope is a scope in which the status alone has a value.
type statusScope int

// Resolve gives the status; of 0 there is none.
func (s statusScope) Resolve(e *expression.Expression) value.Value {
	if e.Root == expression.StatusCode && s != 0 {
		return value.Int(int64(s))
	}
	return value.Absent
}

// present says where an expression has a value.
func present(e *expression.Expression) Verdict {
	switch e.Root {
	case expression.StatusCode:
		return both(AnyStatus)
	case expression.Response:
		return maybe(Answered)
	default:
		return maybe(Always)
	}
}

// judge says under which outcomes a node of a condition passes.
func judge(n expression.Node) Verdict {
	switch n := n.(type) {
	case *expression.Not:
		return judge(n.X).not()
	case *expression.Binary:
		switch {
		case n.Operator == expression.And:
			return judge(n.Left).and(judge(n.Right))
		case n.Operator == expression.Or:
			return judge(n.Left).or(judge(n.Right))
		default:
			return compare(n)
		}
	case *expression.Literal:
		return both(where(passes(n.Value)))
	default:
		return bare(n)
	}
}

// where gives all outcomes or none.
func where(holds bool) Outcomes {
	if holds {
		return Always
	}
	return Never
}

// passes tells whether a value that stands where a verdict is wanted counts as
// true (expression.Condition).
func passes(v value.Value) bool {
	switch v.Kind() {
	case value.KindBool:
		b, _ := v.Bool()
		return b
	case value.KindNumber:
		return !value.LooseEqual(v, value.Int(0))
	case value.KindString:
		return v.Text() != ""
	default:
		return false
	}
}

// bare judges a value that stands alone: null fails.
func bare(n expression.Node) Verdict {
	if isStatus(n) {
		return both(AnyStatus) // a status is never 0
	}
	return maybe(known(n).complement())
}

// compare judges a comparison.
func compare(n *expression.Binary) Verdict {
	left, right := literal(n.Left), literal(n.Right)
	switch {
	case left != nil && right != nil:
		return both(where(holds(n.Operator, *left, *right)))
	case right != nil && isStatus(n.Left):
		return statusVerdict(func(s value.Value) bool { return holds(n.Operator, s, *right) }, *right)
	case left != nil && isStatus(n.Right):
		return statusVerdict(func(s value.Value) bool { return holds(n.Operator, *left, s) }, *left)
	default:
		return compareUnknown(n, left, right)
	}
}

// statusVerdict tries each status; where there is none, it acts as null.
func statusVerdict(holds func(value.Value) bool, against value.Value) Verdict {
	o := Never
	for _, r := range statusRanges(against) {
		if holds(value.Int(int64(r[0]))) {
			o = o.Union(Statuses(r[0], r[1]))
		}
	}
	if holds(value.Null) {
		o = o.Union(NoResponse).Union(Done)
	}
	return both(o)
}

// statusRanges parts the statuses into stretches that compare alike with a value.
func statusRanges(against value.Value) [][2]int {
	n, err := strconv.Atoi(against.Text())
	if err == nil && (against.Kind() == value.KindNumber || against.Kind() == value.KindString) {
		return [][2]int{{minStatus, min(n-1, maxStatus)}, {n, n}, {max(n+1, minStatus), maxStatus}}
	}
	if _, err := value.Number(against.Text()); err != nil || against.Kind() != value.KindNumber && against.Kind() != value.KindString {
		return [][2]int{{minStatus, maxStatus}} // no status is equal to it, or has an order with it
	}
	ranges := make([][2]int, 0, maxStatus-minStatus+1)
	for s := minStatus; s <= maxStatus; s++ {
		ranges = append(ranges, [2]int{s, s})
	}
	return ranges
}

// compareUnknown judges a comparison with what only a run knows. Without a
// response some values are known all the same: they are null.
func compareUnknown(n *expression.Binary, left, right *value.Value) Verdict {
	nothingLeft, nothingRight := known(n.Left).nothing, known(n.Right).nothing
	decided := Never // where both sides are known
	passed := Never
	for _, o := range []Outcomes{NoResponse, Done, AnyStatus} {
		l, leftKnown := at(left, nothingLeft, o)
		r, rightKnown := at(right, nothingRight, o)
		switch {
		case leftKnown && rightKnown:
			decided = decided.Union(o)
			if holds(n.Operator, l, r) {
				passed = passed.Union(o)
			}
		case n.Operator >= expression.Less && (leftKnown && l.IsNothing() || rightKnown && r.IsNothing()):
			decided = decided.Union(o) // an order with null never holds
		}
	}
	return Verdict{May: passed.Union(decided.Complement()), Must: passed}
}

// at gives what is known of one side under some outcomes.
func at(literal *value.Value, nothing, o Outcomes) (value.Value, bool) {
	if literal != nil {
		return *literal, true
	}
	return value.Null, nothing.Contains(o)
}

// knowledge is what is known of a value before the run: where it is null.
type knowledge struct{ nothing Outcomes }

func (k knowledge) complement() Outcomes { return k.nothing.Complement() }

// known says where the value of a node is surely null: a part of a response where
// there is none.
func known(n expression.Node) knowledge {
	switch n := n.(type) {
	case *expression.Operand:
		return knowledge{present(n.Expression).May.Complement()}
	case *expression.Member:
		return known(n.X)
	case *expression.Index:
		return known(n.X)
	default:
		return knowledge{Never}
	}
}

func isStatus(n expression.Node) bool {
	o, ok := n.(*expression.Operand)
	return ok && o.Expression.Root == expression.StatusCode
}

// literal gives the value of a node that is one; nil for any other.
func literal(n expression.Node) *value.Value {
	if l, ok := n.(*expression.Literal); ok {
		return &l.Value
	}
	return nil
}

// holds compares two values as a simple condition does.
func holds(o expression.Operator, a, b value.Value) bool {
	switch o {
	case expression.Equal:
		return value.LooseEqual(a, b)
	case expression.NotEqual:
		return !value.LooseEqual(a, b)
	}
	order, ok := value.Order(a, b)
	switch {
	case !ok:
		return false
	case o == expression.Less:
		return order < 0
	case o == expression.LessOrEqual:
		return order <= 0
	case o == expression.Greater:
		return order > 0
	default:
		return order >= 0
	}
}
