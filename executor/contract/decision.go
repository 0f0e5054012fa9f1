package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// asked takes what a read says of what was begun before.
func (d *decisions) asked(one sentRequest, at string, op *source.Operation, says standing, word string) {
	if says == unsaid {
		return
	}
	d.answers(one, at, op, says)
	for _, open := range d.all {
		if !d.isAbout(one, at, op, open.cause, open.step) {
			continue
		}
		if says != undecided {
			open.know(says, fmt.Sprintf("step %s then read %s", one.id.step, word))
		} else if open.early == nil && open.known == unsaid {
			open.seen, open.trusted, open.why = at, false, fmt.Sprintf("step %s read %s", one.id.step, word)
		}
	}
	if says != undecided {
		return
	}
	for _, o := range d.watcher.open {
		if d.by(o.step) == nil && d.isAbout(one, at, op, o.sentRequest, o.step) && d.mayFail(d.operationOf(o.id)) && !d.subject.isMarked(o.id) {
			d.open(decision{cause: o.sentRequest, step: o.step, seen: at, why: fmt.Sprintf("step %s read %s", one.id.step, word)})
		}
	}
}

// answers takes that a read says how a request ended whose outcome nobody knows: also where
// the step fails for what it says, and so does not settle it for Weft.
func (d *decisions) answers(one sentRequest, at string, op *source.Operation, says standing) {
	for i := range d.watcher.open {
		if o := &d.watcher.open[i]; says != undecided && o.answered == nil && d.isAbout(one, at, op, o.sentRequest, o.step) {
			o.answered = &one.id
		}
	}
}

// askedInVain takes that a read was not answered, or with an error: whoever then goes on has
// not heard how things stand. That there is no such thing is an answer.
func (d *decisions) askedInVain(one sentRequest, at string, op *source.Operation, r *executor.Response) {
	got := "no answer"
	if r != nil {
		if r.Status == http.StatusNotFound || r.Status == http.StatusGone {
			return
		}
		got = strconv.Itoa(r.Status)
	}
	for _, open := range d.all {
		if open.early == nil && open.known == unsaid && d.isAbout(one, at, op, open.cause, open.step) {
			open.seen, open.trusted, open.why = at, false, fmt.Sprintf("step %s asked and got %s", one.id.step, got)
		}
	}
}

func (d *decisions) operationOf(id stepID) *source.Operation {
	if m := d.subject.steps[id]; m != nil {
		return m.operation
	}
	return nil
}

// isAbout tells whether a read asks how a request stands.
func (d *decisions) isAbout(read sentRequest, at string, op *source.Operation, cause sentRequest, step string) bool {
	m, begun := d.subject.steps[read.id], d.operationOf(cause.id)
	if m != nil && m.model.RequeryOf.Present() && m.model.RequeryOf.Value == cause.id.step {
		return read.id.workflow == cause.id.workflow
	}
	if of := d.subject.steps[cause.id]; of != nil && of.receives {
		return d.sameThing(step, cause, at, read) // it asks about what a message told of
	}
	if m != nil && m.model.RequeryOf.Present() {
		return false
	}
	switch {
	case begun == nil || op.Source != begun.Source:
		return false
	case beneath(op.Path, begun.Path) || beneath(begun.Path, op.Path):
		return d.sameThing(step, cause, at, read)
	default:
		return m != nil && read.id.workflow == cause.id.workflow && m.asksBy(cause.id.step) && mayGoOn(d.subject.standings.of(op).states)
	}
}

// asksBy tells whether what a step asks for is named by what another one brought: the
// operation under way, which an answer of 202 points to.
func (s *stepModel) asksBy(other string) bool {
	for made := range s.origins {
		if made.step == other {
			return true
		}
	}
	return false
}

// beneath tells whether a path is another one or below it.
func beneath(path, above string) bool { return path == above || strings.HasPrefix(path, above+"/") }

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

// operationStanding is what the descriptions say of how what an operation begins goes on.
type operationStanding struct {
	states []statePlace
	sends  []mock.Sent
	// mayFail tells that it can go wrong later, tellsLater that one can get to know.
	mayFail, tellsLater bool
	// isToldBadly tells that a message may say that it went wrong which follows as the
	// description has it: by x-weft-sends, or as a callback.
	isToldBadly bool
}

// standings keeps that for the operations of a document. It may be used by several
// goroutines.
type standings struct {
	apis  *mock.APIs
	names map[*source.Operation]mock.Asked
	hooks map[mock.Asked]*source.Operation
	all   []*source.Operation

	known sync.Map // of *operationStanding, by *source.Operation
}

func newStandings(apis *mock.APIs, sources []mock.Source) *standings {
	s := &standings{
		apis: apis, names: map[*source.Operation]mock.Asked{}, hooks: map[mock.Asked]*source.Operation{},
	}
	for _, src := range sources {
		for _, op := range src.Catalog.Operations {
			s.names[op] = mock.Asked{Source: src.Name, Operation: labelOf(op)}
			s.all = append(s.all, op)
			if op.Kind != source.Request {
				s.hooks[mock.Asked{Source: src.Name, Operation: labelOf(op)}] = op
				s.hooks[mock.Asked{Source: src.Name, Operation: op.Path}] = op
			}
			for _, callback := range op.Callbacks {
				s.hooks[mock.Asked{Source: src.Name, Operation: labelOf(callback)}] = callback
			}
		}
	}
	return s
}

var noStanding = &operationStanding{}

// of gives what is known of an operation.
func (s *standings) of(op *source.Operation) *operationStanding {
	if op == nil {
		return noStanding
	}
	if found, ok := s.known.Load(op); ok {
		return found.(*operationStanding)
	}
	found, _ := s.known.LoadOrStore(op, s.read(op))
	return found.(*operationStanding)
}

func (s *standings) read(op *source.Operation) *operationStanding {
	found := &operationStanding{states: statesSaidIn(op, "json", "xml")}
	if op.Kind != source.Request {
		return found
	}
	found.sends = s.apis.Sends(s.names[op])
	found.mayFail = mayFail(found.states)
	for _, sent := range found.sends {
		said := statesSaid(s.hooks[sent.Asked])
		told := mayFail(said) || !sent.Implied && mayBeOver(said)
		found.mayFail = found.mayFail || told
		found.isToldBadly = found.isToldBadly || told && !sent.Implied
	}
	found.tellsLater = len(found.sends) > 0 || mayGoOn(found.states) || s.canBeRead(op)
	return found
}

// canBeRead tells whether what an operation begins can be asked for, and says how it
// stands: beneath its path, or by what its answer names, such as a job.
func (s *standings) canBeRead(op *source.Operation) bool {
	for _, read := range s.all {
		if read.Method == "GET" && read.Source == op.Source && (beneath(read.Path, op.Path) || namesItem(op, read)) && mayGoOn(statesSaidIn(read, "json", "xml")) {
			return true
		}
	}
	return false
}

// namesItem tells whether the answer of 202 to an operation has a member that the path of a
// read ends in, by its name.
func namesItem(op, read *source.Operation) bool {
	last := read.Path[strings.LastIndexByte(read.Path, '/')+1:]
	accepted := op.Response(http.StatusAccepted)
	if !strings.HasPrefix(last, "{") || !strings.HasSuffix(last, "}") || accepted == nil {
		return false
	}
	for _, media := range accepted.Content {
		if media.Schema != nil && media.Schema.Properties[strings.Trim(last, "{}")] != nil {
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
