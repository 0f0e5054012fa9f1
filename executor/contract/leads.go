package contract

import (
	"strings"
	"sync"
)

// leads keeps where steps lead whose answers say that all is well. It may be used by
// several goroutines.
type leads struct {
	mu    sync.Mutex
	known map[stepID]map[string]bool
}

// leadsWhenGood tells where a step leads that is answered well, and with what is decided.
func (s *subject) leadsWhenGood(id stepID) map[string]bool {
	s.leads.mu.Lock()
	defer s.leads.mu.Unlock()
	if found := s.leads.known[id]; found != nil {
		return found
	}
	found := map[string]bool{}
	if m := s.steps[id]; m != nil && m.operation != nil {
		found = s.followGood(m)
	}
	if s.leads.known == nil {
		s.leads.known = map[stepID]map[string]bool{}
	}
	s.leads.known[id] = found
	return found
}

func (s *subject) followGood(m *stepModel) map[string]bool {
	var all []*candidate
	if m.receives {
		all = messagesOf(m, s.apis, s.checker, s.inputs, nil)
	} else {
		all = candidatesOf(m, s.apis, s.checker, s.inputs, nil)
	}
	// Of answers that tell of an end, of those that tell nothing, and, where the API knows
	// none but these, of those that say that it goes on.
	done, accepted, begun := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, c := range all {
		if c.silent || c.foreign || c.says == decidedBadly || !m.succeedsWith(c) {
			continue
		}
		ways := done
		switch {
		case c.says == undecided:
			ways = begun
		case c.answer.Status == 202 && c.says == unsaid:
			ways = accepted
		}
		way := m.wayWith(c)
		ways[way] = true
		if way == onward { // a jump to the next step leads there as well
			ways[s.after(m)] = true
		} else if way == s.after(m) {
			ways[onward] = true
		}
	}
	switch {
	case len(done) > 0:
		return done
	case len(accepted) > 0 || m.receives:
		return accepted
	default:
		return begun
	}
}

// succeedsWith tells whether a step succeeds with an answer.
func (s *stepModel) succeedsWith(c *candidate) bool {
	for i := range s.success {
		if !c.passes[i] {
			return false
		}
	}
	return len(s.success) > 0 || s.receives || c.answer.Status/100 == 2
}

// wayWith tells where a step leads that succeeds with an answer.
func (s *stepModel) wayWith(c *candidate) string {
	at := len(s.success)
	for _, a := range s.actions {
		own := c.passes[at : at+len(a.criteria)]
		at += len(a.criteria)
		all := a.trigger == "onSuccess" && a.kind != "retry"
		for _, passed := range own {
			all = all && passed
		}
		if all {
			return a.way()
		}
	}
	return onward
}

// after gives the way to the step that comes next in the document.
func (s *subject) after(m *stepModel) string {
	w := s.set.Document.Workflow(m.workflow)
	if w == nil {
		return theEnd
	}
	for i, step := range w.Steps {
		if step.StepID.Value == m.step && i+1 < len(w.Steps) {
			return w.Steps[i+1].StepID.Value
		}
	}
	return theEnd
}

// way tells where an action leads.
func (a *actionModel) way() string {
	switch {
	case a.kind == "end":
		return theEnd
	case a.step != "":
		return a.step
	default:
		return a.otherWorkflow[strings.LastIndexByte(a.otherWorkflow, '.')+1:]
	}
}
