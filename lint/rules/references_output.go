package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/circle"
	"github.com/weft-flow/weft/lint"
)

// stepIDs gives the ids of a workflow's steps.
func stepIDs(w *lint.Workflow) []string { return w.Names.Steps }

func checkStepsExist(p *lint.Pass) {
	for _, use := range p.Uses() {
		e, w := use.Expression, use.Workflow
		if w == nil || e.Root != expression.Steps || w.Step(e.Owner) != nil {
			continue
		}
		f := lint.Finding{At: use.Owner(), Message: fmt.Sprintf("workflow %s has no step %s%s",
			quote(w.ID()), quote(e.Owner), p.DidYouMean(e.Owner, stepIDs(w), "steps"))}
		if other := workflowWithStep(p, e.Owner); other != nil {
			f.Help = fmt.Sprintf("workflow %s has a step of that name; its steps are not known in another workflow", quote(other.ID()))
		}
		p.Report(f)
	}
	for _, s := range p.Steps() {
		if of := s.Model.RequeryOf; isText(of) && s.Workflow.Step(of.Value) == nil {
			p.Reportf(lint.At(of.Node), "workflow %s has no step %s%s", quote(s.Workflow.ID()), quote(of.Value),
				p.DidYouMean(of.Value, stepIDs(s.Workflow), "steps"))
		}
	}
	for _, w := range p.Workflows {
		checkCallbackSteps(p, w)
	}
}

// checkCallbackSteps looks at the steps that inputs name in x-weft-callback.
func checkCallbackSteps(p *lint.Pass, w *lint.Workflow) {
	for _, c := range p.Model.Callbacks(w.Model) {
		if c.Step.Kind != value.KindString {
			continue // the schema says so
		}
		s := w.Step(c.Step.Text)
		switch {
		case s == nil:
			p.Reportf(lint.At(c.Step), "x-weft-callback: workflow %s has no step %s%s", quote(w.ID()), quote(c.Step.Text),
				p.DidYouMean(c.Step.Text, stepIDs(w), "steps"))
		case s.Target.Kind == lint.CallTarget || s.Target.Kind == lint.WorkflowTarget ||
			s.Target.Kind == lint.ChannelTarget && s.Model.Action.Value == "send":
			p.Reportf(lint.At(c.Step), "x-weft-callback: step %s receives nothing; expected a step that waits for a message", quote(s.ID()))
		}
	}
}

func workflowWithStep(p *lint.Pass, id string) *lint.Workflow {
	for _, w := range p.Workflows {
		if w.Step(id) != nil {
			return w
		}
	}
	return nil
}

func checkGotoTargets(p *lint.Pass) {
	for _, a := range p.Actions() {
		if a.Target.Ref.Present() {
			reportNoWorkflow(p, &a.Target)
		}
	}
	for _, w := range p.Workflows {
		lists := [][]*lint.Action{w.SuccessActions, w.FailureActions, w.OnCancel}
		for _, s := range w.Steps {
			lists = append(lists, s.Own.OnSuccess, s.Own.OnFailure)
		}
		for _, a := range slices.Concat(lists...) {
			if a.Model == nil || !isText(a.Model.StepID) || a.Step != nil {
				continue
			}
			id := a.Model.StepID
			f := lint.Finding{At: lint.At(id.Node), Message: fmt.Sprintf("workflow %s has no step %s%s",
				quote(w.ID()), quote(id.Value), p.DidYouMean(id.Value, stepIDs(w), "steps"))}
			if a.Written.Reference.Present() {
				f.At = lint.At(a.Written.Reference.Node)
				f.Related = []lint.Related{lint.See(id.Node, "the component leads there")}
			}
			if p.Workflow(id.Value) != nil {
				f.Help = "there is a workflow of that name: write workflowId"
			}
			p.Report(f)
		}
	}
}

func checkStepDependencies(p *lint.Pass) {
	for _, s := range p.Steps() {
		for _, d := range s.DependsOn {
			var syntax *expression.Error
			switch {
			case d.Err == nil || missing(d.Err, "source") != nil || !isText(d.Text) || asError(d.Err, &syntax):
			case missing(d.Err, "workflow") != nil:
				p.Reportf(lint.At(d.Text.Node), "dependsOn: %s", d.Err)
			default:
				near := ""
				if d.Ref.Workflow == "" {
					near = p.DidYouMean(d.Ref.Step, stepIDs(s.Workflow), "steps")
				}
				p.Reportf(lint.At(d.Text.Node), "dependsOn: there is no step %s%s", quote(d.Ref.Step), near)
			}
		}
	}
}

// checkStepCircle reports steps that must each have ended before the other.
func checkStepCircle(p *lint.Pass) {
	for _, w := range p.Workflows {
		before := w.Before()
		next := func(s *lint.Step) []*lint.Step { return before[s] }
		number := circle.Of(w.Steps, next)
		told := make(map[*lint.Step]bool)
		for _, s := range w.Steps {
			for _, b := range before[s] {
				if told[s] || number[b] != number[s] {
					continue
				}
				way := path(b, s, next)
				for _, member := range way {
					told[member] = true
				}
				p.Reportf(dependencyPlace(w, s, b), "step %s has to wait for itself%s", quote(s.ID()), throughSteps(way[:len(way)-1]))
			}
		}
	}
}

// dependencyPlace gives where a step says that another must end before it.
func dependencyPlace(w *lint.Workflow, s, before *lint.Step) lint.Place {
	for _, d := range s.DependsOn {
		if d.Step == before {
			return lint.At(d.Text.Node)
		}
	}
	for _, use := range w.Uses {
		if use.Step == s && w.Referred(use) == before {
			return use.Place()
		}
	}
	return lint.At(s.Model.Node)
}

func throughSteps(way []*lint.Step) string {
	out := ""
	for i, s := range way {
		if i == 0 {
			out = ": it needs "
		} else {
			out += ", which needs "
		}
		out += quote(s.ID())
	}
	if out != "" {
		out += ", which needs it"
	}
	return out
}

func checkOutputsDeclared(p *lint.Pass) {
	for _, use := range p.Uses() {
		e, w := use.Expression, use.Workflow
		if w == nil || e.Root != expression.Steps {
			continue
		}
		s := w.Step(e.Owner)
		if s == nil || s.Output(e.Name) != nil {
			continue
		}
		f := lint.Finding{At: use.Name(), Message: fmt.Sprintf("step %s declares no output %s%s",
			quote(e.Owner), quote(e.Name), p.DidYouMean(e.Name, w.Names.StepOutputs[e.Owner], "its outputs"))}
		if called := s.Target.Workflow(); called != nil && hasOutput(called, e.Name) {
			f.Help = fmt.Sprintf("workflow %s has that output: the step gives it on with outputs: {%s: $outputs.%s}",
				quote(called.ID()), e.Name, e.Name)
		} else if other := stepWithOutput(w, e.Name); other != nil {
			f.Help = fmt.Sprintf("step %s declares an output of that name", quote(other.ID()))
		}
		p.Report(f)
	}
}

func hasOutput(w *lint.Workflow, name string) bool {
	return slices.ContainsFunc(w.Outputs, func(o *lint.Output) bool { return o.Model.Name.Value == name })
}

func stepWithOutput(w *lint.Workflow, name string) *lint.Step {
	for _, s := range w.Steps {
		if s.Output(name) != nil {
			return s
		}
	}
	return nil
}

// checkOutputsAvailable reports outputs of later steps where nothing says that
// these run before.
func checkOutputsAvailable(p *lint.Pass) {
	checkReadTooEarly(p)
	for _, w := range p.Workflows {
		if hasDependencies(w) {
			continue // the order is that of the dependencies
		}
		for _, use := range w.Uses {
			owner := w.Referred(use)
			if owner == nil || use.Step == nil || owner.Index <= use.Step.Index || w.RunsBefore(owner, use.Step) {
				continue
			}
			p.Report(lint.Finding{
				At: use.Place(),
				Message: fmt.Sprintf("step %s runs after step %s, so its output %s has no value here",
					quote(owner.ID()), quote(use.Step.ID()), quote(use.Expression.Name)),
				Related: []lint.Related{lint.See(owner.Model.StepID.Node, "the later step")},
			})
		}
	}
}

func hasDependencies(w *lint.Workflow) bool {
	return slices.ContainsFunc(w.Steps, func(s *lint.Step) bool { return len(s.Model.DependsOn) > 0 })
}

func checkWorkflowOutputs(p *lint.Pass) {
	checkOutputsOfCalls(p)
	for _, use := range p.Uses() {
		e := use.Expression
		switch {
		case e.Root == expression.Workflows && e.Part == expression.OutputsPart:
			if w := p.Workflow(e.Owner); w != nil {
				reportOutput(p, use, w)
			}
		case e.Root == expression.Outputs && use.Step != nil:
			if called := use.Step.Target.Workflow(); called != nil && !slices.Contains(use.Workflow.Names.Outputs, e.Name) {
				reportOutput(p, use, called)
			}
		}
	}
}

func reportOutput(p *lint.Pass, use *lint.Use, w *lint.Workflow) {
	var names []string
	for _, o := range w.Outputs {
		names = append(names, o.Model.Name.Value)
	}
	name := use.Expression.Name
	if !slices.Contains(names, name) {
		p.Reportf(use.Name(), "workflow %s declares no output %s%s", quote(w.ID()), quote(name), p.DidYouMean(name, names, "its outputs"))
	}
}
