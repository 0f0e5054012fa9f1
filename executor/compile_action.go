package executor

import (
	"math"
	"strconv"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
)

// compileActions puts the step's actions before the workflow's; a step's action
// overrides the workflow's of the same name (specification, Step Object).
func (c *compiler) compileActions(w *workflow, own, shared []*arazzo.Action, kind string, names *expression.Names) []*action {
	var actions []*action
	taken := map[string]bool{}
	for _, model := range own {
		if a := c.compileAction(w, model, kind, names); a != nil {
			taken[a.name] = true
			actions = append(actions, a)
		}
	}
	for _, model := range shared {
		if a := c.compileAction(w, model, kind, names); a != nil && !taken[a.name] {
			a.shared = true
			actions = append(actions, a)
		}
	}
	return actions
}

func (c *compiler) compileAction(w *workflow, written *arazzo.Action, kind string, names *expression.Names) *action {
	model, err := w.set.Document.ResolveAction(written, kind)
	if err != nil {
		c.refuse(w.set, written.Node, "%v", err)
		return nil
	}
	a := &action{
		name: model.Name.Value, kind: model.Type.Value, step: -1,
		place:      placeOf(w.set, written.Node),
		criteria:   c.compileCriteria(w.set, model.Criteria, names),
		retryAfter: c.seconds(w.set, model.RetryAfter),
		retryLimit: c.retryLimit(w.set, model.RetryLimit),
		unsafe:     model.UnsafeRetry.Value,
	}
	if model.Backoff != nil {
		a.factor, a.maxWait = c.backoffFactor(w.set, model.Backoff), c.seconds(w.set, model.Backoff.Max)
	}
	a.state = c.compileState(w, model.State, names)
	c.actionTarget(w, model, a)
	for _, p := range model.Parameters {
		if argument, ok := c.compileArgument(w, p, names); ok {
			if name, twice := standsTwice(a.arguments, argument, true); twice {
				c.refuse(w.set, p.Node, "action %q: the %s stands twice", a.name, name)
			}
			a.arguments = append(a.arguments, argument)
		}
	}
	return a
}

func (c *compiler) actionTarget(w *workflow, model *arazzo.Action, a *action) {
	if model.StepID.Present() {
		at, ok := w.position[model.StepID.Value]
		if !ok {
			c.refuse(w.set, model.StepID.Node, "action %q: workflow %q has no step %q; it has %s",
				a.name, w.id, model.StepID.Value, quotedList(stepIDs(w.model.Steps)))
			return
		}
		a.step = at
	}
	if model.WorkflowID.Present() {
		a.workflow = c.findWorkflow(w.set, model.WorkflowID)
	}
	if a.kind == "goto" && a.step < 0 && !model.WorkflowID.Present() {
		c.refuse(w.set, model.Node, "action %q: goto needs a stepId or a workflowId", a.name)
	}
}

func (c *compiler) backoffFactor(set *source.Set, model *arazzo.Backoff) float64 {
	if !model.Factor.Present() {
		return 0
	}
	factor, err := strconv.ParseFloat(model.Factor.Raw, 64)
	if err != nil || factor < 1 || math.IsInf(factor, 0) {
		c.refuse(set, model.Factor.Node, "x-weft-backoff: factor is a number from 1, this is %s", model.Factor.Raw)
		return 0
	}
	return factor
}

// seconds reads a count of seconds, fractions allowed.
func (c *compiler) seconds(set *source.Set, n arazzo.Number) time.Duration {
	if !n.Present() {
		return 0
	}
	s, err := strconv.ParseFloat(n.Raw, 64)
	if err != nil || s < 0 || s > math.MaxInt32 {
		c.refuse(set, n.Node, "expected a count of seconds from 0 to %d, this is %s", math.MaxInt32, n.Raw)
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// retryLimit reads how often to retry: once where the document does not say.
func (c *compiler) retryLimit(set *source.Set, n arazzo.Number) int {
	if !n.Present() {
		return 1
	}
	limit, ok := wholeNumber(n, math.MaxInt32)
	if !ok {
		c.refuse(set, n.Node, "retryLimit is a whole number from 0 to %d, this is %s", math.MaxInt32, n.Raw)
	}
	return int(limit)
}

// wholeNumber reads a number without a fraction from 0 to limit. However it is written:
// 2.0 and 2e0 are the number 2.
func wholeNumber(n arazzo.Number, limit int64) (int64, bool) {
	whole, err := strconv.ParseFloat(n.Raw, 64)
	if err != nil || whole != math.Trunc(whole) || whole < 0 || whole > float64(limit) {
		return 0, false
	}
	return int64(whole), true
}

func stepIDs(steps []*arazzo.Step) []string {
	ids := make([]string, len(steps))
	for i, s := range steps {
		ids[i] = s.StepID.Value
	}
	return ids
}
