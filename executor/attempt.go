package executor

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// callOperation makes one HTTP attempt and judges it.
func (a *activation) callOperation() (trial, error) {
	f, r := a.frame, a.frame.run
	// What is sent is made from what was known before the step, at every attempt.
	f.view = nil
	if err := r.hear(attemptName(a.name, a.attempt)); err != nil {
		return trial{}, err
	}
	if reason := a.joinOrFollow(); reason != "" {
		r.counts.Withheld++
		a.emit(RetryWithheld{Reason: reason})
		return trial{reason: "not sent again: " + reason, final: true, withheld: true}, nil
	}
	call, err := a.prepare()
	if err != nil {
		return trial{reason: err.Error(), final: true, lacking: !errors.Is(err, errBodyDiffers)}, nil
	}
	if r.emitter.sink != nil {
		a.emit(a.prepared(call))
	}
	x, err := r.runtime.Call(r.ctx, call)
	if err != nil {
		return trial{}, fmt.Errorf("call %s: %w", call.Name, err)
	}
	return a.conclude(call, x), nil
}

// joinOrFollow joins the operation that the attempt belongs to. An attempt that the history
// of the run has was made by the rules of the program that made it: where those of today
// would withhold it, it is the step's own, and what the history says of it holds.
func (a *activation) joinOrFollow() (withheld string) {
	mine := a.op
	withheld = a.join()
	past, is := a.frame.run.runtime.(Historian)
	if withheld == "" || !is || !past.HasCalled(attemptName(a.name, a.attempt)) {
		return withheld
	}
	if a.op = mine; mine == nil {
		a.op = a.frame.run.operation(a.work, a.step)
	}
	a.frame.run.last[a.frame.chainOf(a.step)] = a.op
	return ""
}

// join finds the operation that the attempt belongs to: where the outcome of the
// step's last attempt is unknown, that one's, also where its workflow was begun anew
// since, or a retry of the step ran the step itself. So it is where an operator has found
// out that it was done, and the attempt would do the same: who wrote the document knew of
// no answer there. It tells why the attempt must not be made: what was decided after the
// attempt before does not hold for what others did since, nor where more time has passed
// than was meant, as when no process was there to wait.
func (a *activation) join() (withheld string) {
	r, mine, chain := a.frame.run, a.op, a.frame.chainOf(a.step)
	switch last := r.last[chain]; {
	case last != nil && (last.unsettled() || last.done && a.does(last)):
		a.op = last
	case mine == nil:
		a.op = r.operation(a.work, a.step)
	}
	r.last[chain] = a.op
	if a.op != mine || a.op.attempts != a.seen {
		return a.blocked()
	}
	if until := a.keyUntil(); !until.IsZero() && !r.now.Before(until) {
		return fmt.Sprintf("the key is older than the %v for which the server keeps it", a.op.plan.Dialect.Retention)
	}
	return ""
}

// keyUntil gives when the server may have forgotten the key, which was sent before; zero
// where it was not, or where it may be done again whatever the server knows.
func (a *activation) keyUntil() time.Time {
	op := a.op
	if !op.sent || op.key == nil || !op.state.Effectful || !op.plan.Contract || op.plan.Dialect.Retention <= 0 ||
		a.unsafe || a.frame.run.plan.config.UnsafeRetry {
		return time.Time{}
	}
	return op.first.Add(op.plan.Dialect.Retention)
}

// blocked tells why the first attempt at an operation that others began must not be
// made: it would repeat one that is unsafe to repeat and had, or may have had, its
// effect.
func (a *activation) blocked() string {
	op, r := a.op, a.frame.run
	switch {
	case op.state.Class == "":
		return ""
	case op.done && !op.plan.Contract:
		return op.state.Reason
	}
	decision := idempotency.Decide(idempotency.Situation{
		Effectful: a.step.effectful, Contract: op.plan.Contract, Attempt: op.state.Class, Operation: op.state.Class,
		Limit: 1, Age: r.now.Sub(op.first), Retention: op.plan.Dialect.Retention, Allowed: r.plan.config.UnsafeRetry,
	})
	switch {
	case decision.Verdict == idempotency.Withheld:
		return decision.Reason
	case decision.Unsafe:
		r.counts.UnsafeRepeats++
		a.emit(Notice{Message: "sent again: " + decision.Reason})
	}
	return ""
}

// prepare evaluates what is to be sent. An error means that it cannot be made.
func (a *activation) prepare() (Call, error) {
	f, s := a.frame, a.step
	arguments, content, err := a.compose()
	if err != nil {
		return Call{}, err
	}
	if content, err = a.op.unchanged(content); err != nil {
		return Call{}, err
	}
	if arguments, err = a.choose(a.op, arguments); err != nil {
		return Call{}, err
	}
	return Call{
		Name: attemptName(a.name, a.attempt), Attempt: a.attempt, Operation: s.operation, Source: s.source, Server: s.server,
		Arguments: arguments, Body: content, Key: a.op.key, Contract: a.op.plan.Contract, KeyUntil: a.keyUntil(), Profile: s.profile,
		Effectful: s.effectful, Timeout: a.timeout(), AfterCancel: f.run.compensating > 0,
	}, nil
}

// compose gives the parameters and the body of the step, from what is known now.
func (a *activation) compose() (arguments []Argument, content *Body, err error) {
	f, s := a.frame, a.step
	if arguments, err = f.evalArguments(s); err != nil {
		return nil, nil, err
	}
	if s.body != nil {
		if content, err = s.body.eval(f); err != nil {
			return nil, nil, err
		}
	}
	return s.channel.fillAddress(arguments, content), content, nil
}

// does tells whether the step would now send what was sent for an operation, or cannot
// tell what it would send.
func (a *activation) does(op *operation) bool {
	arguments, content, err := a.compose()
	return err != nil || op.isOf(arguments, content)
}

// timeout limits an attempt: the step's own or the default, but never past the
// run's deadline.
func (a *activation) timeout() time.Duration {
	limit := a.step.timeout
	if limit == 0 {
		limit = a.frame.run.plan.config.StepTimeout
	}
	return max(min(limit, a.frame.run.remaining()), time.Millisecond)
}

// evalArguments gives the values of a step's parameters. A required one that has
// no value is an error, an optional one is left out.
func (f *frame) evalArguments(s *step) ([]Argument, error) {
	arguments := make([]Argument, 0, len(s.arguments)+1)
	var room dynamic.Room
	for _, a := range s.arguments {
		v, err := a.value.Eval(f)
		if err == nil {
			err = room.Take(v)
		}
		if err != nil {
			return nil, fmt.Errorf("parameter %q: %w", a.name, err)
		}
		if v.IsNothing() {
			if a.in == "path" || a.declared != nil && a.declared.Required || a.bearsKey() {
				return nil, errors.New(a.without(v))
			}
			continue
		}
		arguments = append(arguments, Argument{Name: a.name, In: a.in, Value: v, Declared: a.declared})
	}
	return arguments, nil
}

// without tells that a parameter which is needed has no value.
func (a argument) without(v value.Value) string {
	if written := fmt.Sprint(a.value); written != v.Kind().String() {
		return fmt.Sprintf("parameter %q is required, and %s is %s", a.name, written, v.Kind())
	}
	return fmt.Sprintf("parameter %q is required, and its value is %s", a.name, v.Kind())
}

// bearsKey tells whether an argument is an idempotency key. One that is written and
// has no value must not be left out: another would be made in its place, which the
// author did not mean.
func (a argument) bearsKey() bool {
	_, known := idempotency.KnownHeader(a.name)
	return known && a.in == "header"
}

// conclude takes in what came of an attempt and judges it.
func (a *activation) conclude(call Call, x Exchange) trial {
	f, r := a.frame, a.frame.run
	r.advance(x.Ended)
	if x.Cancelled {
		r.cancel()
	}
	a.target = call.Server
	if x.Class != idempotency.NotSent {
		r.counts.Requests++
		if a.step.effectful && !a.op.repeats() {
			r.effected = inMessageTime(x.Started)
		}
	}
	if a.op.acted.IsZero() && !hadNoEffect(x.Class) {
		a.op.acted = inMessageTime(x.Started)
	}
	if x.Refused == "" {
		a.op.freeze(call)
		a.op.learn(x)
		a.seen = a.op.attempts
	}
	a.op.by, a.op.attempt = a, a.attempt
	r.doubted = r.doubted || a.op.unsettled()
	f.view = &exchangeView{arguments: call.Arguments, sent: x.Sent, response: x.Response}
	if a.step.addressed && x.Refused == "" {
		f.steps[a.position].view = f.view
	}
	if r.emitter.sink != nil {
		a.emit(AttemptFinished{
			Sent: x.Sent, Response: x.Response, Duration: x.Ended.Sub(x.Started),
			Attempt: x.Class, Operation: cmp.Or(a.op.state.Class, x.Class), Reason: x.Reason, Refused: x.Refused,
			Redirects: x.Redirects,
		})
	}
	a.notices(x.Notices)
	a.checkContract(call, x)
	if x.Refused != "" {
		f.view = nil
		return trial{reason: x.Refused, exchange: &x, final: true, lacking: true}
	}
	t := a.judge(&x)
	a.tellBody()
	return t
}

// callWorkflow runs the workflow that the step names; its outputs are $outputs.
func (a *activation) callWorkflow() (trial, error) {
	f, r, s := a.frame, a.frame.run, a.step
	f.view, f.called = nil, value.Absent
	inputs, err := a.frame.inputsFor(s.target, s.arguments)
	if err != nil {
		return trial{reason: err.Error(), final: true, lacking: true}, nil
	}
	if own := r.now.Add(s.timeout); s.timeout > 0 && own.Before(r.deadline) {
		outer, by := r.deadline, r.bounded
		r.deadline, r.bounded = own, s.id
		defer func() { r.deadline, r.bounded = outer, by }()
	}
	ended, err := r.runWorkflow(s.target, inputs, a.calls().within(s.target))
	if err != nil {
		return trial{}, err
	}
	f.called = ended.outputs
	if !ended.succeeded() {
		return trial{reason: ended.because(s.target.id)}, nil
	}
	if ended.status == Recovered {
		f.recovered = true
	}
	t := trial{succeeded: true}
	if len(s.criteria) > 0 {
		t.succeeded, t.reason = a.evaluate(s.criteria, "")
	}
	return t, nil
}

// calls is the site of the workflow that the step calls.
func (a *activation) calls() site {
	s := site{path: a.name, work: a.work, chain: a.frame.chainOf(a.step), depth: a.frame.depth, machine: a.frame.machine}
	if a.attempt > 1 {
		s.path = numbered(a.name, a.attempt)
	}
	return s
}

// tried is the site of the workflow that a retry of the step calls.
func (a *activation) tried() site {
	s := a.calls()
	s.path, s.work = attemptName(a.name, a.attempt), attemptName(a.work, a.attempt)
	return s
}

// inputsFor evaluates parameters as the inputs of a workflow and checks them.
func (f *frame) inputsFor(w *workflow, arguments []argument) (value.Value, error) {
	members := make([]value.Member, 0, len(arguments))
	var room dynamic.Room
	for _, argument := range arguments {
		v, err := argument.value.Eval(f)
		if err == nil {
			err = room.Take(v)
		}
		if err != nil {
			return value.Absent, fmt.Errorf("parameter %q: %w", argument.name, err)
		}
		members = append(members, value.Member{Name: argument.name, Value: v})
	}
	given := value.Object(members...)
	f.run.emitter.mask.learn(w, given) // what is wrong with it may show it
	return w.bind(given, f.run.addresses)
}
