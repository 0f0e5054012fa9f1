package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// workflowCall is a call of a workflow, by a step or an action.
type workflowCall struct {
	target     lint.Target
	at         lint.Place // where it is said what is called
	parameters []*lint.Parameter
	byAction   bool
}

// workflowCalls gives all calls of workflows that are there.
func workflowCalls(p *lint.Pass) []workflowCall {
	var all []workflowCall
	for _, s := range p.Steps() {
		if s.Target.Kind != lint.WorkflowTarget {
			continue
		}
		c := workflowCall{target: s.Target, at: lint.At(s.Target.Ref.Node), parameters: s.Parameters}
		if !slices.ContainsFunc(s.Own.Parameters, isBroken) {
			all = append(all, c)
		}
	}
	for _, a := range p.Actions() {
		if a.Model == nil || a.Target.Kind != lint.WorkflowTarget {
			continue
		}
		c := workflowCall{target: a.Target, at: lint.At(a.Target.Ref.Node), parameters: a.Parameters, byAction: true}
		if a.Written.Reference.Present() {
			c.at = lint.At(a.Written.Reference.Node)
		}
		if !slices.ContainsFunc(a.Parameters, isBroken) {
			all = append(all, c)
		}
	}
	return all
}

// isBroken tells whether a parameter is a reference that leads nowhere: it may be
// any.
func isBroken(p *lint.Parameter) bool { return p.Model == nil }

// checkInputsGiven reports inputs that a call must give. What a jump of 1.0, which
// has no parameters, gives to the workflow is not said there.
func checkInputsGiven(p *lint.Pass) {
	for _, c := range workflowCalls(p) {
		if c.byAction && p.Model.Version != arazzo.Version11 {
			continue
		}
		called := c.target.Workflow()
		missing := notGiven(c, called.InputSchema())
		if len(missing) == 0 {
			continue
		}
		f := lint.Finding{At: c.at, Message: fmt.Sprintf("workflow %s requires the %s, which the call does not give", quote(called.ID()), missing)}
		if called.Document == p.Document {
			f.Related = []lint.Related{lint.See(called.Model.Inputs, "the inputs of %s", quote(called.ID()))}
		}
		p.Report(f)
	}
}

// notGiven names the inputs that are required and that a call does not give; empty
// where there is none.
func notGiven(c workflowCall, inputs reason.Schema) string {
	var missing []string
	for _, name := range inputs.Required() {
		given := slices.ContainsFunc(c.parameters, func(q *lint.Parameter) bool { return q.Model.Name.Value == name })
		if !given && !hasDefault(inputs, name) && !slices.Contains(missing, quote(name)) {
			missing = append(missing, quote(name))
		}
	}
	switch last := len(missing) - 1; last {
	case -1:
		return ""
	case 0:
		return "input " + missing[0]
	default:
		return "inputs " + strings.Join(missing[:last], ", ") + " and " + missing[last]
	}
}

// hasDefault tells whether a property is filled in where it is not given.
func hasDefault(s reason.Schema, name string) bool {
	property, _ := s.Step(name)
	for _, places := range property.Places() {
		for _, place := range places {
			if withDefault(place, 10) {
				return true
			}
		}
	}
	return false
}

// withDefault tells whether a schema, or one that it is made of, has a default.
func withDefault(p reason.Place, left int) bool {
	v := p.Value()
	if left == 0 || !v.Get("default").IsAbsent() {
		return left > 0
	}
	if to, ok := p.Follow(); ok && withDefault(to, left-1) {
		return true
	}
	for i := range v.Get("allOf").Items() {
		if withDefault(p.In("allOf", fmt.Sprint(i)), left-1) {
			return true
		}
	}
	return false
}

func checkInputsKnown(p *lint.Pass) {
	for _, c := range workflowCalls(p) {
		called := c.target.Workflow()
		inputs := called.InputSchema()
		for _, q := range c.parameters {
			if q.Shared || !isText(q.Model.Name) {
				continue
			}
			name := q.Model.Name.Value
			f := lint.Finding{At: nameOfParameter(q)}
			switch _, presence := inputs.Step(name); {
			case !inputs.IsKnown() && called.Model.Inputs == nil:
				f.Severity = lint.Warn
				f.Message = fmt.Sprintf("workflow %s declares no inputs", quote(called.ID()))
			case presence == reason.Impossible:
				f.Message = fmt.Sprintf("workflow %s takes no input %s%s", quote(called.ID()), quote(name), lint.DidYouMean(name, inputs.Names(), "its inputs"))
			case presence == reason.Undeclared:
				f.Severity = lint.Warn
				f.Message = fmt.Sprintf("workflow %s declares no input %s%s", quote(called.ID()), quote(name), lint.DidYouMean(name, inputs.Names(), "its inputs"))
			default:
				continue
			}
			p.Report(f)
		}
	}
}

// checkInputFlow reports what cannot be the input of a workflow as which a call
// gives it. Inputs are not written as text on their way.
func checkInputFlow(p *lint.Pass, c workflowCall) {
	called := c.target.Workflow()
	for _, q := range c.parameters {
		if q.Value == nil {
			continue
		}
		from := q.Value.Schema()
		into, presence := called.InputSchema().Step(q.Model.Name.Value)
		if presence <= reason.Undeclared || from.IsImpossible() || into.IsImpossible() || !reason.Disjoint(from, into) {
			continue
		}
		what := gives(q.Value.Compiled.String(), from)
		if constant, ok := q.Value.Compiled.Constant(); ok {
			what = "the value is " + article(from.Types())
			if constant.Kind() == value.KindNull {
				continue // it is as if it were not given
			}
		}
		p.Reportf(valueOfParameter(q), "%s, and the input %s of workflow %s %s", what, quote(q.Model.Name.Value), quote(called.ID()), takes(from, into))
	}
}
