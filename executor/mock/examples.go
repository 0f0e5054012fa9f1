package mock

import (
	"bytes"
	"strconv"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// example is one of the examples that a description writes, with its name.
type example struct {
	name  string
	value value.Value
}

// examplesAt gives the named examples of a place in the order of the description.
func examplesAt(op *source.Operation, below ...string) []example {
	at := func(more ...string) value.Value {
		return writtenAt(op.Written, op.Pointer, append(append([]string{}, below...), more...)...)
	}
	var all []example
	for _, m := range at("examples").Members() {
		written := at("examples", m.Name)
		v := written.Get("value")
		if v.IsAbsent() {
			v = written.Get("dataValue") // its name in OpenAPI 3.2
		}
		if !v.IsAbsent() {
			all = append(all, example{m.Name, v})
		}
	}
	return all
}

// exampleOf gives the example that a description writes of content: the one, else the
// first of those with names.
func exampleOf(op *source.Operation, m *source.MediaType, below ...string) (value.Value, bool) {
	at := append(below, "content", m.Type)
	if writtenAt(op.Written, op.Pointer, append(at, "example")...).IsAbsent() {
		if all := examplesAt(op, at...); len(all) > 0 {
			return all[0].value, true
		}
	}
	return native(m.Example)
}

// question is a part of a request of which the description writes an example.
type question struct {
	parameter *source.Parameter // nil: it is the body
	media     string            // of the body, as the description writes it
	value     value.Value
}

// questions gives the examples of an operation's requests by their names.
func questions(op *source.Operation) map[string][]question {
	all := map[string][]question{}
	if op.Body != nil {
		for _, m := range op.Body.Content {
			for _, e := range examplesAt(op, "requestBody", "content", m.Type) {
				all[e.name] = append(all[e.name], question{media: m.Type, value: e.value})
			}
		}
	}
	for i, written := range writtenAt(op.Written, op.Pointer, "parameters").Items() {
		at := []string{"parameters", strconv.Itoa(i)}
		if written.Get("$ref").Kind() == value.KindString {
			written = writtenAt(op.Written, op.Pointer, at...)
		}
		p := op.Parameter(written.Get("name").Text(), written.Get("in").Text())
		if p == nil {
			continue
		}
		for _, e := range examplesAt(op, at...) {
			all[e.name] = append(all[e.name], question{parameter: p, value: e.value})
		}
	}
	return all
}

// asks tells whether a request asks what the examples of a name ask.
func (in *incoming) asks(name string) bool {
	questions := in.route.described().questions[name]
	for _, q := range questions {
		if !in.holds(q) {
			return false
		}
	}
	return len(questions) > 0
}

func (in *incoming) holds(q question) bool {
	if q.parameter == nil {
		if in.media == nil || in.media.Type != q.media {
			return true // it is about another form of the body
		}
		return bytes.Equal(value.AppendJCS(nil, in.body), value.AppendJCS(nil, q.value))
	}
	var text string
	switch q.parameter.In {
	case "path":
		text = in.params[q.parameter.Name]
	case "query":
		text = in.query.Get(q.parameter.Name)
	case "header":
		text = in.header.Get(q.parameter.Name)
	default:
		return true
	}
	return text == q.value.Text()
}
