package contract

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// Check is something that must hold in every run.
type Check string

// The checks.
const (
	// NoEnd: a run comes to its end by itself, not by the limits of steps and time.
	NoEnd Check = "no-end"
	// DoubleEffect: what a step means to do is done at most once.
	DoubleEffect Check = "double-effect"
	// UnsafeRepeat: nothing is to be sent again that may have had its effect and bears no
	// key.
	UnsafeRepeat Check = "unsafe-repeat"
	// UnstableKey: all attempts at the same work have the same key.
	UnstableKey Check = "unstable-key"
	// UnknownActed: nothing is undone or built upon while nobody knows whether it is there.
	UnknownActed Check = "acts-on-unknown"
	// TooEarly: nothing is done on the strength of what a message was yet to say.
	TooEarly Check = "too-early"
	// NeverCame: no step needs what an earlier one did not bring.
	NeverCame Check = "never-came"
	// StateRegression: no state leaves a terminal one, or moves as it must not.
	StateRegression Check = "state-regression"
	// OpenEnd: a workflow that succeeds ends in a terminal state.
	OpenEnd Check = "open-end"
	// Uncorrelated: a message that was sent finds the step that waits for it.
	Uncorrelated Check = "uncorrelated"
	// ContractBroken: answers are as they are described.
	ContractBroken Check = "contract"
	// NeverSucceeds: there is a run in which the workflow succeeds.
	NeverSucceeds Check = "never-succeeds"
	// FaultUnfired: a fault that was planned fires.
	FaultUnfired Check = "fault-unfired"
)

// Checks lists them all, with what each demands in a few words.
func Checks() []struct {
	Check  Check
	Demand string
} {
	return []struct {
		Check  Check
		Demand string
	}{
		{NoEnd, "each run comes to its end by itself"},
		{DoubleEffect, "what a step means to do is done at most once"},
		{UnsafeRepeat, "nothing is sent again that may have had its effect and bears no key"},
		{UnstableKey, "all attempts at the same work have the same key"},
		{UnknownActed, "nothing is built on an outcome that nobody knows"},
		{TooEarly, "nothing is done before the message that says whether it may be"},
		{NeverCame, "no step needs what an earlier one did not bring"},
		{StateRegression, "states move as the document allows, and never from a terminal one"},
		{OpenEnd, "a workflow that succeeds ends in a terminal state"},
		{Uncorrelated, "a message finds the step that waits for it"},
		{ContractBroken, "answers are as they are described"},
		{NeverSucceeds, "some run of the workflow succeeds"},
		{FaultUnfired, "each fault that was planned fires"},
	}
}

// doubleEffects finds work that was done more than once: the same request of the same
// step had its effect again.
func (w *watcher) doubleEffects(server *mock.Server) {
	if !w.maybeDouble() || !anyTwice(server.AllEffects()) {
		return
	}
	ledger := server.Ledger()
	bySequence := map[int]*mock.Request{}
	for i := range ledger.Requests {
		bySequence[ledger.Requests[i].Sequence] = &ledger.Requests[i]
	}
	type work struct{ source, operation, target, body string }
	count := map[work]int{}
	keys := map[work][]string{}
	var order []work
	for _, e := range ledger.Effects {
		r := bySequence[e.Request]
		if r == nil {
			continue
		}
		one := work{e.Source, e.Operation, r.Method + " " + r.URL, r.Body}
		if count[one]++; count[one] == 1 {
			order = append(order, one)
		}
		if !slices.Contains(keys[one], e.Key) {
			keys[one] = append(keys[one], e.Key)
		}
	}
	for _, one := range order {
		w.tellDouble(one.operation, one.target, one.body, count[one], keys[one])
	}
}

// maybeDouble tells whether a step has sent the same effectful request twice at all.
func (w *watcher) maybeDouble() bool {
	for i, a := range w.sent {
		for _, b := range w.sent[i+1:] {
			if a.id == b.id && sameRequest(a.sent, b.sent) {
				return true
			}
		}
	}
	return false
}

// anyTwice tells whether an operation had its effect more than once.
func anyTwice(effects []mock.Effect) bool {
	for i, a := range effects {
		for _, b := range effects[i+1:] {
			if a.Operation == b.Operation && a.Source == b.Source {
				return true
			}
		}
	}
	return false
}

func sameRequest(a, b executor.Sent) bool {
	return a.Method == b.Method && a.URL == b.URL && string(a.Body) == string(b.Body)
}

func (w *watcher) tellDouble(operation, target, body string, effects int, keys []string) {
	var steps []stepID
	var first sentRequest
	for _, s := range w.sent {
		if !sentAs(s.sent, target, body) || w.subject.isMarked(s.id) {
			continue
		}
		if len(steps) == 0 {
			first = s
		}
		if !slices.Contains(steps, s.id) {
			steps = append(steps, s.id)
		}
	}
	if len(steps) == 0 || effects <= len(steps) {
		return
	}
	how := "without a key"
	switch {
	case len(keys) > 1:
		how = "each time under another key"
	case keys[0] != "":
		how = "under one key"
	}
	w.found(DoubleEffect, first.id, first.place, "%s had its effect %d times for the same request (%s), %s: step %s was carried out again", operation, effects, target, how, first.id.step)
}

// sentAs tells whether a request is the one that the ledger has by that target.
func sentAs(s executor.Sent, target, body string) bool {
	if string(s.Body) != body {
		return false
	}
	u, err := url.Parse(s.URL)
	return err == nil && s.Method+" "+u.RequestURI() == target
}

// unknownActed finds what was done on top of an outcome that stayed unknown.
func (w *watcher) unknownActed(result executor.Result) {
	if result.Status != executor.Unknown {
		return
	}
	for _, o := range w.open {
		if o.relied && stillUnknown(result, o.step) {
			w.note(*o.answered, fmt.Sprintf("it is told how step %s ended, and does not settle it, so that a run ends as unknown: "+
				"a step with x-weft-requery-of: %s settles it where it succeeds, and may choose by its actions then", o.id.step, o.id.step))
		}
		if o.acted == nil || o.relied || w.subject.isMarked(o.id) || !stillUnknown(result, o.step) {
			continue
		}
		w.found(UnknownActed, o.acted.id, o.acted.place, "step %s was sent while nobody knew whether step %s had had its effect, and nothing had asked", o.acted.id.step, o.id.step)
	}
}

// stillUnknown tells whether the run ended because the outcome of a step is unknown.
func stillUnknown(result executor.Result, step string) bool {
	for _, w := range result.Workflows {
		if strings.HasPrefix(w.Reason, step+" (") || strings.HasPrefix(w.Reason, step+"#") {
			return true
		}
	}
	return false
}

// tooEarly finds what was done after the request that caused a message, and before the
// message, which then was bad news: it says whether that should have been done.
func (w *watcher) tooEarly(server *mock.Server) {
	if len(w.received) == 0 || len(w.player.script.faults) > 0 {
		return
	}
	ledger := server.Ledger()
	for _, message := range ledger.Webhooks {
		if message.Request == 0 || message.Time.After(w.received[0]) {
			continue
		}
		for _, e := range ledger.Effects {
			if e.Request <= message.Request || e.Request > len(ledger.Requests) {
				continue
			}
			r := ledger.Requests[e.Request-1]
			if r.Time.After(w.received[0]) {
				continue
			}
			w.tellTooEarly(ledger.Requests[message.Request-1], r, message)
			return
		}
	}
}

// tellTooEarly tells that a request was too early, where it is about what the message is
// about.
func (w *watcher) tellTooEarly(cause, early mock.Request, message mock.Webhook) {
	for _, s := range w.sent {
		if !sentAs(s.sent, early.Method+" "+early.URL, early.Body) || w.subject.isMarked(s.id) || early.Operation == cause.Operation || w.causes(s.id, message) {
			continue
		}
		if !w.subject.related(w.askedBy(cause), s.id) && !w.shares(s.sent, executor.Sent{Body: []byte(message.Body)}) {
			continue
		}
		w.found(TooEarly, s.id, s.place, "step %s was carried out before the message %s, which tells how %s ended; the message then said that it had not ended well",
			s.id.step, message.Operation, cause.Operation)
		return
	}
}

// causes tells whether a step itself leads to messages such as one: then that one may be
// about the step.
func (w *watcher) causes(id stepID, message mock.Webhook) bool {
	for _, sent := range w.subject.standings.of(w.undecided.operationOf(id)).sends {
		if sent.Asked == (mock.Asked{Source: message.Source, Operation: message.Operation}) {
			return true
		}
	}
	return false
}

// askedBy gives the step that sent what the ledger has; the zero stepID: none did.
func (w *watcher) askedBy(r mock.Request) stepID {
	for _, s := range w.sent {
		if sentAs(s.sent, r.Method+" "+r.URL, r.Body) {
			return s.id
		}
	}
	return stepID{}
}

// shortestShared is how long a text must be for two requests that both have it to be
// about the same thing.
const shortestShared = 3

// shares tells whether two requests are about the same thing: they have a text in
// common, in the path, the query or the body, which the document does not give to all.
func (w *watcher) shares(a, b executor.Sent) bool {
	texts := textsOf(a)
	for text := range textsOf(b) {
		if texts[text] && !w.subject.common[text] {
			return true
		}
	}
	return false
}

func textsOf(s executor.Sent) map[string]bool {
	texts := map[string]bool{}
	add := func(text string) {
		if len(text) >= shortestShared {
			texts[text] = true
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		segments := strings.Split(strings.Trim(u.Path, "/"), "/")
		for _, segment := range segments[min(1, len(segments)):] {
			if strings.ContainsAny(segment, "0123456789") {
				add(segment)
			}
		}
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	if v, err := value.ParseJSON(s.Body); err == nil {
		addTexts(v, add)
	}
	return texts
}

func addTexts(v value.Value, add func(string)) {
	if text, ok := v.Str(); ok {
		add(text)
	}
	for _, item := range v.Items() {
		addTexts(item, add)
	}
	for _, m := range v.Members() {
		addTexts(m.Value, add)
	}
}

// uncorrelated finds messages that came while a step waited for one, and that belonged
// to nobody.
func (w *watcher) uncorrelated() {
	if len(w.player.script.faults) > 0 {
		return
	}
	for _, aside := range w.strays {
		if aside.Why != executor.Unmatched {
			continue
		}
		for id, awaited := range w.waited {
			if awaited.Channel == aside.Channel {
				w.found(Uncorrelated, id, executor.Place{}, "a message came to %s while step %s waited for one with the correlation %q, and belonged to nobody: %s",
					aside.Channel, id.step, awaited.Correlation, aside.Reason)
				break
			}
		}
	}
}
