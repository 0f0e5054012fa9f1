package executor

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/internal/spelling"
)

// refuseUndeclared refuses each reference of a workflow to a name that nothing
// declares: it would be absent in every run, and what was to be sent would be left
// out without a word. A name that is declared and has no value yet is absent.
func (c *compiler) refuseUndeclared(w *workflow) {
	shared := w.ownUses()
	for _, s := range w.steps {
		c.refuseHandedOn(w, s)
		for _, use := range s.allUses() {
			c.refuseUse(w, s, use)
		}
		shared = append(shared, s.sharedUses()...)
	}
	for _, use := range shared {
		c.refuseUse(w, nil, use)
	}
}

// refuseHandedOn refuses what a step or action gives to a workflow whose schema cannot
// take it: it would fail at each call.
func (c *compiler) refuseHandedOn(w *workflow, s *step) {
	refuse := func(what string, node *arazzo.Node, to *workflow, arguments []argument) {
		for _, a := range arguments {
			if to == nil || a.shared {
				continue
			}
			if no := to.undeclaredInput(to.model, a.name); no != "" {
				c.refuse(w.set, node, "%s: %s", what, no)
			}
		}
	}
	if s.kind == callsWorkflow {
		refuse(fmt.Sprintf("step %q", s.id), s.model.Node, s.target, s.arguments)
	}
	for _, act := range s.actions() {
		refuse(fmt.Sprintf("action %q", act.name), s.model.Node, act.workflow, act.arguments)
	}
}

// refuseUse refuses an expression of a step, or nil of the workflow itself.
func (c *compiler) refuseUse(w *workflow, s *step, use dynamic.Use) {
	if missing := w.undeclaredName(s, use.Expression); missing != "" {
		c.refuse(w.set, use.Node, "%s leads nowhere: %s", use.Expression.Source, missing)
	}
}

// undeclaredName tells what an expression names that nothing declares; empty where
// it may have a value.
func (w *workflow) undeclaredName(s *step, e *expression.Expression) string {
	names := w.declared()
	switch e.Root {
	case expression.Inputs:
		return w.undeclaredInput(w.model, e.Name)
	case expression.Steps:
		if w.model.Step(e.Owner) == nil {
			return absentFrom(fmt.Sprintf("workflow %q has no step", w.id), e.Owner, names.Steps)
		}
		return absentFrom(fmt.Sprintf("step %q declares no output", e.Owner), e.Name, names.StepOutputs[e.Owner])
	case expression.Workflows:
		return w.undeclaredOfWorkflow(e)
	case expression.Outputs:
		return undeclaredOutput(s, e.Name, names.Outputs)
	case expression.SourceDescriptions:
		return absentFrom("the document has no source", e.Owner, names.Sources)
	default:
		return ""
	}
}

func (w *workflow) undeclaredOfWorkflow(e *expression.Expression) string {
	names := w.declared()
	model := w.set.Document.Workflow(e.Owner)
	switch {
	case model == nil:
		return absentFrom("the document has no workflow", e.Owner, names.Workflows)
	case e.Part == expression.InputsPart:
		return w.undeclaredInput(model, e.Name)
	default:
		return absentFrom(fmt.Sprintf("workflow %q declares no output", e.Owner), e.Name, names.WorkflowOutputs[e.Owner])
	}
}

// undeclaredInput tells of an input of a workflow of the document that its schema
// does not let anybody give. Any other may be given, though it is not declared.
func (w *workflow) undeclaredInput(model *arazzo.Workflow, name string) string {
	if !inputsOf(w.set.Document, model).forbids(model.Inputs, name) {
		return ""
	}
	return absentFrom(fmt.Sprintf("the schema of workflow %q takes no input", model.WorkflowID.Value), name,
		w.set.Document.Names(model).Inputs)
}

// undeclaredOutput judges $outputs.NAME: an output of the workflow that the step
// calls, which may be one of another document.
func undeclaredOutput(s *step, name string, known []string) string {
	switch {
	case s == nil || slices.Contains(known, name):
		return ""
	case s.kind != callsWorkflow:
		return fmt.Sprintf("step %q calls no workflow that has an output %q", s.id, name)
	case s.target == nil:
		return "" // that is told already
	default:
		return absentFrom(fmt.Sprintf("workflow %q declares no output", s.target.id), name, s.target.outputNames())
	}
}

func (w *workflow) outputNames() []string {
	names := make([]string, len(w.model.Outputs))
	for i, o := range w.model.Outputs {
		names[i] = o.Name.Value
	}
	return names
}

// absentFrom says that a name is not among others, and which may have been meant;
// empty where it is among them.
func absentFrom(what, name string, among []string) string {
	if slices.Contains(among, name) {
		return ""
	}
	if near, ok := spelling.Nearest(name, among); ok {
		return fmt.Sprintf("%s %q; did you mean %q?", what, name, near)
	}
	return fmt.Sprintf("%s %q; it has %s", what, name, quotedList(among))
}

// ownUses lists the expressions that stand with the workflow and not with a step.
func (w *workflow) ownUses() []dynamic.Use {
	var all []dynamic.Use
	for _, o := range w.outputs {
		all = append(all, o.value.Uses()...)
	}
	for _, act := range w.onCancel {
		all = append(all, act.uses()...)
	}
	return all
}

// allUses lists every expression that stands with the step itself.
func (s *step) allUses() []dynamic.Use {
	all := append(s.uses(), s.state.uses()...)
	for _, a := range s.address {
		if !a.shared {
			all = append(all, a.value.Uses()...)
		}
	}
	for _, act := range s.actions() {
		if !act.shared {
			all = append(all, act.state.uses()...)
		}
	}
	return all
}

// sharedUses lists the expressions that a step has from its workflow or document.
func (s *step) sharedUses() []dynamic.Use {
	all := s.key.business.Uses()
	for _, a := range slices.Concat(s.arguments, s.address) {
		if a.shared {
			all = append(all, a.value.Uses()...)
		}
	}
	for _, act := range s.actions() {
		if act.shared {
			all = append(all, act.uses()...)
		}
	}
	return all
}

// uses lists the expressions of an action.
func (a *action) uses() []dynamic.Use {
	all := a.state.uses()
	for _, criterion := range a.criteria {
		all = append(all, criterion.Uses()...)
	}
	for _, argument := range a.arguments {
		all = append(all, argument.value.Uses()...)
	}
	return all
}

func (r *stateRule) uses() []dynamic.Use {
	if r == nil {
		return nil
	}
	return r.value.Uses()
}

// inputSchemas is a workflow's inputs schema with what it refers to.
type inputSchemas struct {
	document *arazzo.Document
	model    *arazzo.Workflow
}

func inputsOf(document *arazzo.Document, model *arazzo.Workflow) inputSchemas {
	return inputSchemas{document: document, model: model}
}

// forbids tells whether a schema can be met by no object that has a member of that
// name. Where that cannot be told from the names of its properties it says no.
func (in inputSchemas) forbids(schema *arazzo.Node, name string) bool {
	forbidden := false
	in.always(schema, func(at *arazzo.Node) {
		switch {
		case at.Get("properties").Get(name) != nil || at.Get("patternProperties") != nil:
		case isFalse(at.Get("additionalProperties")):
			forbidden = true
		case isFalse(at.Get("unevaluatedProperties")) && at.Get("additionalProperties") == nil:
			forbidden = forbidden || !in.mayKnow(at, name)
		}
	})
	return forbidden
}

// always visits a schema and what must be met with it: references and allOf.
func (in inputSchemas) always(schema *arazzo.Node, visit func(*arazzo.Node)) {
	seen := map[*arazzo.Node]bool{}
	for open := []*arazzo.Node{schema}; len(open) > 0; open = open[1:] {
		at := open[0]
		if at == nil || at.Kind != value.KindObject || seen[at] {
			continue
		}
		seen[at] = true
		visit(at)
		if ref := at.Get("$ref"); ref != nil && ref.Kind == value.KindString {
			open = append(open, in.document.SchemaReference(in.model, ref.Text))
		}
		if all := at.Get("allOf"); all != nil {
			open = append(open, all.Items...)
		}
	}
}

// mayKnow tells whether a part of a schema may evaluate a member of that name, so
// that unevaluatedProperties does not speak of it.
func (in inputSchemas) mayKnow(schema *arazzo.Node, name string) bool {
	known := false
	in.always(schema, func(at *arazzo.Node) {
		for _, m := range at.Members {
			switch m.Key.Text {
			case "properties":
				known = known || m.Value.Get(name) != nil
			case "$ref":
				known = known || in.document.SchemaReference(in.model, m.Value.Text) == nil
			case "additionalProperties", "unevaluatedProperties":
				known = known || at != schema && !isFalse(m.Value)
			case "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "patternProperties", "$dynamicRef", "$recursiveRef":
				known = true
			}
		}
	})
	return known
}

func isFalse(n *arazzo.Node) bool {
	return n != nil && n.Kind == value.KindBool && n.Text == "false"
}
