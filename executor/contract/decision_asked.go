package contract

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
)

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
