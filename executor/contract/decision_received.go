package contract

import (
	"fmt"

	"github.com/weft-flow/weft/executor"
)

// received takes what a message says, or that none came.
func (d *decisions) received(m *stepModel, at string, e executor.Event, f executor.StepFinished) {
	calls := d.player.calls
	if len(calls) == 0 || calls[len(calls)-1].id != m.stepID {
		return
	}
	call := calls[len(calls)-1]
	d.answersOpen(m, at, call)
	isKnown := false
	for _, open := range d.all {
		if !d.tellsOf(m, at, call, open) {
			continue
		}
		isKnown = true
		switch {
		case call.got && (!f.Succeeded || call.says == decidedBadly):
			open.know(decidedBadly, fmt.Sprintf("the message that step %s took then said that it had not ended well", m.step))
		case call.got && call.says != undecided:
			open.know(decidedWell, "")
		case open.early == nil && open.known == unsaid:
			open.seen, open.trusted, open.why = at, false, fmt.Sprintf("step %s waited in vain for the message about it", m.step)
			if call.got {
				open.why = fmt.Sprintf("step %s took a message that says only that it goes on", m.step)
			}
		}
	}
	if call.got && call.says == undecided && f.Succeeded && !isKnown && mayFail(m.states) {
		d.open(decision{
			cause: sentRequest{id: m.stepID, sent: executor.Sent{Body: call.message}, place: e.Place}, step: at, seen: at,
			why: fmt.Sprintf("step %s took a message that says only that it goes on", m.step),
		})
	}
}

// answersOpen takes that a message says how a request ended whose outcome nobody knows.
func (d *decisions) answersOpen(m *stepModel, at string, call *seen) {
	if !call.got || call.says == undecided {
		return
	}
	for i := range d.watcher.open {
		o := &d.watcher.open[i]
		if o.answered == nil && d.tellsOf(m, at, call, &decision{cause: o.sentRequest, step: o.step}) {
			o.answered = &m.stepID
		}
	}
}

// tellsOf tells whether the message that a step waits for is about what was begun.
func (d *decisions) tellsOf(m *stepModel, at string, call *seen, open *decision) bool {
	for _, sent := range d.subject.standings.of(d.operationOf(open.cause.id)).sends {
		if sent.Asked == m.asked {
			return true
		}
	}
	return d.sameThing(open.step, open.cause, at, sentRequest{id: m.stepID, sent: executor.Sent{Body: call.message}})
}
