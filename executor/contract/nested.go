package contract

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
)

// readSteps reads all steps of a document, and of the documents that it builds on. Of
// workflows of one name those of the document itself count, then those of the document that
// is named first: the others are carried out and not looked at.
func readSteps(set *source.Set, sources []mock.Source) map[stepID]*stepModel {
	names, channels := map[string]string{}, channelsIn(sources)
	for _, s := range sources {
		names[s.Description.Identity] = s.Name
	}
	steps := map[stepID]*stepModel{}
	taken, seen := map[string]bool{}, map[*source.Set]bool{}
	var read func(set *source.Set)
	read = func(set *source.Set) {
		if set == nil || set.Document == nil || seen[set] {
			return
		}
		seen[set] = true
		for _, w := range set.Document.Workflows {
			if w == nil || taken[w.WorkflowID.Value] {
				continue
			}
			taken[w.WorkflowID.Value] = true
			r := stepReader{set: set, workflow: w, names: set.Document.Names(w), sources: names, channels: channels}
			for _, model := range w.Steps {
				s := r.read(model)
				steps[s.stepID] = s
			}
			r.readOutputs(steps)
		}
		for _, d := range set.Sources {
			read(d.Arazzo)
		}
	}
	read(set)
	return steps
}

// calledElsewhere lists the steps of other documents that a run of workflows may come to, in
// the order in which they are found.
func (s *subject) calledElsewhere(workflows []string) []*stepModel {
	var found []*stepModel
	seen := map[*arazzo.Workflow]bool{}
	var follow func(set *source.Set, w *arazzo.Workflow)
	follow = func(set *source.Set, w *arazzo.Workflow) {
		if w == nil || seen[w] {
			return
		}
		seen[w] = true
		for _, model := range w.Steps {
			m := s.steps[stepID{w.WorkflowID.Value, model.StepID.Value}]
			if m == nil || m.set != set {
				continue // another workflow has its name
			}
			if set != s.set {
				found = append(found, m)
			}
			for _, ref := range m.calls() {
				if to, called, err := set.FindWorkflow(ref); err == nil {
					follow(to, called)
				}
			}
		}
	}
	for _, id := range workflows {
		follow(s.set, s.set.Document.Workflow(id))
	}
	return found
}

// calls lists the workflows that a step calls, or goes on with.
func (s *stepModel) calls() []string {
	var refs []string
	if s.model.WorkflowID.Present() {
		refs = append(refs, s.model.WorkflowID.Value)
	}
	for _, a := range s.actions {
		if a.otherWorkflow != "" {
			refs = append(refs, a.otherWorkflow)
		}
	}
	return refs
}
