package rules

import (
	"strings"

	"github.com/weft-flow/weft/internal/circle"
	"github.com/weft-flow/weft/lint"
)

func checkDependsOnExists(p *lint.Pass) {
	for _, w := range p.Workflows {
		for _, t := range w.DependsOn {
			if e := missing(t.Err, "workflow"); e != nil && isText(t.Ref) {
				p.Report(lint.Finding{At: lint.At(t.Ref.Node), Message: "dependsOn: " + e.Error() + orWorkflows(p, e)})
			}
		}
	}
}

// checkDependsOnCircle reports each entry of dependsOn that closes a circle, once:
// at the first workflow of the circle that the document has.
func checkDependsOnCircle(p *lint.Pass) {
	next := func(w *lint.Workflow) []*lint.Workflow {
		var all []*lint.Workflow
		for _, t := range w.DependsOn {
			if to := t.Workflow(); to != nil {
				all = append(all, to)
			}
		}
		return all
	}
	number := circle.Of(p.Workflows, next)
	told := make(map[*lint.Workflow]bool)
	for _, w := range p.Workflows {
		for i, t := range w.DependsOn {
			to := t.Workflow()
			if to == nil || told[w] || number[to] != number[w] {
				continue
			}
			way := path(to, w, next)
			for _, member := range way {
				told[member] = true
			}
			told[w] = true
			p.Reportf(lint.At(w.DependsOn[i].Ref.Node), "workflow %s depends on itself%s", quote(w.ID()), through(way[:len(way)-1]))
		}
	}
}

// path gives a way from one thing to another along next, both included; nil where
// there is none. It is a shortest one.
func path[T comparable](from, to T, next func(T) []T) []T {
	came := map[T]T{from: from}
	for open := []T{from}; len(open) > 0; open = open[1:] {
		at := open[0]
		if at == to {
			way := []T{at}
			for at != from {
				at = came[at]
				way = append([]T{at}, way...)
			}
			return way
		}
		for _, n := range next(at) {
			if _, seen := came[n]; !seen {
				came[n] = at
				open = append(open, n)
			}
		}
	}
	return nil
}

// through names the workflows on a way.
func through(way []*lint.Workflow) string {
	if len(way) == 0 {
		return ""
	}
	ids := make([]string, len(way))
	for i, w := range way {
		ids[i] = quote(w.ID())
	}
	return " through " + strings.Join(ids, ", ")
}

// checkRecursion reports calls that come back to the workflow that makes them,
// where none of the workflows on the way can succeed without its call: then the
// recursion cannot end.
func checkRecursion(p *lint.Pass) {
	next := func(w *lint.Workflow) []*lint.Workflow {
		var all []*lint.Workflow
		for _, s := range w.Steps {
			if to := s.Target.Workflow(); to != nil && mustRun(s) {
				all = append(all, to)
			}
		}
		return all
	}
	number := circle.Of(p.Workflows, next)
	told := make(map[*lint.Workflow]bool)
	for _, w := range p.Workflows {
		for _, s := range w.Steps {
			to := s.Target.Workflow()
			if to == nil || told[w] || number[to] != number[w] || !mustRun(s) {
				continue
			}
			way := path(to, w, next)
			for _, member := range way {
				told[member] = true
			}
			told[w] = true
			p.Reportf(lint.At(s.Target.Ref.Node), "workflow %s calls itself%s, and cannot end without that call",
				quote(w.ID()), through(way[:len(way)-1]))
		}
	}
}

// mustRun tells whether a workflow cannot succeed without a step.
func mustRun(s *lint.Step) bool {
	flow := s.Workflow.Flow()
	return !flow.Broken && !flow.Avoids(s, nil)
}

func checkWorkflowClash(p *lint.Pass) {
	for _, w := range p.Model.Workflows {
		for _, d := range p.Set.Sources {
			if d.Arazzo == nil || d.Arazzo.Document == p.Model || !isText(w.WorkflowID) {
				continue
			}
			if d.Arazzo.Document.Workflow(w.WorkflowID.Value) != nil {
				p.Reportf(lint.At(w.WorkflowID.Node), "source %s has a workflow %s too", quote(d.Name), quote(w.WorkflowID.Value))
			}
		}
	}
}
