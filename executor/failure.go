package executor

import (
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// handleFailure takes the first failure action that applies: again tells that the
// step is to be tried once more. A retry that is used up or withheld lets the
// next action have its turn.
func (a *activation) handleFailure(t trial) (next move, again bool, err error) {
	failed := move{kind: fail, reason: fmt.Sprintf("step %q failed: %s", a.step.id, t.reason)}
	for _, act := range a.step.onFailure {
		if act.kind == "retry" && a.used[act] > act.retryLimit {
			continue // withheld before
		}
		if !a.pass(act) {
			continue
		}
		if act.kind != "retry" {
			if a.assists {
				break
			}
			if next, err = a.take(act, "onFailure"); err != nil {
				return move{}, false, err
			}
			if next.kind == jump || next.kind == transfer {
				a.frame.recovered = true
			}
			return next, false, nil
		}
		again, err = a.retry(act, t)
		if err != nil || again || a.frame.run.stopped() {
			return a.stopOr(failed), again, err
		}
	}
	if a.assists {
		return move{kind: proceed}, false, nil
	}
	return failed, false, nil
}

func (a *activation) stopOr(failed move) move {
	if a.frame.run.stopped() {
		return move{kind: stop, reason: onRequest}
	}
	return failed
}

// retry decides whether the step is tried again by this action, and waits until
// it is time.
func (a *activation) retry(act *action, t trial) (bool, error) {
	if a.used[act] >= act.retryLimit || t.withheld {
		return false, nil
	}
	if reason := a.pointless(act, t); reason != "" {
		a.withhold(act, reason)
		return false, nil
	}
	decision := idempotency.Decide(a.situation(act, t))
	if decision.Verdict == idempotency.Retry && a.step.kind == callsOperation {
		admission, err := a.frame.run.runtime.Admit(a.frame.run.ctx, Retry{Name: attemptName(a.name, a.attempt+1), Target: a.target})
		if err != nil {
			return false, fmt.Errorf("ask the retry budget: %w", err)
		}
		a.frame.run.advance(admission.Time)
		if !admission.Granted {
			decision = decision.Refused(admission.Reason)
		}
	}
	switch decision.Verdict {
	case idempotency.Withheld:
		a.withhold(act, decision.Reason)
		return false, nil
	case idempotency.Next:
		return false, nil
	}
	if t.lacking {
		a.emit(Notice{Message: "this attempt was not made: " + t.reason})
	}
	return a.waitAndAssist(act, decision)
}

// pointless tells why another attempt would end as this one did; empty where it
// may not, as where the action first runs what may bring what was lacking.
func (a *activation) pointless(act *action, t trial) string {
	limit := a.frame.run.plan.config.MaxSteps
	switch {
	case t.lacking && act.assisted() && a.frame.run.exhausted() == "":
		return ""
	case t.final && a.step.kind == callsOperation:
		return "the request cannot be made: " + t.reason
	case t.final:
		return t.reason
	case a.step.kind == callsWorkflow && a.frame.run.steps >= limit:
		return fmt.Sprintf("the run has taken %d steps, its limit", limit)
	default:
		return ""
	}
}

// withhold counts a retry as used up and says why it is not made.
func (a *activation) withhold(act *action, reason string) {
	a.use(act, act.retryLimit+1)
	a.frame.run.counts.Withheld++
	a.emitAt(act.place, RetryWithheld{Action: act.name, Reason: reason})
}

func (a *activation) use(act *action, n int) {
	if a.used == nil {
		a.used = map[*action]int{}
	}
	a.used[act] += n
}

// situation gathers what the retry decision is made from.
func (a *activation) situation(act *action, t trial) idempotency.Situation {
	r := a.frame.run
	remaining := r.remaining()
	s := idempotency.Situation{
		Used: a.used[act], Limit: act.retryLimit,
		RetryAfter: act.retryAfter, Factor: act.factor, MaxWait: act.maxWait,
		Jitter:    idempotency.Jitter(attemptName(a.name, a.attempt+1), r.plan.config.Jitter),
		Remaining: &remaining,
		Allowed:   r.plan.config.UnsafeRetry || act.unsafe,
	}
	if t.exchange == nil || a.op == nil {
		return s
	}
	s.Effectful, s.Contract = a.step.effectful, a.op.plan.Contract
	s.Attempt, s.Operation, s.InFlight = t.exchange.Class, a.op.state.Class, a.op.inFlight
	s.Age, s.Retention = r.now.Sub(a.op.first), a.op.plan.Dialect.Retention
	s.ServerAfter = serverAfter(t.exchange)
	return s
}

// serverAfter gives the wait that the response asks for (RFC 9110, section 10.2.3).
func serverAfter(x *Exchange) *time.Duration {
	if x.Response == nil {
		return nil
	}
	text, ok := x.Response.Header.Get("Retry-After")
	if !ok {
		return nil
	}
	after, ok := idempotency.ParseRetryAfter(text, x.Ended)
	if !ok {
		return nil
	}
	return &after
}

// waitAndAssist waits, runs the step or workflow that the retry names, and has
// the step tried again, unless the run was cancelled.
func (a *activation) waitAndAssist(act *action, d idempotency.Decision) (bool, error) {
	r := a.frame.run
	a.use(act, 1)
	a.unsafe = act.unsafe
	a.emitAt(act.place, RetryScheduled{Action: act.name, After: d.After, Used: a.used[act], Limit: act.retryLimit})
	if err := a.move(act.state, act.name); err != nil {
		return false, err
	}
	if d.After > 0 {
		if stopped, err := a.sleep(r.now.Add(d.After)); err != nil || stopped {
			return false, err
		}
	}
	if err := a.assist(act); err != nil {
		return false, err
	}
	if d.Unsafe && !r.stopped() {
		r.counts.UnsafeRepeats++
	}
	return !r.stopped(), nil
}

// sleep waits until it is time for the next attempt. What an operator tells of another
// operation does not shorten it.
func (a *activation) sleep(until time.Time) (stopped bool, err error) {
	r, before := a.frame.run, 0
	if a.op != nil {
		before = a.op.attempts
	}
	name := attemptName(a.name, a.attempt+1)
	for n := 1; ; n++ {
		spec := WaitSpec{Name: name, Until: until}
		if n > 1 {
			spec.Name = numbered(name, n)
		}
		signal, err := r.listen(spec)
		switch {
		case err != nil || signal.Kind == SignalCancel:
			return true, err
		case signal.Kind != SignalSettled, a.op != nil && a.op.attempts != before:
			return false, nil
		}
	}
}

// assist runs what the retry action names, once, and comes back whatever its result.
func (a *activation) assist(act *action) error {
	f := a.frame
	view, called := f.view, f.called
	defer func() { f.view, f.called = view, called }()
	switch {
	case act.step >= 0:
		if reason := f.run.exhausted(); reason != "" {
			a.emitAt(act.place, Notice{Message: fmt.Sprintf("action %q: %s", act.name, reason)})
			return nil
		}
		f.run.assisting++
		_, err := f.activate(act.step, true)
		f.run.assisting--
		return err
	case act.workflow != nil:
		inputs, err := a.frame.inputsFor(act.workflow, act.arguments)
		if err != nil {
			a.emitAt(act.place, Notice{Message: fmt.Sprintf("action %q: %v", act.name, err)})
			return nil
		}
		_, err = f.run.runWorkflow(act.workflow, inputs, a.tried().within(act.workflow))
		return err
	}
	return nil
}

// afterRenewal tells whether the step is tried once more because the server
// refused a credential that has been renewed since. No action is needed for it;
// a key stays the same, and the retry budget is asked.
func (a *activation) afterRenewal(t trial) (bool, error) {
	if t.exchange == nil || !t.exchange.Renewed || a.renewed {
		return false, nil
	}
	r := a.frame.run
	a.renewed = true
	once := a.situation(&action{retryLimit: 1}, t)
	once.ServerAfter = nil
	if decision := idempotency.Decide(once); decision.Verdict != idempotency.Retry {
		r.counts.Withheld++
		a.emit(RetryWithheld{Reason: decision.Reason})
		return false, nil
	}
	admission, err := r.runtime.Admit(r.ctx, Retry{Name: attemptName(a.name, a.attempt+1), Target: a.target})
	if err != nil {
		return false, fmt.Errorf("ask the retry budget: %w", err)
	}
	r.advance(admission.Time)
	if !admission.Granted {
		r.counts.Withheld++
		a.emit(RetryWithheld{Reason: admission.Reason})
		return false, nil
	}
	a.emit(Notice{Message: "the credential was refused and has been renewed: trying once more"})
	return true, nil
}
