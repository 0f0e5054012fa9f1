package executor

import "fmt"

// judge tells whether the attempt made the step succeed: every criterion passes,
// or, without criteria, the status is a 2xx. Without a response it has failed,
// whatever the criteria say.
func (a *activation) judge(x *Exchange) trial {
	t := trial{exchange: x}
	if x.Response == nil {
		t.reason = x.Reason
		return t
	}
	if len(a.step.criteria) == 0 {
		t.succeeded = x.Response.Status >= 200 && x.Response.Status < 300
		if !t.succeeded {
			t.reason = fmt.Sprintf("status %d, and there are no successCriteria", x.Response.Status)
		}
		return t
	}
	t.succeeded, t.reason = a.evaluate(a.step.criteria, "")
	return t
}

// evaluate tells whether all criteria pass; the reason names the first that does not.
func (f *frame) evaluate(where at, criteria []*criterion, action string) (passed bool, reason string) {
	passed = true
	for _, c := range criteria {
		o := c.Eval(f)
		where.place = c.place
		if f.run.emitter.sink != nil {
			f.run.emitter.emit(where, CriterionEvaluated{Action: action, Condition: c.Condition(), Passed: o.Passed, Fault: o.Fault})
		}
		if o.Passed || !passed {
			continue
		}
		passed, reason = false, "criterion not met: "+c.Condition()
		if o.Fault != "" {
			reason = fmt.Sprintf("criterion %s cannot be evaluated: %s", c.Condition(), o.Fault)
		}
	}
	return passed, reason
}

// evaluate tells whether all criteria of the step or of one of its actions pass.
func (a *activation) evaluate(criteria []*criterion, action string) (passed bool, reason string) {
	return a.frame.evaluate(at{frame: a.frame, step: a}, criteria, action)
}

// pass tells whether an action's criteria hold; one without criteria always does.
func (a *activation) pass(act *action) bool {
	passed, _ := a.evaluate(act.criteria, act.name)
	return passed
}
