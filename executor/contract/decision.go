package contract

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/idempotency"
)

// decision is something that an API has taken on and not yet decided: what is done on the
// strength of it before it is known comes too early.
type decision struct {
	cause sentRequest // what was asked for
	step  string      // call path and step that asked
	// seen is the step whose answer said last that it goes on, and why what it said.
	seen string
	why  string
	// trusted tells that the document goes on from there as it does where all is well.
	trusted bool
	early   *sentRequest // what was then done
	known   standing
	told    string // by what it is known
}

// decisions follows what is undecided in one run.
type decisions struct {
	*watcher
	all []*decision
	// action is the one that the step now takes: where it leads.
	action string
}

// Where a step leads that takes no action, and where one that ends the workflow.
const (
	onward = "-> next"
	theEnd = "-> end"
)

// attempted takes what an answer says of how things stand.
func (d *decisions) attempted(id stepID, e executor.Event, call *seen, f executor.AttemptFinished) {
	if f.Attempt == idempotency.NotSent {
		return
	}
	if f.Response == nil || f.Response.Status/100 != 2 {
		if len(d.all) > 0 && !call.effect {
			d.askedInVain(sentRequest{id: id, sent: f.Sent, place: e.Place}, e.Workflow+"/"+e.Step, call.operation, f.Response)
		}
		return
	}
	known := d.subject.standings.of(call.operation)
	if !d.matters(call, known, f.Response.Status) {
		return // most answers, of thousands of runs
	}
	one := sentRequest{id: id, sent: f.Sent, place: e.Place}
	at := e.Workflow + "/" + e.Step
	says, word := standingIn(known.states, spokenBody(f.Response))
	if !call.effect {
		if says == unsaid {
			says, word = saidByStatus(call.operation, f.Response.Status)
		}
		d.asked(one, at, call.operation, says, word)
		return
	}
	if d.subject.isMarked(id) {
		return
	}
	d.acts(one, at, call.operation)
	switch open := d.by(at); {
	case f.Response.Status == http.StatusAccepted && says != decidedWell && says != decidedBadly && d.subject.standings.of(call.operation).tellsLater:
		d.open(decision{cause: one, step: at, seen: at, why: fmt.Sprintf("step %s was answered 202, which says that it is accepted and not that it is done", id.step)})
	case says == undecided && d.mayFail(call.operation) && d.subject.awaitsEndOf(id):
		d.open(decision{cause: one, step: at, seen: at, why: fmt.Sprintf("step %s was answered %s", id.step, word)})
	case open != nil && says != unsaid:
		open.know(says, fmt.Sprintf("step %s was then answered %s", id.step, word))
	}
}

// saidByStatus reads how something stands from the status of an answer to a read: 202 is not
// yet, and another one is done where the description has 202 as well.
func saidByStatus(op *source.Operation, status int) (standing, string) {
	switch {
	case status == http.StatusAccepted:
		return undecided, "202"
	case status == http.StatusOK && slices.ContainsFunc(op.Responses, func(r *source.Response) bool { return r.Status == "202" }):
		return decidedWell, "200"
	}
	return unsaid, ""
}

// matters tells whether an answer may open, settle or follow something undecided.
func (d *decisions) matters(call *seen, known *operationStanding, status int) bool {
	switch {
	case len(d.all) > 0:
		return true
	case call.effect:
		return status == http.StatusAccepted || known.mayFail
	default:
		return len(d.watcher.open) > 0
	}
}

// awaitsEndOf tells whether the good answer to a step is not the end of it, as its API or
// the document itself shows: a message follows that may say that it went wrong, or the
// document judges what the answer says. Else it takes such an answer for done, and a
// description that has one schema for all answers does not say that it is wrong.
func (s *subject) awaitsEndOf(id stepID) bool {
	m := s.steps[id]
	if m == nil {
		return false
	}
	known := s.standings.of(m.operation)
	if known.isToldBadly {
		return true
	}
	for _, c := range m.judged() {
		for _, use := range c.compiled.Uses() {
			if use.Expression.Root == expression.Response && use.Expression.Part == expression.BodyPart {
				return true
			}
		}
	}
	for _, sent := range known.sends {
		for _, other := range s.steps {
			if other.receives && other.asked == sent.Asked {
				return true
			}
		}
	}
	return false
}

// mayFail tells whether what an operation begins can go wrong later, as far as the
// descriptions say.
func (d *decisions) mayFail(op *source.Operation) bool { return d.subject.standings.of(op).mayFail }

func (d *decisions) open(made decision) {
	if known := d.by(made.step); known != nil {
		if known.early == nil && known.known == unsaid {
			*known = made
		}
		return
	}
	d.all = append(d.all, &made)
}

// by gives what a step has begun; nil: nothing that is undecided.
func (d *decisions) by(step string) *decision {
	for _, known := range d.all {
		if known.step == step {
			return known
		}
	}
	return nil
}

// acts notes an effect on the strength of what is undecided.
func (d *decisions) acts(one sentRequest, at string, op *source.Operation) {
	if len(d.all) == 0 || undoes(op) {
		return
	}
	for _, open := range d.all {
		begun := d.operationOf(open.cause.id)
		switch {
		case open.step == at || open.early != nil || open.known != unsaid || !open.trusted || begun == nil || begun == op:
		case op.Source == begun.Source && beneath(op.Path, begun.Path): // it goes on with it
		case d.sameThing(open.step, open.cause, at, one):
			open.early = &one
		}
	}
}

// know notes how something was decided.
func (o *decision) know(says standing, told string) {
	if o.known == unsaid && says != undecided {
		o.known, o.told = says, told
	}
}

// finished looks at where a step leads, which has said that something goes on, or waited in
// vain to hear of it.
func (d *decisions) finished(id stepID, e executor.Event, f executor.StepFinished) {
	at := e.Workflow + "/" + e.Step
	action := d.action
	d.action = ""
	m := d.subject.steps[id]
	if m != nil && m.receives {
		d.received(m, at, e, f)
	}
	for _, open := range d.all {
		if open.seen == at && open.known == unsaid && open.early == nil {
			open.trusted = (f.Succeeded || action != "") && d.subject.leadsWhenGood(id)[d.way(action)]
		}
	}
}

func (d *decisions) way(action string) string {
	if action == "" {
		return onward
	}
	return action
}

// close tells what came too early, once the run has ended.
func (d *decisions) close(result executor.Result) {
	if len(d.player.script.faults) > 0 && misleadsAny(d.player.script.faults) {
		return
	}
	well := result.Status == executor.Succeeded || result.Status == executor.Recovered
	for _, open := range d.all {
		switch {
		case open.early == nil:
		case open.known == decidedBadly:
			d.found(TooEarly, open.early.id, open.early.place, "step %s was carried out while nothing had told how %s ends: %s; %s",
				open.early.id.step, d.nameOf(open), open.why, open.told)
		case open.known == unsaid && well:
			d.found(TooEarly, open.early.id, open.early.place, "step %s was carried out while nothing had told how %s ends: %s; nothing tells it later, and the workflow %s",
				open.early.id.step, d.nameOf(open), open.why, result.Status)
		}
	}
}

// nameOf names what is undecided: by the step that began it, or that was told of it.
func (d *decisions) nameOf(o *decision) string {
	if m := d.subject.steps[o.cause.id]; m != nil && m.receives {
		return "what the message to step " + m.step + " is about"
	}
	return o.cause.id.step
}

func misleadsAny(faults []mock.Fault) bool {
	for _, f := range faults {
		if misleads(f) {
			return true
		}
	}
	return false
}

// wayOf tells where an action leads that a run took.
func wayOf(d executor.ActionChosen) string {
	switch {
	case d.Kind == "end":
		return theEnd
	default:
		return d.Target
	}
}
