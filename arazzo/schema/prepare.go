package schema

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// prepare changes a document, made of the types that encoding/json decodes to,
// where the library would not do right by it:
//   - A pattern that Go's regexp cannot read but ECMA-262 can is set aside for
//     patternKeyword.
//   - A reference to an anchor becomes one by JSON Pointer: the library finds
//     anchors only beneath places that it has been to, which in a document that
//     is no schema itself may be none.
func prepare(uri string, root any) {
	p := preparer{uri: uri, anchors: make(map[anchor]value.Pointer)}
	p.collect(root, nil, "")
	p.change(root, nil, "")
}

type preparer struct {
	uri     string
	anchors map[anchor]value.Pointer
}

// anchor is the name of a place within the resource that begins at a pointer:
// an $id begins a resource of its own (JSON Schema 2020-12, section 8.2.1).
type anchor struct{ resource, name string }

// collect notes the anchors at and beneath a place.
func (p *preparer) collect(v any, at value.Pointer, resource string) {
	if object, ok := v.(map[string]any); ok {
		resource = resourceOf(object, at, resource)
		if name, ok := object["$anchor"].(string); ok {
			p.anchors[anchor{resource, name}] = append(value.Pointer(nil), at...)
		}
	}
	eachChild(v, at, func(child any, at value.Pointer) { p.collect(child, at, resource) })
}

// change changes what is at and beneath a place.
func (p *preparer) change(v any, at value.Pointer, resource string) {
	if object, ok := v.(map[string]any); ok {
		resource = resourceOf(object, at, resource)
		if reference, ok := object["$ref"].(string); ok && strings.HasPrefix(reference, "#") {
			if place, ok := p.anchors[anchor{resource, reference[1:]}]; ok {
				object["$ref"] = p.uri + fragment(place)
			}
		}
		if text, ok := object["pattern"].(string); ok {
			if _, err := regexp.Compile(text); err != nil && isPattern(text) {
				delete(object, "pattern")
				object[asidePattern] = text
			}
		}
	}
	eachChild(v, at, func(child any, at value.Pointer) { p.change(child, at, resource) })
}

func resourceOf(object map[string]any, at value.Pointer, around string) string {
	if _, ok := object["$id"].(string); ok {
		return at.String()
	}
	return around
}

// eachChild visits what may be or hold schemas beneath v.
func eachChild(v any, at value.Pointer, visit func(child any, at value.Pointer)) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			visit(item, append(at, strconv.Itoa(i)))
		}
	case map[string]any:
		for name, child := range v {
			at := append(at, name)
			switch name {
			case "const", "enum", "default", "examples", "example":
				// Data, not schemas.
			case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
				eachNamed(child, at, visit)
			default:
				visit(child, at)
			}
		}
	}
}

// eachNamed visits the members of a map whose keys are names, whatever they look
// like.
func eachNamed(named any, at value.Pointer, visit func(child any, at value.Pointer)) {
	members, ok := named.(map[string]any)
	if !ok {
		visit(named, at)
		return
	}
	for name, child := range members {
		visit(child, append(at, name))
	}
}
