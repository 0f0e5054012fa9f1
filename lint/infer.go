package lint

import (
	"strconv"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint/reason"
)

// maxInference bounds how many values are followed from one to the other.
const maxInference = 20

// Schema says what is known of the value of the expression.
// Where the API describes it for some responses alone, it is taken for one of those.
func (u *Use) Schema() reason.Schema { return u.infer(u.Expression, maxInference) }

// Schema says what is known of the value.
func (v *Value) Schema() reason.Schema { return v.infer(maxInference) }

func (v *Value) infer(left int) reason.Schema {
	if v == nil || len(v.Faults) > 0 || left == 0 {
		return reason.Schema{}
	}
	return v.Site.inferValue(v.Compiled, left)
}

// SchemaOfValue says what is known of a part of a value at the site.
func (s Site) SchemaOfValue(part *dynamic.Value) reason.Schema {
	return s.inferValue(part, maxInference)
}

func (s Site) inferValue(v *dynamic.Value, left int) reason.Schema {
	if constant, ok := v.Constant(); ok {
		return reason.OfValue(constant)
	}
	context, of := v.Selection()
	switch e := v.Expression(); {
	case e != nil:
		return s.infer(e, left)
	case v.IsTemplate():
		return reason.OfTypes(reason.String)
	case context != nil:
		tokens, ok := SelectionTokens(context, of)
		if !ok || left == 0 {
			return reason.Schema{}
		}
		return s.along(context, tokens, left)
	case v.Items() != nil:
		return reason.OfTypes(reason.Array)
	case v.Node() != nil && v.Node().Kind == value.KindObject:
		return reason.OfTypes(reason.Object)
	default:
		return reason.Schema{}
	}
}

// infer follows an expression to where its value comes from.
func (s Site) infer(e *expression.Expression, left int) reason.Schema {
	if left == 0 {
		return reason.Schema{}
	}
	return s.along(e, Tokens(e), left)
}

// SchemaAlong says what is known of what a way leads to from what an expression
// names before its pointer.
func (s Site) SchemaAlong(e *expression.Expression, tokens []string) reason.Schema {
	return s.along(e, tokens, maxInference)
}

func (s Site) along(e *expression.Expression, tokens []string, left int) reason.Schema {
	if e.Root == expression.Response && e.Part == expression.BodyPart {
		return s.inBody(tokens)
	}
	found, _, _ := s.base(e, left).Path(tokens)
	return found
}

// Tokens gives the way that an expression goes on into what it names: by its
// pointer, then by dots and brackets.
func Tokens(e *expression.Expression) []string {
	tokens := append([]string(nil), e.Pointer...)
	for _, a := range e.Accesses {
		if a.IsIndex {
			tokens = append(tokens, strconv.Itoa(a.Index))
			continue
		}
		tokens = append(tokens, a.Name)
	}
	return tokens
}

// inBody looks into the bodies that can have come.
func (s Site) inBody(tokens []string) reason.Schema {
	var found []reason.Schema
	responses := s.Responses()
	if len(responses) == 0 {
		return reason.Schema{}
	}
	for _, b := range s.Step.Workflow.Document.Bodies(s.Step.Target.Operation, responses) {
		next, presence, _ := b.Schema.Path(tokens)
		if presence > reason.Undeclared {
			found = append(found, next)
		}
	}
	return reason.Union(found...)
}

// Base says what is known of what an expression names before its pointer. Of a
// response body nothing is: see Bodies.
func (s Site) Base(e *expression.Expression) reason.Schema { return s.base(e, maxInference) }

func (s Site) base(e *expression.Expression, left int) reason.Schema {
	switch e.Root {
	case expression.StatusCode:
		return reason.OfTypes(reason.Integer)
	case expression.Method, expression.URL, expression.Self:
		return reason.OfTypes(reason.String)
	case expression.Response:
		if e.Part == expression.HeaderPart {
			return reason.OfTypes(reason.String)
		}
	case expression.Message:
		if e.Part == expression.PayloadPart && s.Step != nil && s.Kind.AfterCall() {
			return s.Step.MessageSchema()
		}
	case expression.Inputs:
		if s.Workflow != nil {
			return member(s.Workflow.InputSchema(), e.Name)
		}
	case expression.Steps:
		if s.Workflow != nil && s.Workflow.Step(e.Owner) != nil {
			if o := s.Workflow.Step(e.Owner).Output(e.Name); o != nil {
				return o.Value.infer(left - 1)
			}
		}
	case expression.Outputs:
		return s.ofOutputs(e, left)
	case expression.Workflows:
		return s.ofWorkflow(e, left)
	}
	return reason.Schema{}
}

func member(s reason.Schema, name string) reason.Schema {
	found, _ := s.Step(name)
	return found
}

// ofOutputs infers $outputs: in a step that calls a workflow it is that
// workflow's, in the workflow's own outputs one of those.
func (s Site) ofOutputs(e *expression.Expression, left int) reason.Schema {
	if s.Step == nil {
		return s.Workflow.output(e.Name, left)
	}
	return s.Step.Target.Workflow().output(e.Name, left)
}

func (s Site) ofWorkflow(e *expression.Expression, left int) reason.Schema {
	if s.Workflow == nil {
		return reason.Schema{}
	}
	w := s.Workflow.Document.Workflow(e.Owner)
	switch {
	case w == nil:
		return reason.Schema{}
	case e.Part == expression.InputsPart:
		return member(w.InputSchema(), e.Name)
	default:
		return w.output(e.Name, left)
	}
}

// output infers an output of a workflow, which may be none.
func (w *Workflow) output(name string, left int) reason.Schema {
	if w == nil {
		return reason.Schema{}
	}
	for _, o := range w.Outputs {
		if o.Model.Name.Value == name {
			return o.Value.infer(left - 1)
		}
	}
	return reason.Schema{}
}
