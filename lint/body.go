package lint

import "github.com/weft-flow/weft/arazzo"

// Body gives the payload of the step as data: one that is written as JSON text is read.
// It is nil where there is none, or none that can be read; the error says why a text
// cannot: see dynamic.Value.ReadJSON. The places of its nodes are those that InBody and
// NameInBody give.
func (s *Step) Body() (*Value, error) {
	if s.body == nil {
		s.body = &stepBody{}
		s.body.value, s.body.err = s.readBody()
	}
	return s.body.value, s.body.err
}

// stepBody is what Body gives.
type stepBody struct {
	value *Value
	err   error
}

func (s *Step) readBody() (*Value, error) {
	if s.Payload == nil || len(s.Payload.Faults) > 0 {
		return nil, nil
	}
	if !s.Payload.Compiled.IsTemplate() {
		return s.Payload, nil
	}
	read, err := s.Payload.Compiled.ReadJSON(s.Payload.names())
	if err != nil {
		return nil, err
	}
	return &Value{Site: s.Payload.Site, Node: read.Node(), Compiled: read}, nil
}

// InBody gives where a node of Body is written.
func (s *Step) InBody(n *arazzo.Node) Place {
	if !s.isBodyText() {
		return At(n)
	}
	return s.inText(n)
}

// NameInBody gives where the name of a member of Body is written, by its value; of what
// is no member where it is itself.
func (s *Step) NameInBody(n *arazzo.Node) Place {
	switch {
	case !s.isBodyText():
		return Name(n)
	case n.Parent() == nil:
		return Name(s.Payload.Node)
	}
	for _, m := range n.Parent().Members {
		if m.Value == n {
			return s.inText(m.Key)
		}
	}
	return s.inText(n)
}

// isBodyText tells whether the nodes of Body are those of a text.
func (s *Step) isBodyText() bool {
	return s.body != nil && s.body.value != nil && s.body.value != s.Payload
}

// inText gives the stretch of the payload that writes a node of its text: the whole
// payload where the file cannot be followed.
func (s *Step) inText(n *arazzo.Node) Place {
	whole := At(s.Payload.Node)
	if span, _, ok := s.Workflow.Document.stretch(s.Payload.Node, n.Span.Start.Offset, n.Span.End.Offset); ok && n.Parent() != nil {
		whole.Span = span
	}
	return whole
}
