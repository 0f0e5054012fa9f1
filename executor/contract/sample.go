package contract

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// deepestSample bounds how far a schema is followed into itself.
const deepestSample = 8

// sampleInputs gives inputs for a workflow that nobody gave any for: of each property that its
// schema declares the default, the example or the first of an enum, else something of
// the right type. What Weft fills in itself (x-weft-callback) is left out.
func sampleInputs(doc *arazzo.Document, w *arazzo.Workflow) value.Value {
	root, pointer := doc.InputSchema(w)
	at, err := value.ParsePointer(pointer)
	if err != nil || root.IsAbsent() {
		return value.Object()
	}
	s := sampler{root: root}
	made := s.value(at.In(root), 0)
	if made.Kind() != value.KindObject {
		return value.Object()
	}
	return made
}

// sampler makes values for schemas of one document.
type sampler struct{ root value.Value }

func (s sampler) value(schema value.Value, depth int) value.Value {
	schema = s.follow(schema)
	if stated := statedIn(schema); !stated.IsAbsent() {
		return stated
	}
	switch typeOf(schema) {
	case "object":
		return s.object(schema, depth)
	case "array":
		if depth >= deepestSample || schema.Get("items").IsAbsent() {
			return value.Array()
		}
		return value.Array(s.value(schema.Get("items"), depth+1))
	case "integer", "number":
		if least := schema.Get("minimum"); !least.IsAbsent() {
			return least
		}
		return value.Int(1)
	case "boolean":
		return value.Bool(true)
	case "null":
		return value.Null
	default:
		return sampleText(schema)
	}
}

// follow goes where a reference within the document leads.
func (s sampler) follow(schema value.Value) value.Value {
	for range deepestSample {
		ref, ok := schema.Get("$ref").Str()
		if !ok {
			return schema
		}
		at, err := value.ParsePointer(strings.TrimPrefix(ref, "#"))
		if err != nil {
			return schema
		}
		schema = at.In(s.root)
	}
	return schema
}

func (s sampler) object(schema value.Value, depth int) value.Value {
	var members []value.Member
	if depth >= deepestSample {
		return value.Object()
	}
	for _, part := range append([]value.Value{schema}, schema.Get("allOf").Items()...) {
		for _, m := range s.follow(part).Get("properties").Members() {
			if !m.Value.Get("x-weft-callback").IsAbsent() {
				continue
			}
			members = append(members, value.Member{Name: m.Name, Value: s.value(m.Value, depth+1)})
		}
	}
	return value.Object(members...)
}

// statedIn gives the value that a schema itself states.
func statedIn(schema value.Value) value.Value {
	for _, name := range []string{"const", "default", "example"} {
		if v := schema.Get(name); !v.IsAbsent() {
			return v
		}
	}
	for _, name := range []string{"examples", "enum"} {
		if v := schema.Get(name); v.Len() > 0 && v.Kind() == value.KindArray {
			return v.At(0)
		}
	}
	return value.Absent
}

func typeOf(schema value.Value) string {
	kind := schema.Get("type")
	if kind.Kind() == value.KindArray {
		kind = kind.At(0)
	}
	switch text, ok := kind.Str(); {
	case ok:
		return text
	case !schema.Get("properties").IsAbsent() || !schema.Get("allOf").IsAbsent():
		return "object"
	case !schema.Get("items").IsAbsent():
		return "array"
	default:
		return "string"
	}
}

// sampleFormats are texts of the formats that JSON Schema names.
var sampleFormats = map[string]string{
	"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "time": "00:00:00Z",
	"uuid": "00000000-0000-4000-8000-000000000001", "email": "someone@example.com",
	"uri": "https://example.com/", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
}

func sampleText(schema value.Value) value.Value {
	if pattern, ok := schema.Get("pattern").Str(); ok {
		if text, ok := mock.Matching(pattern); ok {
			return value.String(text)
		}
	}
	format, _ := schema.Get("format").Str()
	text, known := sampleFormats[format]
	if !known {
		text = "text"
	}
	if least, ok := schema.Get("minLength").Int64(); ok && int(least) > len(text) && least <= 10_000 {
		text += strings.Repeat("x", int(least)-len(text))
	}
	if most, ok := schema.Get("maxLength").Int64(); ok && most >= 0 && int(most) < len(text) {
		text = text[:most]
	}
	return value.String(text)
}
