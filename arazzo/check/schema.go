package check

import (
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// Schema is a schema where its description writes it, for those who reason about
// values that are not at hand. The zero Schema is not there.
//
// All that come of one another share a limit on how far they are followed, and
// are for one goroutine at a time.
type Schema struct {
	of   *source.Operation
	at   cursor
	kind dialect
	side side
}

// RequestSchema gives the schema of a request's representation.
func RequestSchema(op *source.Operation, m *source.MediaType) Schema {
	return schemaAt(op, inRequest, func(o operation) cursor { return o.requestBody(m) })
}

// ParameterSchema gives the schema of a request's parameter.
func ParameterSchema(op *source.Operation, p *source.Parameter) Schema {
	return schemaAt(op, inRequest, func(o operation) cursor { return o.parameter(p) })
}

// ResponseSchema gives the schema of a response's representation.
func ResponseSchema(op *source.Operation, r *source.Response, m *source.MediaType) Schema {
	return schemaAt(op, inResponse, func(o operation) cursor { return o.responseBody(r, m) })
}

func schemaAt(op *source.Operation, s side, find func(operation) cursor) Schema {
	o, ok := written(op)
	if !ok {
		return Schema{}
	}
	at := find(o)
	if at.isAbsent() {
		return Schema{}
	}
	return Schema{of: op, at: at, kind: o.dialect, side: s}
}

// Value gives the schema as it is written; absent where there is none.
func (s Schema) Value() value.Value { return s.at.value }

// Place tells where it stands.
func (s Schema) Place() source.Place { return s.at.place }

// In gives the schema that stands beneath some keywords and names.
func (s Schema) In(tokens ...string) Schema {
	s.at = s.at.in(tokens...)
	return s
}

// Follow gives the schema that the $ref leads to; false where there is none, or
// it leads nowhere.
func (s Schema) Follow() (Schema, bool) {
	target, ok := s.at.follow()
	s.at = target
	return s, ok
}

// RefAlone tells that of a schema with a $ref nothing else counts.
func (s Schema) RefAlone() bool { return s.kind != draft202012 }

// Nullable tells whether the schema allows null besides what it says else, as
// before JSON Schema 2020-12.
func (s Schema) Nullable() bool {
	keyword := "nullable"
	switch s.kind {
	case draft202012, foreign:
		return false
	case swagger:
		keyword = "x-nullable"
	}
	is, _ := s.at.value.Get(keyword).Bool()
	return is
}

// IsForeign tells that the schema is of a dialect that is not understood, or was
// not found.
func (s Schema) IsForeign() bool {
	return s.kind == foreign || !s.at.value.Get(source.UnresolvedKey).IsAbsent()
}

// IsExempt tells whether a property that the schema here describes need not be
// there, since the other side writes it.
func (s Schema) IsExempt(property string) bool {
	left := maxExempted
	e := exemption{side: s.side}
	return e.isExempt(s.at.in("properties", property), &left)
}

// placeKey tells schemas of one description apart.
type placeKey struct {
	written *source.Written
	side    side
	place   string
}

// Against holds a value against a schema. The pointers of its findings begin at
// the value.
func (c *Checker) Against(s Schema, v value.Value) Result {
	var r Result
	if s.at.isAbsent() {
		r.skip("there is no schema")
		return r
	}
	key := placeKey{s.of.Written, s.side, s.at.place.String()}
	r.body(c.of(key, s.of, s.side, func(operation) cursor { return s.at }), v)
	return r
}

// Text holds the text that is given for a parameter of a request against its
// description. One that is given for an array is an element, or several of them
// joined in whatever way there is.
func (c *Checker) Text(op *source.Operation, p *source.Parameter, text string) Result {
	var r Result
	if p.Schema == nil {
		return r
	}
	s := c.of(p, op, inRequest, func(o operation) cursor { return o.parameter(p) })
	var faults []string
	for i, separator := range separators {
		a := argument{described: p, separator: separator, texts: []string{text}}
		messages, unread := a.faultsOf(s)
		if unread != "" {
			r.skip("%s parameter %s: %s", p.In, p.Name, unread)
		}
		if len(messages) == 0 {
			return r
		}
		if i == 0 {
			faults = messages
		}
	}
	for _, message := range faults {
		r.find(Finding{Kind: Parameter, Name: p.Name, In: p.In, Message: message})
	}
	return r
}

// separators are what may stand between the elements of an array; the first: it
// is a single element.
var separators = []string{"", ",", " ", "|"}

// IsJSON tells whether a media type is JSON (RFC 6839, section 3.1).
func IsJSON(mediaType string) bool { return isJSON(mediaType) }
