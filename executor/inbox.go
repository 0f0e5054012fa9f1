package executor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
)

// inbox is what the interpreter has read of the run's messages.
type inbox struct {
	cursor  int        // the number of the last message read
	waiting []*Message // read and taken by no step, in the order of arrival
	read    map[int]*letter
	awaited []*awaited // what steps have waited for, in that order
	repeats []Repeat   // as last heard of
	strays  []Stray    // as last told
}

// letter is what stays known of a message once it was read.
type letter struct {
	box, identity   string
	received        time.Time
	same, different int      // repeats that were told
	by              *awaited // who took it; nil: nobody has
}

// awaited is one wait of a step: with it ended, what belongs to it is late.
type awaited struct {
	where    at
	step     *step
	frame    *frame
	expected Expectation
	took     *Message // nil: none came in time
	// since is when something was last sent that may have an effect, where the step had
	// waited for the same before that: what came earlier answers what was sent earlier.
	since time.Time
	began time.Time
}

// listen waits, and takes in what the runtime gives: the time, messages, repeats, a
// cancel.
func (r *run) listen(until WaitSpec) (Signal, error) {
	until.Run, until.After, until.AfterCancel, until.Settles = r.id, r.inbox.cursor, r.compensating > 0, r.canHear()
	signal, err := r.runtime.Wait(r.ctx, until)
	if err != nil {
		return Signal{}, fmt.Errorf("wait: %w", err)
	}
	r.advance(signal.Time)
	if signal.Kind == SignalCancel {
		r.cancel()
	}
	if m := signal.Message; m != nil {
		r.inbox.add(m)
	}
	if len(signal.Repeats) > 0 {
		r.inbox.repeats = signal.Repeats
	}
	r.tellRepeats(false)
	if signal.Kind == SignalSettled {
		if err := r.hear(until.Name); err != nil {
			return Signal{}, err
		}
	}
	return signal, nil
}

func (b *inbox) add(m *Message) {
	if b.read == nil {
		b.read = map[int]*letter{}
	}
	b.cursor = max(b.cursor, m.Number)
	b.waiting = append(b.waiting, m)
	b.read[m.Number] = &letter{box: m.Box, identity: m.Identity, received: m.Received}
}

// take gives the first message that was read and belongs to a wait; nil: none.
func (b *inbox) take(w *awaited) *Message {
	for i, m := range b.waiting {
		if w.wants(m) {
			b.waiting = slices.Delete(b.waiting, i, i+1)
			b.read[m.Number].by, w.took = w, m
			return m
		}
	}
	return nil
}

// wants tells whether a message belongs to the wait. An address of the run's own
// correlates by itself, unless the document says where a value stands.
func (w *awaited) wants(m *Message) bool {
	in := w.step.inlet
	switch {
	case m.Box != in.box, m.Received.Before(w.since):
		return false
	case w.expected.Value.IsAbsent():
		return in.scoped
	case m.Scoped && !in.declared:
		return true
	default:
		return w.expected.Matches(m)
	}
}

// tellRepeats tells of messages that have come again since they were last told of:
// once a step has taken the first, or in the end.
func (r *run) tellRepeats(end bool) {
	for _, repeat := range r.inbox.repeats {
		known := r.inbox.read[repeat.Number]
		if known == nil || known.by == nil && !end {
			continue
		}
		same, different := repeat.Same-known.same, repeat.Different-known.different
		known.same, known.different = max(known.same, repeat.Same), max(known.different, repeat.Different)
		strict := known.by != nil && known.by.step.inlet.strict
		r.setAside(known, MessageSetAside{Number: repeat.Number, Why: Duplicate, Count: same, Fails: strict})
		r.setAside(known, MessageSetAside{Number: repeat.Number, Why: Conflicting, Count: different, Fails: true})
	}
}

// setAside tells of messages that change nothing.
func (r *run) setAside(known *letter, d MessageSetAside) {
	if d.Count <= 0 {
		return
	}
	d.Channel, d.Identity, d.Received = r.plan.labels[known.box], known.identity, known.received
	r.counts.SetAside += d.Count
	switch d.Why {
	case Duplicate:
		r.counts.Duplicates += d.Count
	case Conflicting:
		r.counts.Conflicts += d.Count
	}
	if d.Fails {
		r.counts.Refused += d.Count
	}
	where := at{}
	if known.by != nil {
		where = known.by.where
	}
	r.emitter.emit(where, d)
}

// closeInbox waits as long as the receivers are to stay open, and tells what has
// come and was taken by no step.
func (r *run) closeInbox() error {
	if len(r.plan.boxes) == 0 {
		return nil
	}
	r.over = true
	until := r.now.Add(r.plan.config.Linger)
	if r.cancelled { // that was dealt with, and ends no further wait
		r.compensating++
		defer func() { r.compensating-- }()
	}
	for n := 1; ; n++ {
		signal, err := r.listen(WaitSpec{Name: fmt.Sprintf("end/%d", n), Until: until, Inbox: true})
		if err != nil {
			return err
		}
		if signal.Kind != SignalMessage {
			r.tellStrays(at{}, signal.Strays)
			break
		}
	}
	r.tellUntaken()
	r.tellRepeats(true)
	return nil
}

// untaken is what is told of messages that no step took: of those that follow each
// other and are told alike, once.
type untaken struct {
	MessageSetAside
	known  *letter
	owner  *awaited
	states []*Message // those that may concern the state of the business
}

// tellUntaken says of the messages that no step took why they change nothing.
func (r *run) tellUntaken() {
	var all []*untaken
	for _, m := range r.inbox.waiting {
		next := r.untaken(m)
		if n := len(all); n > 0 && all[n-1].owner == next.owner && all[n-1].Why == next.Why && all[n-1].Reason == next.Reason {
			all[n-1].Count++
			all[n-1].states = append(all[n-1].states, m)
			continue
		}
		all = append(all, next)
	}
	for _, u := range all {
		r.setAside(u.known, u.MessageSetAside)
		told := map[string]bool{}
		for _, m := range u.states {
			if u.owner != nil {
				u.owner.refuseState(m, told)
			}
		}
	}
}

// untaken says of a message that no step took why it changes nothing.
func (r *run) untaken(m *Message) *untaken {
	u := &untaken{known: r.inbox.read[m.Number], owner: r.inbox.ownerOf(m), states: []*Message{m}}
	u.Number, u.Count = m.Number, 1
	switch owner := u.owner; {
	case owner == nil:
		u.owner = r.meantFor(m)
		u.Why, u.Reason = Unawaited, "no step waited for it"
	case owner.took == nil:
		u.Why, u.Reason = Late, fmt.Sprintf("step %q had ended without a message", owner.step.id)
	case m.Identity == "" && owner.took.Identity == "":
		u.Why, u.Fails, u.Reason = Surplus, owner.step.inlet.strict, fmt.Sprintf("step %q had taken one before", owner.step.id)
	default:
		u.Why, u.Reason = Late, fmt.Sprintf("step %q had taken another", owner.step.id)
	}
	u.known.by = u.owner
	return u
}

// tellStrays tells of messages that came to the addresses of the run and went to no
// run, as far as they were not told: alike ones once.
func (r *run) tellStrays(where at, strays []Stray) {
	fresh := strays
	if n := len(r.inbox.strays); n > 0 {
		last := r.inbox.strays[n-1]
		if i := slices.Index(strays, last); i >= 0 {
			fresh = strays[i+1:]
		}
	}
	if len(fresh) == 0 {
		return
	}
	r.inbox.strays = slices.Clone(strays)
	var all []MessageSetAside
	for _, s := range fresh {
		label := r.plan.labels[s.Box]
		i := slices.IndexFunc(all, func(d MessageSetAside) bool { return d.Channel == label && d.Reason == s.Reason })
		if i >= 0 {
			all[i].Count++
			continue
		}
		all = append(all, MessageSetAside{Channel: label, Identity: s.Identity, Received: s.Received, Why: Unmatched, Count: 1, Reason: s.Reason})
	}
	for _, d := range all {
		r.emitter.emit(where, d)
	}
	r.counts.SetAside += len(fresh)
	if len(fresh) == MaxStrays {
		r.emitter.emit(where, Notice{Message: fmt.Sprintf("there may have been more messages of no run: the latest %d are known", MaxStrays)})
	}
}

// notBefore gives the time from which on a message can be meant for a wait: a late reply
// must not satisfy the next wait. Zero: any time, since the step waits for this for the
// first time, or has sent nothing in between.
func (r *run) notBefore(w *awaited) time.Time {
	for _, before := range slices.Backward(r.inbox.awaited) {
		if before.step == w.step && before.frame.path == w.frame.path && SameCorrelation(before.expected.Value, w.expected.Value) {
			if r.effected.After(before.began) {
				return r.effected
			}
			return before.since
		}
	}
	return time.Time{}
}

// ownerOf gives the last wait that a message belongs to; nil: none.
func (b *inbox) ownerOf(m *Message) *awaited {
	for _, w := range slices.Backward(b.awaited) {
		if w.wants(m) {
			return w
		}
	}
	return nil
}

// meantFor gives the step that would have waited for a message, had the run come to it;
// nil: there is none.
func (r *run) meantFor(m *Message) *awaited {
	for _, f := range slices.Backward(r.receivers) {
		for _, s := range f.w.steps {
			if s.inlet == nil || s.inlet.box != m.Box {
				continue
			}
			w := &awaited{where: at{frame: f, place: s.place}, step: s, frame: f}
			var reason string
			if w.expected, reason = f.expectation(s); reason == "" && w.wants(m) {
				return w
			}
		}
	}
	return nil
}

// refuseState tells where a message that came too late would have moved the state of
// the business: a payment that arrives after its order has expired must be seen.
func (w *awaited) refuseState(m *Message, told map[string]bool) {
	f, machine := w.frame, w.frame.machine
	if machine == nil {
		return
	}
	view := f.view
	f.view = &exchangeView{message: &messageView{message: m}}
	defer func() { f.view = view }()
	rule, cause := w.step.stateAfter(f)
	if rule == nil {
		return
	}
	to, reason := rule.target(f)
	if reason == "" && to == machine.now {
		return
	}
	if reason == "" {
		reason = machine.refuses(to)
	}
	if reason == "" {
		reason = "the message came too late"
	}
	if told[to+reason] {
		return
	}
	told[to+reason] = true
	where := w.where
	where.place = rule.place
	f.run.emitter.emit(where, StateRefused{State: machine.now, To: to, Cause: cause, Reason: reason})
}

// stateAfter gives the rule that moves the state after what the frame has in view:
// the step's own where its criteria pass, else that of the first failure action that
// applies. Nothing is told of the criteria.
func (s *step) stateAfter(f *frame) (rule *stateRule, cause string) {
	if allPass(f, s.criteria) {
		return s.state, s.id
	}
	for _, act := range s.onFailure {
		if act.kind != "retry" && allPass(f, act.criteria) {
			return act.state, act.name
		}
	}
	return nil, ""
}

func allPass(f *frame, criteria []*criterion) bool {
	for _, c := range criteria {
		if !c.Eval(f).Passed {
			return false
		}
	}
	return true
}

// shownValue gives a value for people; empty where there is none.
func shownValue(v value.Value) string {
	switch {
	case v.IsNothing():
		return ""
	case v.Kind() == value.KindArray:
		texts := make([]string, v.Len())
		for i, item := range v.Items() {
			texts[i] = item.Text()
		}
		return strings.Join(texts, ", ")
	default:
		return v.Text()
	}
}
