package executor

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// operation is what one activation of one step means to do to the server, over
// all its attempts and over the activations that continue it.
type operation struct {
	name     string // of the activation that began it, without the attempts of the workflows around it
	step     *step
	plan     idempotency.Plan
	key      *idempotency.Key
	planned  bool
	address  []Argument // what was first sent in path and query
	body     *Body      // as first sent; nil: none
	sent     bool       // both are set for good
	state    idempotency.Operation
	attempts int         // and what else was learned of it
	inFlight bool        // the last answer was that the key is in flight
	by       *activation // that made the last attempt
	attempt  int         // of that activation
	acted    time.Time   // when the first attempt began that had, or may have had, its effect
	done     bool        // an operator has found out that it had its effect, and no answer has told since
	first    time.Time
	last     time.Time
}

// operation gives the operation of that name: of an earlier attempt of the calling
// workflow, where there is one that holds, else a new one.
func (r *run) operation(name string, s *step) *operation {
	op := r.operations[name]
	if op == nil || op.fleeting() {
		op = &operation{name: name, step: s, state: idempotency.Operation{Effectful: s.effectful}}
		r.operations[name] = op
		r.known = append(r.known, op)
	}
	return op
}

// chainOf names a step by the steps that lead to it.
func (f *frame) chainOf(s *step) string { return f.chain + "/" + value.EscapeToken(s.id) }

// fleeting tells that nothing holds an operation together beyond one activation:
// to do it again has no further effect, and no key is to be kept.
func (o *operation) fleeting() bool { return !o.state.Effectful && o.key == nil }

// unsettled tells whether the operation may have had an effect that nobody has seen.
func (o *operation) unsettled() bool { return !o.state.Closed(o.inFlight).Settled() }

// describe tells a person what is not known.
func (o *operation) describe() string {
	return fmt.Sprintf("%s (%s): the outcome is unknown: %s", o.name, o.step.description, o.state.Reason)
}

// choose decides at the first attempt which key the operation has. The arguments
// that come back lack the header that the key is sent in.
func (a *activation) choose(op *operation, arguments []Argument) ([]Argument, error) {
	if !op.planned {
		if err := a.plan(op, arguments); err != nil {
			return nil, err
		}
	}
	if op.key == nil {
		return arguments, nil
	}
	kept := arguments[:0:len(arguments)]
	for _, argument := range arguments {
		if argument.In != "header" || !strings.EqualFold(argument.Name, op.key.Header) {
			kept = append(kept, argument)
		}
	}
	return withCompanions(kept, op.plan.Dialect.Companions(op.first)), nil
}

// withCompanions adds the fields that go with a key, but those that the step writes.
func withCompanions(arguments []Argument, companions map[string]string) []Argument {
	if len(companions) == 0 {
		return arguments
	}
	for _, name := range slices.Sorted(maps.Keys(companions)) {
		written := slices.ContainsFunc(arguments, func(a Argument) bool {
			return a.In == "header" && strings.EqualFold(a.Name, name)
		})
		if !written {
			arguments = append(arguments, Argument{Name: name, In: "header", Value: value.String(companions[name])})
		}
	}
	return arguments
}

func (a *activation) plan(op *operation, arguments []Argument) error {
	s := a.step
	business, err := s.key.businessKey(a.frame)
	if err != nil {
		return err
	}
	op.plan, op.first = idempotency.ChooseKey(s.choice(arguments, business)), a.frame.run.now
	if op.plan.Source == idempotency.FromNone {
		op.planned = true
		return nil
	}
	var derived string
	if op.plan.Source != idempotency.FromWritten {
		derived = a.deriveKey(op, business)
	}
	key, err := op.plan.Key(derived)
	if err != nil {
		return fmt.Errorf("idempotency key: %w", err)
	}
	op.key, op.planned = &key, true
	return nil
}

// choice gathers what decides which key an operation has.
func (s *step) choice(arguments []Argument, business string) idempotency.Choice {
	choice := idempotency.Choice{
		Method: s.operation.Method, Extension: s.key.extension, Profile: s.profile, Declared: s.key.declared,
		BusinessKey: business,
	}
	for _, argument := range arguments {
		if argument.In == "header" {
			choice.Written = append(choice.Written, idempotency.Field{Name: argument.Name, Value: argument.Value.Text()})
		}
	}
	return choice
}

// businessKey gives the business key of the operation, empty where none is named.
func (k keyRule) businessKey(f *frame) (string, error) {
	if k.business == nil {
		return "", nil
	}
	v, err := k.business.Eval(f)
	if err != nil {
		return "", fmt.Errorf("x-weft-idempotency: key: %w", err)
	}
	if v.IsNothing() || !v.IsScalar() || v.Text() == "" {
		return "", fmt.Errorf("x-weft-idempotency: key %s is %s; expected a text or number that is this order's own", k.business, v.Kind())
	}
	return v.Text(), nil
}

// deriveKey makes the key from what the operation is, never from which attempt it
// is: a crash, a resume and a second run under the same business key keep it.
func (a *activation) deriveKey(op *operation, business string) string {
	r := a.frame.run
	runKey := business
	if runKey == "" {
		runKey = r.id
	}
	return idempotency.DeriveKey(idempotency.KeyParts{
		Tenant:   r.plan.config.Tenant,
		Document: a.frame.w.identity,
		RunKey:   runKey,
		Path:     strings.Split(op.name, "/"),
	})
}

// errBodyDiffers tells that a repeat would not be the same work.
var errBodyDiffers = errors.New("which must be repeated unchanged")

// unchanged gives the body of the first attempt in the place of b, so that every
// byte is the same. One that differs would be other work under the same key.
func (o *operation) unchanged(b *Body) (*Body, error) {
	if !o.sent {
		return b, nil
	}
	if (b == nil) != (o.body == nil) || b != nil && (b.ContentType != o.body.ContentType || !value.Identical(b.Value, o.body.Value)) {
		return nil, fmt.Errorf("the body would differ from that of the first attempt of %s, %w", o.name, errBodyDiffers)
	}
	return o.body, nil
}

// freeze keeps what the first attempt sent.
func (o *operation) freeze(first Call) {
	if !o.sent {
		o.address, o.body, o.sent = addressOf(first.Arguments), first.Body, true
	}
}

// inMessageTime gives a time as precisely as stores keep those of messages.
func inMessageTime(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

// repeats tells whether a further attempt does nothing that one before has not done, or may
// have done: messages that come of it can have come already.
func (o *operation) repeats() bool { return !o.acted.IsZero() && o.key != nil && o.plan.Contract }

// isOf tells whether a request with these would be the work of the operation. Header
// fields do not count: some are new for each request.
func (o *operation) isOf(arguments []Argument, body *Body) bool {
	if _, err := o.unchanged(body); err != nil {
		return false
	}
	return slices.EqualFunc(o.address, addressOf(arguments), func(a, b Argument) bool {
		return a.In == b.In && a.Name == b.Name && value.Identical(a.Value, b.Value)
	})
}

// addressOf gives the arguments that say what a request is about beside its body.
func addressOf(arguments []Argument) (address []Argument) {
	for _, a := range arguments {
		if a.In == "path" || a.In == "query" || a.In == "querystring" {
			address = append(address, a)
		}
	}
	return address
}

// learn takes in what an attempt showed.
func (o *operation) learn(x Exchange) {
	status := 0
	if x.Response != nil {
		status = x.Response.Status
	}
	o.last = x.Ended
	o.attempts++
	o.done = o.done && x.Class != idempotency.Succeeded
	settles := o.key != nil && o.plan.Settles(x.Class, status)
	inFlight := x.Class == idempotency.Deferred && o.step.meansInFlight(status)
	if o.inFlight && !settles && hadNoEffect(x.Class) && !inFlight {
		return // it says nothing of the request that is in flight
	}
	o.inFlight = inFlight
	reason := x.Reason
	if reason == "" && x.Response != nil {
		reason = "status " + strconv.Itoa(status)
	}
	o.state = o.state.After(x.Class, settles, reason)
}

// meansInFlight tells whether a status, of an answer that asks to come again, says
// that the key is in flight.
func (s *step) meansInFlight(status int) bool {
	return status == 409 || s.profile != nil && status != 0 && status == s.profile.Dialect.Statuses.InFlight
}

// hadNoEffect tells that an attempt had no effect of its own.
func hadNoEffect(c idempotency.Class) bool {
	return c != idempotency.Succeeded && c != idempotency.Unknown
}
