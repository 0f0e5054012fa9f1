package rules

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// criterionType gives the type of a criterion: simple where it says none.
func criterionType(c *lint.Criterion) string {
	if c.Model.Type == nil {
		return "simple"
	}
	return c.Model.Type.Type
}

// conditionFaults calls found for the faults of conditions of one type, but those
// of what is embedded in them.
func conditionFaults(p *lint.Pass, kind string, found func(c *lint.Criterion, message string, at lint.Place, meant string)) {
	for _, c := range p.Criteria() {
		if criterionType(c) != kind || !isText(c.Model.Condition) {
			continue
		}
		for _, f := range c.Faults {
			if f.Node == c.Model.Condition.Node && !f.Unsupported && !inEmbedded(c, f) {
				if !hasUnknownVersion(c) {
					found(c, f.Message, faultPlace(f), f.Suggestion)
				}
			}
		}
	}
}

// hasUnknownVersion tells whether the type of a criterion names a version that there
// is not: that is told by itself.
func hasUnknownVersion(c *lint.Criterion) bool {
	if c.Model.Type == nil || c.Model.Type.Version == "" {
		return false
	}
	language, err := selector.ParseLanguage(c.Model.Type.Type)
	return err == nil && !slices.Contains(language.Versions(), c.Model.Type.Version)
}

func checkConditionSyntax(p *lint.Pass) {
	conditionFaults(p, "simple", func(_ *lint.Criterion, message string, at lint.Place, _ string) {
		p.Report(lint.Finding{At: at, Message: message})
	})
}

// checkLanguage gives the check of conditions and selectors in one language.
func checkLanguage(language string) func(*lint.Pass) {
	return func(p *lint.Pass) {
		conditionFaults(p, language, func(c *lint.Criterion, message string, at lint.Place, meant string) {
			f := lint.Finding{At: at, Message: message}
			if meant != "" && (language != "jsonpath" || isCountable(c, meant)) {
				f.Fixes = p.Write(c.Model.Condition.Node, meant, "write "+meant)
			}
			p.Report(f)
		})
		for _, v := range p.Values() {
			for _, f := range v.Faults {
				if selectorLanguage(f.Node) == language {
					reportFault(p, f)
				}
			}
		}
		checkTargets(p, func(n *arazzo.Node, of selector.Language, err error) {
			if of.String() == language {
				p.Reportf(lint.At(n), "target: %s", err)
			}
		})
	}
}

// isCountable tells whether a condition that was mended counts what is described as a
// list or a text, if it counts anything: of an object .length may be a member.
func isCountable(c *lint.Criterion, meant string) bool {
	_, rest, counts := strings.Cut(meant, "length(")
	path, _, _ := strings.Cut(rest, ")")
	if !counts || !strings.Contains(c.Model.Condition.Value, path+".length") {
		return true
	}
	tokens, ok := lint.JSONPathTokens(path)
	if !ok || c.Workflow == nil {
		return false
	}
	context, err := expression.Parse(c.Model.Context.Value, c.Workflow.Names)
	if err != nil {
		return false
	}
	types := c.SchemaAlong(context, slices.Concat(lint.Tokens(context), tokens)).Types()
	return types&^(reason.Array|reason.String|reason.Null) == 0
}

func checkBareConditions(p *lint.Pass) {
	for _, c := range p.Criteria() {
		root := c.Condition()
		switch {
		case root == nil:
		case !expression.YieldsBool(root) && isBool(kindsOf(c, root)):
		case !expression.YieldsBool(root):
			p.Reportf(lint.At(c.Model.Condition.Node), "the condition is a bare value: compare it, with == true for example")
		case isText(c.Model.Condition):
			checkBareOperands(p, c, root)
		}
	}
}

// isBool tells whether a value is described as a boolean: then it may stand alone.
func isBool(k kinds) bool { return k&boolean != 0 && k&^(boolean|null) == 0 }

// checkBareOperands looks at what &&, || and ! take. What may be a boolean, or is
// not described, may be meant; with ! one asks whether something is there, too.
func checkBareOperands(p *lint.Pass, c *lint.Criterion, root expression.Node) {
	expression.Walk(root, func(n expression.Node) bool {
		var operands []expression.Node
		switch n := n.(type) {
		case *expression.Not:
			operands = []expression.Node{n.X}
		case *expression.Binary:
			if n.Operator.IsComparison() {
				return false
			}
			operands = []expression.Node{n.Left, n.Right}
		}
		for _, operand := range operands {
			k := kindsOf(c, operand)
			if expression.YieldsBool(operand) || k&boolean != 0 || k == null {
				continue
			}
			from, to := operand.Span()
			p.Reportf(lint.Part(c.Model.Condition.Node, from, to), "a bare value, which is %s, stands where a truth is meant: compare it", side(k))
		}
		return true
	})
}

func checkConditionTypes(p *lint.Pass) {
	for _, c := range p.Criteria() {
		root := c.Condition()
		if root == nil || !isText(c.Model.Condition) {
			continue
		}
		expression.Walk(root, func(n expression.Node) bool {
			if not, ok := n.(*expression.Not); ok {
				return !reportNegated(p, c, not)
			}
			if b, ok := n.(*expression.Binary); ok && neverHolds(c, b) {
				from, to := b.Span()
				p.Reportf(lint.Part(c.Model.Condition.Node, from, to), "this never holds: %s", whyNever(c, b))
			}
			return true
		})
	}
}

// reportNegated reports !(a != b) where a == b never holds, and tells whether it did.
func reportNegated(p *lint.Pass, c *lint.Criterion, not *expression.Not) bool {
	equal := negated(not)
	if equal == nil || !neverHolds(c, equal) {
		return false
	}
	from, to := not.Span()
	p.Reportf(lint.Part(c.Model.Condition.Node, from, to), "this never holds: %s", whyNever(c, equal))
	return true
}

// negated gives a == b of !(a != b); nil of anything else.
func negated(not *expression.Not) *expression.Binary {
	b, ok := not.X.(*expression.Binary)
	if !ok || b.Operator != expression.NotEqual {
		return nil
	}
	equal := *b
	equal.Operator = expression.Equal
	return &equal
}

func checkSatisfiable(p *lint.Pass) {
	told := make(map[*arazzo.Action]bool) // what several steps have
	for _, s := range p.Steps() {
		checkTogether(p, s.Criteria, possibleSuccess(s), whyStep(s))
		for _, e := range s.Workflow.Flow().Untaken(s) {
			if e.By != nil || told[e.Action.Model] {
				continue
			}
			told[e.Action.Model] = true
			checkTogether(p, e.Action.Criteria, mayComeTo(e), whyAction(e.Success))
		}
	}
}

// mayComeTo says how an attempt can have come out where an action is tried: after any
// step that has it. Of a component it is not said where it belongs.
func mayComeTo(e *lint.Edge) lint.Outcomes {
	if e.Action.Written.Reference.Present() {
		return lint.Always
	}
	if !e.Action.Shared {
		return afterwards(e.From, e.Success)
	}
	outcomes := lint.Never
	for _, s := range e.From.Workflow.Steps {
		if s.Target.Kind == lint.NoTarget {
			return lint.Always
		}
		outcomes = outcomes.Union(afterwards(s, e.Success))
	}
	return outcomes
}

// possibleSuccess says how an attempt can come out for the step to succeed: not
// without a response. What messages have of a status is left open.
func possibleSuccess(s *lint.Step) lint.Outcomes {
	switch s.Target.Kind {
	case lint.WorkflowTarget:
		return lint.Done
	case lint.CallTarget:
		return lint.AnyStatus
	default:
		return lint.Answered
	}
}

func whyStep(s *lint.Step) string {
	if s.Target.Kind == lint.WorkflowTarget {
		return "a workflow that was called has no status"
	}
	return "without a response a step fails in any case"
}

func afterwards(s *lint.Step, success bool) lint.Outcomes {
	v := s.Workflow.Flow().Success(s)
	if success {
		return v.May
	}
	return v.Must.Complement()
}

func whyAction(success bool) string {
	if success {
		return "the actions of onSuccess are tried only when the successCriteria hold"
	}
	return "the actions of onFailure are tried only when the step has failed"
}

// checkTogether reports the criterion of a list with which nothing is left of the
// outcomes that there can be. Comparisons that never hold by themselves are for
// another rule.
func checkTogether(p *lint.Pass, criteria []*lint.Criterion, possible lint.Outcomes, why string) {
	left, demanded := lint.Always, demands{}
	for _, c := range criteria {
		if len(c.Faults) > 0 || !isText(c.Model.Condition) || hasNever(c) {
			return
		}
	}
	for _, c := range criteria {
		may := c.Verdict().May
		message := ""
		switch {
		case may.IsEmpty():
			message = "this can never hold"
		case !left.Meets(may):
			message = "this can never hold together with the criteria before it"
		case !left.Intersect(may).Meets(possible):
			message = "this can never hold here: " + why
		default:
			message = demanded.add(c)
		}
		if message != "" {
			p.Report(lint.Finding{At: lint.At(c.Model.Condition.Node), Message: message})
			return
		}
		left = left.Intersect(may)
	}
}

func hasNever(c *lint.Criterion) bool {
	root, found := c.Condition(), false
	if root == nil {
		return false
	}
	expression.Walk(root, func(n expression.Node) bool {
		if not, ok := n.(*expression.Not); ok {
			equal := negated(not)
			found = found || equal != nil && neverHolds(c, equal)
			return !found
		}
		b, ok := n.(*expression.Binary)
		found = found || ok && neverHolds(c, b)
		return !found
	})
	return found
}

func checkCriteriaPresent(p *lint.Pass) {
	for _, s := range p.Steps() {
		m := s.Model
		if s.Target.Kind != lint.CallTarget || m.Node.Get("successCriteria") != nil {
			continue
		}
		p.Reportf(lint.At(m.StepID.Node, m.Node), "step %s has no successCriteria: any 2xx is taken for success", quote(s.ID()))
	}
}
