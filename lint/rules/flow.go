package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// flowRules are about the ways that control can take through a workflow.
func flowRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "step-reachable", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "No way leads to a step.",
			Why: "A step that never runs is usually cut off by an action that was meant to have criteria. " +
				"What helps a retry, and what x-weft-on-cancel leads to, counts as reached.",
			Avoid:  "- stepId: find\n  onSuccess:\n    - {name: done, type: end}\n- stepId: order # never runs\n",
			Prefer: "- stepId: find\n  onSuccess:\n    - name: done\n      type: end\n      criteria:\n        - condition: $response.body#/items/0 == null\n- stepId: order\n",
			Check:  checkReachable,
		},
		{
			Name: "action-shadowed", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "An action is never taken, because one before it always is.",
			Why: "Of several actions the first whose criteria hold is taken. One without criteria always is: it " +
				"belongs at the end of the list. A retry before it does not count, since it is used up at some point.",
			Avoid:  "onFailure:\n  - {name: giveUp, type: end}\n  - {name: ask, type: goto, stepId: requery}\n",
			Prefer: "onFailure:\n  - name: ask\n    type: goto\n    stepId: requery\n    criteria:\n      - condition: $statusCode == 504\n  - {name: giveUp, type: end}\n",
			Check:  checkShadowed,
		},
		{
			Name: "poll-bounded", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A jump asks the same again and again, without any bound.",
			Why: "A goto counts nothing. When the answer that is waited for never comes, the workflow asks for " +
				"ever, or until the tool gives up. A retry has a limit and a delay: let the step fail while the " +
				"answer is not there yet. Paging is no such loop, as each round sends another value.",
			Avoid: "successCriteria:\n  - condition: $statusCode == 200\nonSuccess:\n  - name: notYet\n    type: goto\n    stepId: poll\n" +
				"    criteria:\n      - condition: $response.body#/status == 'PENDING'\n",
			Prefer: "successCriteria:\n  - condition: $response.body#/status != 'PENDING'\nonFailure:\n  - name: notYet\n    type: retry\n" +
				"    retryAfter: 5\n    retryLimit: 10\n    criteria:\n      - condition: $statusCode == 200\n",
			Check: checkPolling,
		},
		{
			Name: "output-on-every-path", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The workflow can succeed without the step that an output is taken from.",
			Why: "On that path the output is missing, and whoever called the workflow gets nothing for it. " +
				"Let the paths meet in one step that reads what is to be returned.",
			Avoid:  "steps:\n  - stepId: pay\n    onSuccess:\n      - {name: done, type: end}\n  - stepId: read\noutputs:\n  status: $steps.read.outputs.status\n",
			Prefer: "steps:\n  - stepId: pay\n  - stepId: read\noutputs:\n  status: $steps.read.outputs.status\n",
			Check:  checkOutputPaths,
		},
		{
			Name: "goto-loop", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A loop can be left only by failing the workflow.",
			Why:     "No path from its steps leads to an end in success: the workflow goes round until something fails.",
			Avoid:   "- stepId: poll\n  onSuccess:\n    - {name: again, type: goto, stepId: poll}\n",
			Prefer: "- stepId: poll\n  onSuccess:\n    - name: done\n      type: end\n      criteria:\n        - condition: $response.body#/done == true\n" +
				"    - {name: again, type: goto, stepId: poll}\n",
			Check: checkLoops,
		},
	}
}

// checkReachable reports the first step of each stretch that is cut off.
func checkReachable(p *lint.Pass) {
	for _, w := range p.Workflows {
		flow := w.Flow()
		reached := flow.Reachable()
		told := make(map[*lint.Step]bool)
		for _, s := range flow.Order {
			if reached[s] || told[s] {
				continue
			}
			behind := flow.Reach(s, nil)
			for other := range behind {
				told[other] = true
			}
			more := 0
			for other := range behind {
				if !reached[other] && other != s {
					more++
				}
			}
			message := "no way leads to step " + quote(s.ID())
			if more > 0 {
				message += fmt.Sprintf(", nor to %s behind it", plural(more, "step"))
			}
			p.Reportf(lint.At(s.Model.StepID.Node, s.Model.Node), "%s", message)
		}
	}
}

func checkShadowed(p *lint.Pass) {
	for _, w := range p.Workflows {
		taken := make(map[*lint.Action]bool)
		for _, s := range w.Steps {
			for _, e := range w.Flow().Edges(s) {
				taken[e.Action] = true
			}
		}
		for _, s := range w.Steps {
			for _, e := range w.Flow().Untaken(s) {
				// What a step does instead of the workflow's actions is meant so.
				if e.By == nil || taken[e.Action] || e.Action.Shared && !e.By.Shared {
					continue
				}
				p.Report(lint.Finding{
					At: placeOf(e.Action),
					Message: fmt.Sprintf("the action %s is never taken: %s before it always is where this one could be",
						called(e.Action), called(e.By)),
					Related: []lint.Related{lint.See(e.By.Written.Node, "this one is taken")},
				})
			}
		}
	}
}

func checkPolling(p *lint.Pass) {
	for _, w := range p.Workflows {
		flow := w.Flow()
		if flow.Broken {
			continue
		}
		for _, s := range flow.Order {
			for _, e := range flow.Edges(s) {
				if e.Kind == lint.Goto && e.To != nil && !e.Action.Shared && pollsFor(flow, e) {
					p.Reportf(placeOf(e.Action), "nothing bounds how often %s is asked: a goto counts nothing; let the step fail and retry it with a limit",
						quote(e.To.ID()))
				}
			}
		}
	}
}

// pollsFor tells whether a jump leads back to where it comes from through steps
// that only read and send the same again each time.
func pollsFor(flow *lint.Flow, jump *lint.Edge) bool {
	if !jump.To.Effect().Reads() || !jump.From.Effect().Reads() {
		return false
	}
	circle := circleOf(flow, jump, func(e *lint.Edge) bool { return e.Kind != lint.Retry && e.To != nil && e.To.Effect().Reads() })
	for s := range circle {
		if !sendsSame(s, circle) {
			return false
		}
	}
	return len(circle) > 0
}

// circleOf gives the steps through which control can go round along a jump and
// edges for which follow is true; none where it cannot.
func circleOf(flow *lint.Flow, jump *lint.Edge, follow func(*lint.Edge) bool) map[*lint.Step]bool {
	onward, back := flow.Reach(jump.To, follow), flow.ReachBack(jump.From, follow)
	onward[jump.To], back[jump.From] = true, true
	if !onward[jump.From] {
		return nil
	}
	circle := make(map[*lint.Step]bool)
	for s := range onward {
		if back[s] {
			circle[s] = true
		}
	}
	return circle
}

// sendsSame tells whether a step sends the same in each round of a circle: it
// takes nothing from the steps of the circle.
func sendsSame(s *lint.Step, circle map[*lint.Step]bool) bool {
	return !slices.ContainsFunc(s.SentUses(), func(e *expression.Expression) bool {
		return e.Root == expression.Steps && circle[s.Workflow.Step(e.Owner)]
	})
}

func checkOutputPaths(p *lint.Pass) {
	for _, w := range p.Workflows {
		flow := w.Flow()
		reached := flow.Reachable()
		for _, o := range w.Outputs {
			for _, e := range o.Value.Uses() {
				if e.Root != expression.Steps || w.Step(e.Owner) == nil || !reached[w.Step(e.Owner)] {
					continue
				}
				if flow.Avoids(w.Step(e.Owner), nil) {
					p.Reportf(lint.At(o.Model.Value), "the workflow can succeed without step %s, and then has no output %s",
						quote(e.Owner), quote(o.Model.Name.Value))
				}
			}
		}
	}
}

// checkLoops reports the jump that closes each loop from which no way leads to an
// end in success.
func checkLoops(p *lint.Pass) {
	for _, w := range p.Workflows {
		flow := w.Flow()
		reached := flow.Reachable()
		ending := flow.Ending(lint.ExitSuccess, lint.ExitElsewhere)
		for _, s := range flow.Order {
			if !reached[s] || ending[s] {
				continue
			}
			for _, e := range flow.Edges(s) {
				if e.Kind == lint.Goto && e.To != nil && e.To.Index <= s.Index && (e.To == s || flow.Leads(e.To, s, nil)) {
					p.Reportf(placeOf(e.Action), "the loop back to %s can be left only by failing the workflow: from none of its steps a way leads to an end in success",
						quote(e.To.ID()))
				}
			}
		}
	}
}
