package rules

import (
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
)

func checkChannelsExist(p *lint.Pass) {
	for _, s := range p.Steps() {
		e := missing(s.Target.Err, "channel")
		if e == nil || !isText(s.Target.Ref) || s.Target.Source != nil && s.Target.Source.OpenAPI != nil {
			continue // a channel of OpenAPI is for another rule
		}
		p.Report(lint.Finding{At: lint.At(s.Target.Ref.Node), Message: e.Error()})
	}
}

func checkAsyncActions(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Target.Async != nil && s.Model.OperationID.Present() && !s.Model.Action.Present() {
			p.Reportf(lint.At(s.Target.Ref.Node), "operation %s is of AsyncAPI: the step needs action: send or receive", quote(s.Target.Async.ID))
		}
	}
}

// checkAsyncRoles compares the actions of a workflow's steps with those of the
// operations that they name. An operation with a reply has both sides by itself.
func checkAsyncRoles(p *lint.Pass) {
	for _, w := range p.Workflows {
		first := make(map[*source.Description]*lint.Step)
		for _, s := range w.Steps {
			o := s.Target.Async
			if o == nil || o.Reply != nil || o.Action == "" || !isText(s.Model.Action) {
				continue
			}
			before := first[s.Target.Source]
			if before == nil {
				first[s.Target.Source] = s
				continue
			}
			if agrees(before) == agrees(s) {
				continue
			}
			p.Report(lint.Finding{
				At:      lint.At(s.Model.Action.Node),
				Message: "the workflow " + role(s) + " here, and " + role(before) + " before",
				Related: []lint.Related{lint.See(before.Model.Action.Node, "here it %s", role(before))},
			})
		}
	}
}

// agrees tells whether a step does what its operation says that the application
// does.
func agrees(s *lint.Step) bool { return s.Model.Action.Value == string(s.Target.Async.Action) }

func role(s *lint.Step) string {
	if agrees(s) {
		return "does what the application of source " + quote(s.Target.Source.Name) + " does"
	}
	return "is the counterpart of source " + quote(s.Target.Source.Name)
}
