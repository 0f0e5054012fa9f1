package rules

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
)

func checkContentTypes(p *lint.Pass) {
	for _, s := range calls(p) {
		body, op := s.Model.RequestBody, s.Target.Operation
		if body == nil || op.Body == nil || len(op.Body.Content) == 0 {
			continue
		}
		if body.ContentType.Present() {
			if written := body.ContentType; isText(written) && !strings.Contains(written.Value, "{$") && op.MediaType(written.Value) == nil {
				p.Reportf(lint.At(written.Node), "operation %s takes no body of %s, but %s", quote(op.Label()), written.Value, mediaTypes(op))
			}
			continue
		}
		if s.Payload != nil && bodyMedia(s) == nil {
			p.Reportf(lint.At(body.Node), "operation %s takes %s: the contentType must say which of them is sent", quote(op.Label()), mediaTypes(op))
		}
	}
}

func mediaTypes(op *source.Operation) string {
	var names []string
	for _, m := range op.Body.Content {
		names = append(names, m.Type)
	}
	return strings.Join(names, " or ")
}

// bodyMedia gives the description of what a step sends: of its contentType, else
// of the only one that there is, else of JSON; nil where there is none.
func bodyMedia(s *lint.Step) *source.MediaType {
	op, written := s.Target.Operation, s.Model.RequestBody.ContentType
	switch {
	case op.Body == nil:
		return nil
	case written.Present():
		return op.MediaType(written.Value)
	case len(op.Body.Content) == 1:
		return op.Body.Content[0]
	}
	for _, m := range op.Body.Content {
		if check.IsJSON(m.Type) {
			return m
		}
	}
	return nil
}

func checkBodiesRequired(p *lint.Pass) {
	checkPayloadsGiven(p)
	for _, s := range calls(p) {
		op := s.Target.Operation
		if op.Body == nil || !op.Body.Required {
			continue
		}
		f := lint.Finding{Severity: unlessRefusalExpected(s), At: lint.At(s.Target.Ref.Node),
			Message: fmt.Sprintf("operation %s requires a body, which the step does not send", quote(op.Label()))}
		switch body := s.Model.RequestBody; {
		case body == nil:
			p.Report(f)
		case body.Payload == nil && len(body.Replacements) == 0:
			f.At = lint.Name(body.Node)
			f.Message = fmt.Sprintf("operation %s requires a body, and there is no payload", quote(op.Label()))
			p.Report(f)
		}
	}
}

func checkBodiesAllowed(p *lint.Pass) {
	for _, s := range calls(p) {
		if body := s.Model.RequestBody; body != nil && body.Node != nil && s.Target.Operation.Body == nil {
			p.Reportf(lint.Name(body.Node), "operation %s describes no body", quote(s.Target.Operation.Label()))
		}
	}
	eachReceiver(p, func(s *lint.Step) {
		if body := s.Model.RequestBody; body != nil && body.Node != nil {
			p.Reportf(lint.Name(body.Node), "step %s receives, it sends no body", quote(s.ID()))
		}
	})
}
