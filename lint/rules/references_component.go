package rules

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

func asError[T error](err error, target *T) bool { return errors.As(err, target) }

// brokenReference is a Reusable Object whose reference leads nowhere.
type brokenReference struct {
	text arazzo.Text
	kind string // what is needed there
	err  error
}

func brokenReferences(d *lint.Document) []brokenReference {
	var all []brokenReference
	parameters := func(list []*lint.Parameter) {
		for _, p := range list {
			if p.Err != nil && isText(p.Written.Reference) {
				all = append(all, brokenReference{p.Written.Reference, arazzo.KindParameters, p.Err})
			}
		}
	}
	for _, w := range d.Workflows {
		parameters(w.Parameters)
		for _, s := range w.Steps {
			parameters(s.Own.Parameters)
		}
	}
	for _, a := range d.Actions() {
		if a.Err != nil && isText(a.Written.Reference) {
			all = append(all, brokenReference{a.Written.Reference, a.Kind, a.Err})
		}
		parameters(a.Parameters)
	}
	return all
}

// otherKind tells whether a reference names a component of another kind than the
// one that is needed.
func (r brokenReference) otherKind(d *lint.Document) bool {
	return d.Component(r.text.Value) != nil && !strings.HasPrefix(r.text.Value, "$components."+r.kind+".")
}

func checkComponentsExist(p *lint.Pass) {
	for _, r := range brokenReferences(p.Document) {
		if r.otherKind(p.Document) {
			continue
		}
		f := lint.Finding{At: lint.At(r.text.Node), Message: r.err.Error()}
		if meant, ok := asExpression(p.Document, r.text.Value); ok {
			f.Message = fmt.Sprintf("a component is referred to as %s, not by a JSON Pointer", meant)
			f.Fixes = p.Replace(r.text.Node, 0, len(r.text.Value), meant, "write "+meant)
		}
		p.Report(f)
	}
	for _, use := range p.Uses() {
		e := use.Expression
		if e.Root == expression.Components && p.Component("$components."+e.Owner+"."+e.Name) == nil {
			p.Reportf(use.Place(), "no component %s among %s%s", quote(e.Name), e.Owner,
				p.DidYouMean(e.Name, memberNames(p.Model.Components.Node.Get(e.Owner)), e.Owner))
		}
	}
}

// asExpression gives the expression for a component that is named by a JSON
// Pointer; ok is false where the text is none, or leads nowhere.
func asExpression(d *lint.Document, text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "#/components/")
	kind, name, two := strings.Cut(rest, "/")
	meant := "$components." + kind + "." + name
	return meant, ok && two && d.Component(meant) != nil
}

func checkComponentKinds(p *lint.Pass) {
	for _, r := range brokenReferences(p.Document) {
		if r.otherKind(p.Document) {
			p.Report(lint.Finding{
				At:      lint.At(r.text.Node),
				Message: r.err.Error(),
				Related: []lint.Related{lint.See(p.Component(r.text.Value), "the component")},
			})
		}
	}
	for _, w := range p.Model.Workflows {
		checkSchemaKinds(p, w.Inputs)
	}
	for _, in := range p.Model.Components.Inputs {
		checkSchemaKinds(p, in.Value)
	}
}

// checkSchemaKinds reports a $ref of a schema that leads to a component which is no
// schema.
func checkSchemaKinds(p *lint.Pass, schema *arazzo.Node) {
	eachSchema(schema, func(n *arazzo.Node) {
		ref := n.Get("$ref")
		if ref == nil || ref.Kind != value.KindString || hasID(n) {
			return
		}
		kind, name, ok := strings.Cut(strings.TrimPrefix(unescaped(ref.Text), "#/components/"), "/")
		if !ok || kind == "inputs" || !isComponentKind(kind) || strings.Contains(name, "/") {
			return
		}
		if component := p.Component("$components." + kind + "." + name); component != nil {
			p.Report(lint.Finding{
				At:      lint.At(ref),
				Message: fmt.Sprintf("a schema is needed here, and %s is one of %s; schemas are among inputs", quote(name), kind),
				Related: []lint.Related{lint.See(component, "the component")},
			})
		}
	})
}

func checkRefs(p *lint.Pass) {
	for _, w := range p.Workflows {
		checkSchemaRefs(p, w.Model, w.Model.Inputs)
	}
	// References of components do not depend on the workflow that they are used in.
	none := &arazzo.Workflow{}
	for _, in := range p.Model.Components.Inputs {
		checkSchemaRefs(p, none, in.Value)
	}
}

func checkSchemaRefs(p *lint.Pass, w *arazzo.Workflow, schema *arazzo.Node) {
	eachSchema(schema, func(n *arazzo.Node) {
		ref := n.Get("$ref")
		if ref == nil || ref.Kind != value.KindString {
			return
		}
		fragment, local := strings.CutPrefix(ref.Text, "#")
		switch {
		case strings.HasPrefix(ref.Text, "$components.inputs."):
			reportComponentRef(p, ref)
		case !local || fragment != "" && fragment[0] != '/' || p.Model.SchemaReference(w, ref.Text) != nil || hasID(n):
		default:
			f := lint.Finding{At: lint.At(ref), Message: quote(ref.Text) + " leads to nothing in this document"}
			if name, ok := strings.CutPrefix(unescaped(fragment), "/components/inputs/"); ok {
				f.Message += p.DidYouMean(name, inputComponents(p.Model), "components of inputs")
			}
			p.Report(f)
		}
	})
}

// reportComponentRef reports a $ref that is written as an expression.
func reportComponentRef(p *lint.Pass, ref *arazzo.Node) {
	meant := "#/components/inputs/" + strings.TrimPrefix(ref.Text, "$components.inputs.")
	p.Report(lint.Finding{
		At:      lint.At(ref),
		Message: "a $ref is a URI reference, not a runtime expression; write " + meant,
		Fixes:   p.Write(ref, meant, "write "+meant),
	})
}

func memberNames(n *arazzo.Node) []string {
	if n == nil {
		return nil
	}
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Key.Text)
	}
	return names
}

func inputComponents(d *arazzo.Document) []string {
	var names []string
	for _, in := range d.Components.Inputs {
		names = append(names, in.Name.Value)
	}
	return names
}

func unescaped(fragment string) string {
	if text, err := url.PathUnescape(fragment); err == nil {
		return text
	}
	return fragment
}

// hasID tells whether a schema around n has an identity of its own, against which
// its references resolve.
func hasID(n *arazzo.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Get("$id") != nil {
			return true
		}
	}
	return false
}

// subschemas are the keywords of JSON Schema 2020-12 whose value is a schema, a
// list of schemas, or, for those that are true, a mapping of them.
var subschemas = map[string]bool{
	"allOf": false, "anyOf": false, "oneOf": false, "not": false, "if": false, "then": false, "else": false,
	"items": false, "prefixItems": false, "contains": false, "additionalProperties": false,
	"propertyNames": false, "unevaluatedItems": false, "unevaluatedProperties": false, "contentSchema": false,
	"properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true, "definitions": true,
}

// eachSchema calls visit for a schema and all schemas in it.
func eachSchema(schema *arazzo.Node, visit func(*arazzo.Node)) {
	if schema == nil || schema.Kind != value.KindObject {
		return
	}
	visit(schema)
	for _, m := range schema.Members {
		named, known := subschemas[m.Key.Text]
		switch {
		case !known:
		case named:
			for _, member := range m.Value.Members {
				eachSchema(member.Value, visit)
			}
		case m.Value.Kind == value.KindArray:
			for _, item := range m.Value.Items {
				eachSchema(item, visit)
			}
		default:
			eachSchema(m.Value, visit)
		}
	}
}
