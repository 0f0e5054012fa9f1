package executor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// receive waits for a message and judges it: the first one that belongs to the step
// decides the attempt.
func (a *activation) receive() (trial, error) {
	f, r, in := a.frame, a.frame.run, a.step.inlet
	f.view = nil
	w := &awaited{where: at{frame: f, step: a, place: a.step.place}, step: a.step, frame: f}
	if reason := a.expect(w); reason != "" {
		return trial{reason: reason, final: true, lacking: true}, nil
	}
	if reason := a.misdirected(); reason != "" {
		return trial{reason: reason, final: true}, nil
	}
	w.began, w.since = r.now, r.notBefore(w)
	r.inbox.awaited = append(r.inbox.awaited, w)
	began, until := r.now, r.now.Add(a.patience())
	a.emit(MessageAwaited{
		Channel: in.label, Address: r.addresses[in.box], Correlation: shownValue(w.expected.Value), For: until.Sub(r.now),
	})
	expected := &w.expected
	for n := 1; ; n++ {
		if m := r.inbox.take(w); m != nil {
			return a.judgeMessage(m, r.now.Sub(began)), nil
		}
		signal, err := r.listen(WaitSpec{Name: a.waitName(n), Until: until, Inbox: true, Expect: expected})
		if err != nil {
			return trial{}, err
		}
		expected = nil
		switch signal.Kind {
		case SignalCancel:
			return trial{reason: "cancelled while waiting for a message"}, nil
		case SignalTimeout:
			return a.unanswered(until.Sub(began), signal.Strays), nil
		}
	}
}

// waitName is the stable name of the nth wait of an attempt.
func (a *activation) waitName(n int) string {
	name := attemptName(a.name, a.attempt)
	if n > 1 {
		name = numbered(name, n)
	}
	return name
}

// patience is how long a step waits for a message: as long as its timeout says, but
// never past the run's deadline.
func (a *activation) patience() time.Duration {
	remaining := a.frame.run.remaining()
	if limit := a.step.timeout; limit > 0 {
		return min(limit, remaining)
	}
	return remaining
}

// expect evaluates what a message must bear. The reason tells why that cannot be: an
// absent value would match any message, or none.
func (a *activation) expect(w *awaited) (reason string) {
	w.expected, reason = a.frame.expectation(a.step)
	return reason
}

// expectation evaluates what a message for a step must bear: the correlation value, and
// the values of address parameters.
func (f *frame) expectation(s *step) (e Expectation, reason string) {
	in := s.inlet
	e = Expectation{Box: in.box, Where: in.where, Identity: in.identity}
	var places []Locator
	var values []value.Value
	if s.correlation != nil {
		v, err := s.correlation.Eval(f)
		switch {
		case err != nil:
			return e, fmt.Sprintf("correlationId: %v", err)
		case len(CorrelationKeys(v)) == 0:
			return e, fmt.Sprintf("correlationId: %s is %s; a message cannot be recognised by it", s.correlation, describeNothing(v))
		}
		e.Value = v
		if !in.where.IsZero() {
			places, values = append(places, in.where), append(values, v)
		}
	}
	for _, p := range s.address {
		v, err := p.value.Eval(f)
		if err != nil {
			return e, fmt.Sprintf("parameter %q: %v", p.name, err)
		}
		if v.IsNothing() || !v.IsScalar() || v.Text() == "" {
			return e, fmt.Sprintf("parameter %q: %s is %s; it is part of the address that the message comes to", p.name, p.value, describeNothing(v))
		}
		where, err := ParseLocator("$message.path." + p.name)
		if err != nil {
			return e, err.Error()
		}
		if slices.ContainsFunc(places, func(l Locator) bool { return l.text == where.text }) {
			continue // it is where the correlation value stands
		}
		places, values = append(places, where), append(values, v)
	}
	switch len(places) {
	case 0:
	case 1:
		e.Where, e.Value = places[0], values[0]
	default:
		e.Where, e.Value = JoinLocators(places...), value.Array(values...)
	}
	return e, ""
}

func describeNothing(v value.Value) string {
	if text, ok := v.Str(); ok && text == "" {
		return "empty"
	}
	return v.Kind().String()
}

// misdirected tells why a callback cannot come: the request that should name the
// run's address has named another.
func (a *activation) misdirected() (reason string) {
	in, f := a.step.inlet, a.frame
	own := f.run.addresses[in.box]
	if in.owner == nil || own == "" {
		return ""
	}
	for position, s := range f.w.steps {
		view := f.steps[position].view
		if s.operation != in.owner || view == nil {
			continue
		}
		named := evalKey(in.key, view)
		if named == "" || named == own || strings.HasPrefix(named, own+"/") || strings.HasPrefix(named, own+"?") {
			return ""
		}
		reason = fmt.Sprintf("the request of step %q names %s for the callback, which is not the address of this run; "+
			"an input with x-weft-callback: %s is filled with that", s.id, named, a.step.id)
	}
	return reason
}

// evalKey evaluates the expression for a callback's address against a request; empty
// where it cannot be.
func evalKey(key []expression.Segment, view *exchangeView) string {
	var text strings.Builder
	for _, segment := range key {
		if segment.Expression == nil {
			text.WriteString(segment.Text)
			continue
		}
		v := segment.Expression.Eval(view)
		if v.IsNothing() || !v.IsScalar() {
			return ""
		}
		text.WriteString(v.Text())
	}
	return text.String()
}

// unanswered is a wait that ended without a message.
func (a *activation) unanswered(after time.Duration, strays []Stray) trial {
	a.frame.run.tellStrays(at{frame: a.frame, step: a, place: a.step.place}, strays)
	if a.frame.run.remaining() <= 0 {
		return trial{reason: "no message before the time of the run was over, after " + after.Round(time.Millisecond).String()}
	}
	return trial{reason: fmt.Sprintf("no message within %s", after.Round(time.Millisecond))}
}

// judgeMessage makes a message the one that the criteria are about, and tells
// whether they pass.
func (a *activation) judgeMessage(m *Message, waited time.Duration) trial {
	f, r := a.frame, a.frame.run
	f.view = &exchangeView{message: &messageView{message: m}}
	r.counts.Messages++
	a.emit(MessageReceived{
		Channel: a.step.inlet.label, Number: m.Number, Identity: m.Identity, Received: m.Received, Waited: waited,
		Method: m.Method, Header: m.Header, Body: m.Body,
	})
	r.tellRepeats(false)
	a.checkMessage(m)
	t := trial{succeeded: true, message: m}
	if len(a.step.criteria) > 0 {
		t.succeeded, t.reason = a.evaluate(a.step.criteria, "")
	}
	if fault := f.view.message.payload.fault; fault != nil {
		a.emit(Notice{Message: fmt.Sprintf("the body of the message %v", fault)})
	}
	return t
}
