package lint

import (
	"fmt"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/specs"
)

// shapes holds the schemas of Arazzo documents, compiled when first needed.
type shapes struct{ v10, v11 shape }

// shape is the schema of a version twice: most documents have no fault, which quick
// sees several times faster, and full tells the faults of those that have.
type shape struct {
	quick func() (*schema.Quick, error)
	full  func() (*schema.Schema, error)
}

func newShapes() *shapes {
	return &shapes{v10: newShape(specs.Arazzo10ID, specs.Arazzo10), v11: newShape(specs.Arazzo11ID, specs.Arazzo11)}
}

func newShape(id string, text func() string) shape {
	resources := sync.OnceValues(func() ([]schema.Resource, error) { return shapeResources(id, text()) })
	return shape{
		quick: sync.OnceValues(func() (*schema.Quick, error) {
			all, err := resources()
			if err != nil {
				return nil, err
			}
			return schema.CompileQuick(all...)
		}),
		full: sync.OnceValues(func() (*schema.Schema, error) {
			all, err := resources()
			if err != nil {
				return nil, err
			}
			set, err := schema.NewSet(all...)
			if err != nil {
				return nil, err
			}
			return set.Compile(id, "")
		}),
	}
}

func shapeResources(id, text string) ([]schema.Resource, error) {
	var resources []schema.Resource
	for _, r := range []struct{ id, text string }{{id, text}, {specs.ExtensionsID, specs.Extensions()}} {
		root, err := value.ParseJSON([]byte(r.text))
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", r.id, err)
		}
		resources = append(resources, schema.Resource{ID: r.id, Root: root})
	}
	return resources, nil
}

// check holds a document of a known version against the schema of that version.
func (s *shapes) check(document *arazzo.Document) ([]finding, error) {
	of := s.v11
	if document.Version == arazzo.Version10 {
		of = s.v10
	}
	quick, err := of.quick()
	if err != nil {
		return nil, err
	}
	root := document.Node.Value()
	if quick.Fits(root) {
		return nil, nil
	}
	full, err := of.full()
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, fault := range full.Validate(root) {
		findings = append(findings, place(document.Node, fault))
	}
	return findings, nil
}

// place gives a fault of a schema its place in the file, its rule and its words.
func place(root *arazzo.Node, fault schema.Fault) finding {
	f := finding{ofName: fault.OfName}
	if !fault.OfName {
		f.member = fault.Property
	}
	f.Rule, f.Pointer = general, fault.Pointer.String()
	given := annotation(fault)
	if rule, ok := given.Get("rule").Str(); ok {
		f.Rule = rule
	}
	if message, ok := given.Get("message").Str(); ok {
		fault.Message = message
	}
	if strings.HasPrefix(fault.SchemaPointer, metaSchemas) && !isInputs(fault.Pointer) {
		f.Rule = inputSchemas
	}
	f.Message = words(fault)
	f.Span = spanOf(root, fault)
	return f
}

// annotation gives what the schema itself says of a fault of the keyword.
func annotation(fault schema.Fault) value.Value {
	return fault.Schema.Get("x-weft-fault").Get(fault.Keyword)
}

// inputSchemas is the rule of what is no JSON Schema within the inputs.
const inputSchemas = "input-schema-valid"

// isInputs tells whether a pointer leads to the inputs of a workflow or to one of the
// components: where these are no schema at all, the object that has them is at fault.
func isInputs(pointer value.Pointer) bool {
	n := len(pointer)
	return n > 0 && pointer[n-1] == "inputs" || n == 3 && pointer[0] == "components"
}

// metaSchemas begins the place of keywords that judge a JSON Schema as one.
const metaSchemas = "https://json-schema.org/"

// words gives the message of a fault, begun with the name of the field where the
// message does not hold it.
func words(fault schema.Fault) string {
	text := fault.Message
	if n := len(fault.Pointer); n > 0 {
		field := fault.Pointer[n-1]
		if _, isPosition := value.ArrayIndex(field); !isPosition && !mentions(text, field) && (fault.OfName || fault.Property == "") {
			text = field + ": " + text
		}
	}
	if strings.HasPrefix(fault.SchemaPointer, metaSchemas) {
		text += " (JSON Schema 2020-12)"
	}
	return text
}

// spanOf gives the place of a fault: the name of a member, else the value, else
// the nearest value around it that stands in the file.
func spanOf(root *arazzo.Node, fault schema.Fault) arazzo.Span {
	if n := len(fault.Pointer); fault.OfName && n > 0 {
		if parent := root.Lookup(fault.Pointer[:n-1]); parent != nil {
			for _, m := range parent.Members {
				if m.Key.Text == fault.Pointer[n-1] {
					return m.Key.Span
				}
			}
		}
	}
	for n := len(fault.Pointer); n > 0; n-- {
		if node := root.Lookup(fault.Pointer[:n]); node != nil {
			return node.Span
		}
	}
	return root.Span
}
