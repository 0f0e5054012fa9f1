package contract

// situation is what is open in a run when a step is carried out: an answer to the step may
// matter in one and not in another. After a request whose outcome is unknown, the answer to
// a question leads elsewhere than without.
type situation struct {
	unknown   stepID // the last step whose outcome became unknown
	undecided stepID // the last step that began what is not decided
	seen      string // the step that said last that it is not
}

// situation tells what is open now.
func (w *watcher) situation() situation {
	var now situation
	if n := len(w.open); n > 0 {
		now.unknown = w.open[n-1].id
	}
	for _, d := range w.undecided.all {
		if d.known == unsaid {
			now.undecided, now.seen = d.cause.id, stepKey(d.seen)
		}
	}
	return now
}

// placed is a step in a situation.
type placed struct {
	id stepID
	in situation
}

// reachesNew notes in which situations the steps of a run were carried out, and tells
// whether one was not known.
func (x *explorer) reachesNew(p *played) bool {
	isNew := false
	for _, call := range p.calls[:min(len(p.calls), mostOpen)] {
		if at := call.placed(); at.in != (situation{}) && !x.placed[at] && len(x.placed) < mostPlaced {
			x.placed[at], isNew = true, true
		}
	}
	return isNew
}

// placed gives the step and the situation in which it was carried out. For the repetition of
// what is unknown itself that is none: what a key promises then rules out most answers.
func (s *seen) placed() placed {
	if s.effect && s.in.unknown == s.id {
		return placed{id: s.id}
	}
	return placed{s.id, s.in}
}

// mostPlaced is in how many situations steps are looked at.
const mostPlaced = 1000
