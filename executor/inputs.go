package executor

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// inputs is the compiled inputs schema of a workflow.
type inputs struct {
	root     value.Value // what local references resolve in
	pointer  string
	schema   *schema.Schema // nil: the workflow describes no inputs
	declared []string
	secret   bool // some of them are marked as passwords
}

func (c *compiler) compileInputs(w *workflow) *inputs {
	in := &inputs{declared: w.declared().Inputs}
	if w.model.Inputs == nil {
		return in
	}
	schemas, err := c.documents.schemasOf(w)
	in.root, in.pointer = schemas.root, w.model.Inputs.Pointer()
	if err == nil {
		in.schema, err = schemas.set.Compile(w.set.Base, in.pointer)
	}
	if err != nil {
		c.refuse(w.set, w.model.Inputs, "the inputs of workflow %q are not a schema that can be used: %v", w.id, err)
		return in
	}
	in.secret = w.marksSecrets()
	return in
}

// schemas is a document as a place of schemas.
type schemas struct {
	root value.Value
	set  *schema.Set
}

// schemasOf gives the schemas of the workflow's document: the same for all its
// workflows, but for those that bring $defs of their own.
func (all documents) schemasOf(w *workflow) (schemas, error) {
	own := w.model.Inputs.Get("$defs") != nil || w.model.Inputs.Get("definitions") != nil
	if s, ok := all.schemas[w.set]; ok && !own {
		return s, nil
	}
	root, _ := w.set.Document.InputSchema(w.model)
	set, err := schema.NewSet(schema.Resource{ID: w.set.Base, Root: root})
	s := schemas{root: root, set: set}
	if err == nil && !own {
		all.schemas[w.set] = s
	}
	return s, err
}

// declares tells whether a workflow can be given an input of that name.
func (w *workflow) declares(name string) bool {
	return w != nil && slices.Contains(w.declared().Inputs, name)
}

// InputError tells that the inputs given do not fit a workflow.
type InputError struct {
	Workflow string
	Messages []string
}

// Error lists every fault of the inputs.
func (e *InputError) Error() string {
	return fmt.Sprintf("the inputs do not fit workflow %q: %s", e.Workflow, strings.Join(e.Messages, "; "))
}

// bind fills in defaults and addresses, and checks the given inputs against the schema.
func (w *workflow) bind(given value.Value, addresses map[string]string) (value.Value, error) {
	bound, faults := w.check(given, addresses)
	if len(faults) == 0 {
		return bound, nil
	}
	messages := make([]string, len(faults))
	for i, f := range faults {
		messages[i] = f.Message
		if len(f.Pointer) > 0 {
			messages[i] = "input " + strings.Join(f.Pointer, ".") + ": " + f.Message
		}
	}
	return bound, &InputError{Workflow: w.id, Messages: messages}
}

// check fills in defaults and addresses, and tells how the inputs break the schema.
func (w *workflow) check(given value.Value, addresses map[string]string) (bound value.Value, faults []schema.Fault) {
	if w.inputs.schema == nil {
		return given, nil
	}
	given = w.fillCallbacks(given, addresses)
	bound = schema.ApplyDefaults(w.inputs.root, w.inputs.pointer, given)
	return bound, w.inputs.schema.Validate(bound)
}

// InputNames lists the inputs that the plan's workflows declare, sorted.
func (p *Plan) InputNames() []string {
	var names []string
	for _, w := range p.given {
		names = append(names, w.inputs.declared...)
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// InputSchema gives the schema of a declared input, of the first workflow that
// declares it; Absent where none does or it says nothing.
func (p *Plan) InputSchema(name string) value.Value {
	for _, w := range p.given {
		if s := w.inputSchema(name); s != nil {
			return s.Value()
		}
	}
	return value.Absent
}

// inputSchema finds the schema of an input: of what applies to it the part that
// names a type, else the first; nil where there is none.
func (w *workflow) inputSchema(name string) *arazzo.Node {
	var found *arazzo.Node
	w.eachSchema(w.model.Inputs, func(schema *arazzo.Node) {
		w.eachSchema(schema.Get("properties").Get(name), func(part *arazzo.Node) {
			if found == nil || found.Get("type") == nil && part.Get("type") != nil {
				found = part
			}
		})
	})
	return found
}

// CheckInputs tells whether a run with these inputs can begin: a *InputError
// says why not.
func (p *Plan) CheckInputs(given value.Value) error {
	_, err := p.bind(given)
	return err
}

// bindings are the inputs of a run as each workflow takes them that runs with them,
// before any address of a callback is known.
type bindings map[*workflow]value.Value

func (p *Plan) bind(given value.Value) (bindings, error) {
	all := make(bindings, len(p.given))
	for _, w := range p.given {
		bound, err := w.bind(w.ownInputs(given), nil)
		if err != nil {
			return nil, err
		}
		all[w] = bound
	}
	return all, nil
}

// ownInputs picks the inputs that the workflow declares; all, where it declares none.
func (w *workflow) ownInputs(given value.Value) value.Value {
	if len(w.inputs.declared) == 0 {
		return given
	}
	var own []value.Member
	for _, m := range given.Members() {
		if slices.Contains(w.inputs.declared, m.Name) || !w.closed() {
			own = append(own, m)
		}
	}
	return value.Object(own...)
}

// closed tells whether the workflow's schema leaves no room for undeclared
// inputs: another workflow of the document may want them.
func (w *workflow) closed() bool {
	closed := false
	w.eachSchema(w.model.Inputs, func(schema *arazzo.Node) {
		for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
			if rest := schema.Get(keyword); rest != nil && rest.Kind == value.KindBool && rest.Text == "false" {
				closed = true
			}
		}
	})
	return closed
}

// eachSchema visits a schema of the workflow and all that applies to the same
// value: what it refers to in the document, and what it is composed of.
func (w *workflow) eachSchema(schema *arazzo.Node, visit func(*arazzo.Node)) {
	seen := map[*arazzo.Node]bool{}
	for open := []*arazzo.Node{schema}; len(open) > 0; {
		at := open[0]
		open = open[1:]
		if at == nil || seen[at] {
			continue
		}
		seen[at] = true
		visit(at)
		if ref := at.Get("$ref"); ref != nil && ref.Kind == value.KindString {
			open = append(open, w.set.Document.SchemaReference(w.model, ref.Text))
		}
		for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
			if list := at.Get(keyword); list != nil {
				open = append(open, list.Items...)
			}
		}
		for _, keyword := range []string{"if", "then", "else"} {
			open = append(open, at.Get(keyword))
		}
	}
}
