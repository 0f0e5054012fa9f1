package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/internal/circle"
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
// behindNever gives the steps that are not reached since the criteria of one before
// them can never hold, which another rule tells.
func behindNever(flow *lint.Flow, reached map[*lint.Step]bool) map[*lint.Step]bool {
	behind := make(map[*lint.Step]bool)
	for i, s := range flow.Order {
		if i+1 == len(flow.Order) || !reached[s] || len(s.Criteria) == 0 || !flow.Success(s).May.IsEmpty() {
			continue
		}
		next := flow.Order[i+1]
		if reached[next] || behind[next] {
			continue
		}
		behind[next] = true
		for other := range flow.Reach(next, nil) {
			behind[other] = true
		}
	}
	return behind
}

func checkReachable(p *lint.Pass) {
	for _, w := range p.Workflows {
		flow := w.Flow()
		reached := flow.Reachable()
		told := behindNever(flow, reached)
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
				// What a step does instead of the workflow's actions is meant so, where
				// another step does what the workflow says, or what it says by that name.
				if e.By == nil || taken[e.Action] || e.Action.Shared && !e.By.Shared && !isEverywhere(w, e.Action) {
					continue
				}
				taken[e.Action] = e.Action.Shared // told once
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

// isEverywhere tells whether all steps of a workflow have one of its actions, none its
// own by that name, and whether that is for certain cases: one without criteria is what
// is done where a step says nothing.
func isEverywhere(w *lint.Workflow, a *lint.Action) bool {
	return len(a.Criteria) > 0 && !slices.ContainsFunc(w.Steps, func(s *lint.Step) bool {
		return !slices.Contains(s.OnSuccess, a) && !slices.Contains(s.OnFailure, a)
	})
}

func checkPolling(p *lint.Pass) {
	if !slices.ContainsFunc(p.Actions(), mayJump) {
		return
	}
	endless := endlessLoops(p)
	for _, w := range p.Workflows {
		flow := w.Flow()
		if flow.Broken {
			continue
		}
		circles := circlesOf(flow, onlyReads)
		told := make(map[*arazzo.Action]bool) // what several steps have of their workflow
		for _, s := range flow.Order {
			for _, e := range flow.Edges(s) {
				entry := entryOf(e)
				if e.Kind != lint.Goto || entry == nil || told[e.Action.Written] || endless[e] || !circles.same(e.From, entry) {
					continue
				}
				if e.Action.Shared && !waits(e) || handsOn(e) {
					continue // of other steps, a way past what they read; or it asks for something else
				}
				told[e.Action.Written] = e.Action.Shared
				p.Reportf(placeOf(e.Action), "nothing bounds how often %s is asked: a goto counts nothing; let the step fail and retry it with a limit",
					quote(entry.ID()))
			}
		}
	}
}

// handsOn tells whether a jump gives a workflow what a round has found, the next page
// say.
func handsOn(e *lint.Edge) bool {
	return slices.ContainsFunc(e.Action.Parameters, func(q *lint.Parameter) bool {
		return slices.ContainsFunc(q.Value.Uses(), func(use *expression.Expression) bool { return use.Root != expression.Inputs })
	})
}

// waiting are the outcomes after which something may be there later.
var waiting = lint.NoResponse.Union(lint.Statuses(200, 299)).Union(lint.Status(408)).Union(lint.Status(425)).Union(lint.Status(429)).Union(lint.Statuses(500, 599))

// waits tells whether a jump is taken because something is not there yet.
func waits(e *lint.Edge) bool { return e.Success || e.Lets().Meets(waiting) }

// onlyReads tells whether an edge leads, without a retry, from a step that only reads
// to another.
func onlyReads(e *lint.Edge) bool {
	entry := entryOf(e)
	return e.Kind != lint.Retry && entry != nil && e.From.Effect().Reads() && entry.Effect().Reads()
}

// loops are the circles of a flow that send the same in each round.
type loops struct {
	number map[*lint.Step]int
	differ map[int]bool // circles in which a step sends something else each time
}

// circlesOf finds the circles along edges for which follow is true.
func circlesOf(flow *lint.Flow, follow func(*lint.Edge) bool) loops {
	l := loops{differ: make(map[int]bool)}
	l.number = circle.Of(flow.Order, func(s *lint.Step) []*lint.Step {
		var next []*lint.Step
		for _, e := range flow.Edges(s) {
			if follow(e) {
				next = append(next, entryOf(e))
			}
		}
		return next
	})
	for _, s := range flow.Order {
		for _, e := range s.SentUses() {
			owner := s.Workflow.Step(e.Owner)
			if e.Root == expression.Steps && owner != nil && l.number[owner] == l.number[s] {
				l.differ[l.number[s]] = true
			}
		}
	}
	return l
}

// same tells whether an edge between two steps that only read closes a circle of such
// steps that send the same in each round.
func (l loops) same(from, to *lint.Step) bool {
	return from.Effect().Reads() && to.Effect().Reads() && l.number[from] == l.number[to] && !l.differ[l.number[from]]
}

func checkOutputPaths(p *lint.Pass) {
	for _, w := range p.Workflows {
		flow := w.Flow()
		if flow.Broken {
			continue // where an action leads nowhere, so do the ways by it
		}
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
// end in success: also one through other workflows.
func checkLoops(p *lint.Pass) {
	endless := endlessLoops(p)
	told := make(map[*arazzo.Action]bool) // what several steps have of their workflow
	for _, w := range p.Workflows {
		for _, s := range w.Flow().Order {
			for _, e := range w.Flow().Edges(s) {
				if !endless[e] || told[e.Action.Written] {
					continue
				}
				told[e.Action.Written] = e.Action.Shared
				back := loopsTo(e)
				p.Reportf(placeOf(e.Action), "the loop back to %s can be left only by failing the workflow: from none of its steps a way leads to an end in success", back)
			}
		}
	}
}
