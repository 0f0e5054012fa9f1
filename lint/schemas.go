package lint

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint/reason"
)

// Checker holds values against the descriptions of APIs. It compiles each schema
// once for all files.
func (d *Document) Checker() *check.Checker {
	if d.world.checker == nil {
		d.world.checker = &check.Checker{}
	}
	return d.world.checker
}

// described is a schema in the description of an API.
type described struct{ check.Schema }

// DescribedSchema gives what a schema in the description of an API says.
func DescribedSchema(s check.Schema) reason.Schema { return reason.Of(described{s}) }

// ID tells schemas of one description apart.
func (s described) ID() string { return s.Place().String() }

// Against holds a value against one of the places of a schema that was described;
// ok is false for any other place.
func (d *Document) Against(p reason.Place, v value.Value) (r check.Result, ok bool) {
	if m, isMessage := p.(messagePlace); isMessage {
		return d.world.againstMessage(m, v)
	}
	s, ok := p.(described)
	if !ok {
		return check.Result{}, false
	}
	return d.Checker().Against(s.Schema, v), true
}

// In gives what stands beneath.
func (s described) In(tokens ...string) reason.Place { return described{s.Schema.In(tokens...)} }

// Follow gives what the $ref leads to.
func (s described) Follow() (reason.Place, bool) {
	to, ok := s.Schema.Follow()
	return described{to}, ok
}

// InputPlace is a schema in the inputs of a workflow, or under components.
type InputPlace struct {
	Node     *arazzo.Node
	world    *world
	document *arazzo.Document
	workflow *arazzo.Workflow // whose $defs its references may mean
}

// InputPlace gives the schema of the workflow's inputs; Node is nil where it
// describes none.
func (w *Workflow) InputPlace() InputPlace {
	return InputPlace{Node: w.Model.Inputs, world: w.Document.world, document: w.Document.Model, workflow: w.Model}
}

// ComponentInputPlace gives a schema of components.inputs.
func (d *Document) ComponentInputPlace(node *arazzo.Node) InputPlace {
	return InputPlace{Node: node, world: d.world, document: d.Model, workflow: &arazzo.Workflow{Inputs: node}}
}

// InputSchema gives what is known of the workflow's inputs as one object; nothing
// where it describes none.
func (w *Workflow) InputSchema() reason.Schema {
	if w.inputs == nil {
		s := reason.Of(w.InputPlace())
		w.inputs = &s
	}
	return *w.inputs
}

// Value gives the schema as it is written.
func (p InputPlace) Value() value.Value { return p.Node.Value() }

// ID tells schemas of one document apart.
func (p InputPlace) ID() string { return p.Node.Pointer() }

// In gives what stands beneath.
func (p InputPlace) In(tokens ...string) reason.Place {
	p.Node = p.Node.Lookup(tokens)
	return p
}

// Follow gives what the $ref leads to; false where that is out of the document.
func (p InputPlace) Follow() (reason.Place, bool) {
	ref := p.Node.Get("$ref")
	if ref == nil || ref.Kind != value.KindString {
		return p, false
	}
	p.Node = p.document.SchemaReference(p.workflow, ref.Text)
	return p, p.Node != nil
}

// RefAlone tells that other keywords count beside a $ref (JSON Schema 2020-12).
func (InputPlace) RefAlone() bool { return false }

// Nullable tells that null is a type like any other.
func (InputPlace) Nullable() bool { return false }

// IsExempt tells that a required input has to be there, whoever writes it.
func (InputPlace) IsExempt(string) bool { return false }

// IsForeign tells whether the schema is written in another dialect.
func (p InputPlace) IsForeign() bool {
	named := p.Node.Get("$schema")
	return named != nil && named.Text != "https://json-schema.org/draft/2020-12/schema"
}

// Compile compiles the schema, to hold values against it. The error is a
// *schema.CompileError.
func (d *Document) Compile(p InputPlace) (*schema.Schema, error) {
	// One set serves all schemas of the document that bring no names of their own,
	// but one that refers to nothing is compiled alone: that is less to do.
	key, pointer := p.document.Node, p.Node.Pointer()
	root := func() value.Value {
		whole, _ := p.document.InputSchema(p.workflow)
		return whole
	}
	switch {
	case !RefersBeyond(p.Node):
		key, pointer, root = p.Node, "", p.Node.Value
	case p.workflow.Inputs.Get("$defs") != nil || p.workflow.Inputs.Get("definitions") != nil:
		key = p.workflow.Inputs
	}
	set := d.world.inputs[key]
	if set == nil {
		var err error
		if set, err = schema.NewSet(schema.Resource{ID: inputsID, Root: root()}); err != nil {
			return nil, &schema.CompileError{Reason: err}
		}
		if d.world.inputs == nil {
			d.world.inputs = make(map[*arazzo.Node]*schema.Set)
		}
		d.world.inputs[key] = set
	}
	return set.Compile(inputsID, pointer)
}

// SurelyFits tells that a value fits the schema, by a quick look that needs nothing
// compiled. Where it is false, the compiled schema tells whether it does.
func (p InputPlace) SurelyFits(v value.Value) bool {
	if RefersBeyond(p.Node) {
		return false
	}
	quick := p.world.quick(p.Node.Value())
	return quick != nil && quick.Fits(v)
}

// RefersBeyond tells whether something stands in a schema that is about other
// schemas: $ref, $id, $schema and the like.
func RefersBeyond(n *arazzo.Node) bool {
	for _, m := range n.Members {
		switch name := m.Key.Text; {
		case name == "properties" || name == "patternProperties" || name == "definitions" || name == "dependentSchemas":
			if slices.ContainsFunc(m.Value.Members, func(named arazzo.Member) bool { return RefersBeyond(named.Value) }) {
				return true // the names themselves are no keywords: many a property is called id
			}
		case strings.HasPrefix(name, "$"), name == "id", RefersBeyond(m.Value):
			return true
		}
	}
	return slices.ContainsFunc(n.Items, RefersBeyond)
}

// inputsID names a document among the resources of its schemas.
const inputsID = "inputs"

// Body is one representation that a response may have.
type Body struct {
	Response *source.Response
	Media    *source.MediaType
	Schema   reason.Schema
}

// Bodies gives the representations that responses of an operation are described
// with.
func (d *Document) Bodies(op *source.Operation, responses []*source.Response) []Body {
	var all []Body
	for _, r := range responses {
		for _, m := range r.Content {
			all = append(all, Body{Response: r, Media: m, Schema: d.bodySchema(op, r, m)})
		}
	}
	return all
}

// bodySchema gives what is known of a representation; nothing where it is not JSON.
func (d *Document) bodySchema(op *source.Operation, r *source.Response, m *source.MediaType) reason.Schema {
	if m.Schema == nil || !check.IsJSON(m.Type) && !isRange(m.Type) {
		return reason.Schema{}
	}
	s, ok := d.world.bodies[m]
	if !ok {
		s = DescribedSchema(check.ResponseSchema(op, r, m))
		if d.world.bodies == nil {
			d.world.bodies = make(map[*source.MediaType]reason.Schema)
		}
		d.world.bodies[m] = s
	}
	return s
}

// isRange tells whether a media type stands for several, JSON among them.
func isRange(mediaType string) bool { return mediaType == "*/*" || mediaType == "application/*" }
