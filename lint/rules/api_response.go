package rules

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

func checkBodiesRead(p *lint.Pass) {
	told := make(map[*lint.Step]bool) // that a body is not described, of which one word is enough
	for _, use := range p.Uses() {
		if use.Expression.Root != expression.Response || use.Expression.Part != expression.BodyPart {
			continue
		}
		if use.Step != nil && use.Step.Receives() && use.Kind.AfterCall() {
			p.Reportf(use.Place(), "a step that receives has a message and no response; write $message.payload")
			continue
		}
		responses := use.Responses()
		if len(responses) == 0 || slices.ContainsFunc(responses, func(r *source.Response) bool { return len(r.Content) > 0 && !isBodiless(use.Step, r) }) {
			continue
		}
		label := quote(use.Step.Target.Operation.Label())
		switch {
		case use.Step.Target.Operation.Method == http.MethodHead:
			p.Reportf(use.Place(), "a response to HEAD has no body")
		case !slices.ContainsFunc(responses, func(r *source.Response) bool { return !isBodiless(use.Step, r) }):
			p.Reportf(use.Place(), "the response %s of operation %s has no body", statusNames(responses), label)
		case !told[use.Step] && !hiddenPart(use.Step.Target.Source, "responses"):
			told[use.Step] = true
			p.Report(lint.Finding{At: use.Place(), Severity: lint.Warn,
				Message: "operation " + label + " describes no body for " + statusNames(responses)})
		}
	}
}

// isBodiless tells whether a response has no body whatever is described (RFC 9110,
// section 6.4.1).
func isBodiless(s *lint.Step, r *source.Response) bool {
	without := lint.Statuses(100, 199).Union(lint.Status(204)).Union(lint.Status(205)).Union(lint.Status(304))
	statuses := lint.Described(s.Target.Operation, r)
	return s.Target.Operation.Method == http.MethodHead || !statuses.IsEmpty() && without.Contains(statuses)
}

func statusNames(responses []*source.Response) string {
	text := ""
	for i, r := range responses {
		switch {
		case i == 0:
		case i == len(responses)-1:
			text += " and "
		default:
			text += ", "
		}
		text += r.Status
	}
	return text
}

func checkHeadersRead(p *lint.Pass) {
	for _, use := range p.Uses() {
		e := use.Expression
		if e.Root != expression.Response || e.Part != expression.HeaderPart || isHTTPHeader(e.Name) || isKeyHeader(e.Name) {
			continue
		}
		responses := use.Responses()
		if len(responses) == 0 || hiddenPart(use.Step.Target.Source, "headers") || hiddenPart(use.Step.Target.Source, "responses") {
			continue
		}
		var names []string
		known := false
		for _, r := range responses {
			known = known || r.Header(e.Name) != nil
			for _, h := range r.Headers {
				names = append(names, h.Name)
			}
		}
		if !known {
			p.Reportf(use.Name(), "operation %s describes no header %s for %s%s", quote(use.Step.Target.Operation.Label()), quote(e.Name),
				statusNames(responses), lint.DidYouMean(e.Name, names, "the described ones"))
		}
	}
}

// commonStatuses may come from any server, or from something on the way to it,
// whether or not a description names them.
var commonStatuses = func() lint.Outcomes {
	all := lint.Statuses(500, 599)
	for _, status := range []int{400, 401, 403, 404, 405, 406, 407, 408, 411, 413, 414, 415, 417, 421, 425, 426, 428, 429, 431} {
		all = all.Union(lint.Status(status))
	}
	return all
}()

func checkStatuses(p *lint.Pass) {
	reported := make(map[*lint.Criterion]bool)
	eachComparison(p, func(c *lint.Criterion, b *expression.Binary, read reading, literal *expression.Literal) {
		if read.expression.Root != expression.StatusCode || b.Operator != expression.Equal {
			return
		}
		status, err := strconv.Atoi(literal.Value.Text())
		steps := judgedAfter(c)
		if err != nil || status < 100 || status > 599 || commonStatuses.Has(status) || len(steps) == 0 ||
			slices.ContainsFunc(steps, func(s *lint.Step) bool { return mayAnswer(s, status) }) {
			return
		}
		from, to := literal.Span()
		reported[c] = true
		f := lint.Finding{At: lint.Part(c.Model.Condition.Node, from, to)}
		op := steps[0].Target.Operation
		f.Message = fmt.Sprintf("operation %s describes no response %d; it describes %s", quote(op.Label()), status, statusNames(op.Responses))
		if len(steps) > 1 {
			f.Message = fmt.Sprintf("none of the operations after which this is tried describes a response %d", status)
		}
		p.Report(f)
	})
	for _, c := range p.Criteria() {
		if !reported[c] && c.Step != nil && c.Step.Target.Kind == lint.CallTarget {
			checkStatusesLet(p, c)
		}
	}
}

// mayAnswer tells whether what a step calls may answer with a status, as far as is
// described.
func mayAnswer(s *lint.Step, status int) bool {
	op := s.Target.Operation
	return s.Target.Kind != lint.CallTarget || len(op.Responses) == 0 || op.Response(status) != nil
}

// judgedAfter gives the steps after which a criterion is judged: its own, or all that
// have the action of the workflow that it is of.
func judgedAfter(c *lint.Criterion) []*lint.Step {
	if c.Step != nil {
		return []*lint.Step{c.Step}
	}
	if c.Workflow == nil || c.Action == nil {
		return nil
	}
	var all []*lint.Step
	for _, s := range c.Workflow.Steps {
		if slices.Contains(s.OnSuccess, c.Action) || slices.Contains(s.OnFailure, c.Action) {
			all = append(all, s)
		}
	}
	return all
}

// checkStatusesLet reports a criterion on the status alone that lets nothing through
// but statuses that the operation does not describe.
func checkStatusesLet(p *lint.Pass, c *lint.Criterion) {
	op, verdict := c.Step.Target.Operation, c.Verdict()
	lets, success := verdict.Must.Intersect(lint.AnyStatus), lint.Statuses(200, 299)
	const few = 10 // more than these are a class of statuses, kept off in case they come
	if verdict.May != verdict.Must || lets.IsEmpty() || len(op.Responses) == 0 || lets.Count() > few && !success.Contains(lets) {
		return
	}
	if lets.Meets(commonStatuses) || len(lint.ResponsesUnder(op, lets)) > 0 {
		return
	}
	p.Reportf(lint.At(c.Model.Condition.Node), "operation %s describes no response %s; it describes %s", quote(op.Label()), told(lets), statusNames(op.Responses))
}

// reading is a place in what an expression names, as a condition reads it.
type reading struct {
	expression *expression.Expression
	tokens     []string
	from, to   int // of the condition
}

// readingOf gives what an operand of a condition reads; ok is false where it is no
// expression, or goes on in a way that only a run knows.
func readingOf(n expression.Node) (r reading, ok bool) {
	switch n := n.(type) {
	case *expression.Operand:
		r = reading{expression: n.Expression, tokens: lint.Tokens(n.Expression)}
		ok = true
	case *expression.Member:
		r, ok = readingOf(n.X)
		r.tokens = append(r.tokens, n.Name)
	case *expression.Index:
		r, ok = readingOf(n.X)
		at, isLiteral := n.At.(*expression.Literal)
		if !isLiteral {
			return r, false
		}
		r.tokens = append(r.tokens, at.Value.Text())
	}
	r.from, r.to = n.Span()
	return r, ok
}

// eachComparison calls found for all comparisons of what an expression names with
// a constant.
func eachComparison(p *lint.Pass, found func(c *lint.Criterion, b *expression.Binary, read reading, literal *expression.Literal)) {
	for _, c := range p.Criteria() {
		root := c.Condition()
		if root == nil || !isText(c.Model.Condition) {
			continue
		}
		expression.Walk(root, func(n expression.Node) bool {
			b, ok := n.(*expression.Binary)
			if !ok || !b.Operator.IsComparison() {
				return true
			}
			for _, sides := range [][2]expression.Node{{b.Left, b.Right}, {b.Right, b.Left}} {
				read, isRead := readingOf(sides[0])
				literal, isLiteral := sides[1].(*expression.Literal)
				if isRead && isLiteral {
					found(c, b, read, literal)
				}
			}
			return true
		})
	}
}

func checkEnumValues(p *lint.Pass) {
	eachComparison(p, func(c *lint.Criterion, b *expression.Binary, read reading, literal *expression.Literal) {
		if b.Operator != expression.Equal && b.Operator != expression.NotEqual || literal.Value.IsNull() {
			return
		}
		listed, ok := listedAlong(c, read)
		if !ok || !neverListed(listed, literal.Value) {
			return
		}
		from, to := literal.Span()
		p.Reportf(lint.Part(c.Model.Condition.Node, from, to), "%s is never %s%s", short(c.Model.Condition.Value[read.from:read.to]),
			quote(literal.Value.Text()), lint.DidYouMean(literal.Value.Text(), textsOf(listed), "it is one of"))
	})
	checkFilters(p)
	checkPatterns(p)
	for _, s := range p.Steps() {
		if s.Model.State != nil {
			checkStateMap(p, s.State, s.Model.State.Map)
		}
	}
	for _, a := range p.Actions() {
		if a.Model != nil && a.Model.State != nil {
			checkStateMap(p, a.State, a.Model.State.Map)
		}
	}
}

// listedAlong lists the values that there can be where a condition reads, after any of
// the steps that it is judged after; ok is false where they are not listed.
func listedAlong(c *lint.Criterion, read reading) (all []value.Value, ok bool) {
	steps := judgedAfter(c)
	if c.Step != nil || len(steps) == 0 {
		return c.SchemaAlong(read.expression, read.tokens).Values()
	}
	for _, s := range steps {
		site := c.Site
		site.Step = s
		listed, ok := site.SchemaAlong(read.expression, read.tokens).Values()
		if !ok {
			return nil, false
		}
		for _, v := range listed {
			if !slices.ContainsFunc(all, func(w value.Value) bool { return value.LooseEqual(v, w) }) {
				all = append(all, v)
			}
		}
	}
	return all, true
}

func textsOf(values []value.Value) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = v.Text()
	}
	return texts
}
