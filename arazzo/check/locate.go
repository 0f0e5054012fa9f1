package check

import (
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// dialect is the kind of schema that a description is written in.
type dialect uint8

const (
	swagger  dialect = iota // Swagger 2.0
	openAPI3                // OpenAPI 3.0
	draft202012
	foreign // a dialect that is not understood
)

// dialectOf reads the dialect of a description off its root.
func dialectOf(root value.Value) dialect {
	switch version := root.Get("openapi").Text(); {
	case !root.Get("swagger").IsAbsent():
		return swagger
	case strings.HasPrefix(version, "3.0"):
		return openAPI3
	}
	named, ok := root.Get("jsonSchemaDialect").Str()
	if ok && !isKnownDialect(named) {
		return foreign
	}
	return draft202012
}

// isKnownDialect tells whether a URI names JSON Schema 2020-12 or OpenAPI's
// extension of it, which adds nothing that is asserted.
func isKnownDialect(uri string) bool {
	return strings.HasPrefix(uri, "https://json-schema.org/draft/2020-12/") ||
		strings.HasPrefix(uri, "https://spec.openapis.org/oas/3.")
}

// operation is an operation as written.
type operation struct {
	dialect dialect
	item    cursor // the path item
	at      cursor
}

// written finds an operation in its description; false where that is not at hand.
func written(op *source.Operation) (operation, bool) {
	pointer, err := value.ParsePointer(op.Pointer)
	if op.Written == nil || err != nil || len(pointer) == 0 {
		return operation{}, false
	}
	files := &reading{Written: op.Written, left: maxSteps}
	root := top(files, op.Written.Root())
	above := pointer[:len(pointer)-1]
	if len(above) > 0 && above[len(above)-1] == "additionalOperations" {
		above = above[:len(above)-1]
	}
	o := operation{dialect: dialectOf(root.value), item: root.walk(above...), at: root.walk(pointer...)}
	return o, !o.at.isAbsent()
}

// responseBody finds the schema of a response's representation.
func (o operation) responseBody(r *source.Response, m *source.MediaType) cursor {
	response := o.at.walk("responses", r.Status).resolved()
	if o.dialect == swagger {
		return response.step("schema")
	}
	return response.walk("content", m.Type, "schema")
}

// responseHeader finds the schema of a response's header.
func (o operation) responseHeader(r *source.Response, h *source.Parameter) cursor {
	return o.ofParameter(o.at.walk("responses", r.Status, "headers", h.Name).resolved())
}

// requestBody finds the schema of a request's representation.
func (o operation) requestBody(m *source.MediaType) cursor {
	if o.dialect == swagger {
		return o.find(func(v value.Value) bool { return v.Get("in").Text() == "body" }).step("schema")
	}
	return o.at.walk("requestBody", "content", m.Type, "schema")
}

// parameter finds the schema of a parameter.
func (o operation) parameter(p *source.Parameter) cursor {
	return o.ofParameter(o.find(func(v value.Value) bool {
		return v.Get("name").Text() == p.Name && v.Get("in").Text() == p.In
	}))
}

// find gives the last fitting parameter, the operation's own before the path item's.
func (o operation) find(fits func(value.Value) bool) cursor {
	for _, list := range []cursor{o.at.step("parameters"), o.item.step("parameters")} {
		for i := list.value.Len() - 1; i >= 0; i-- {
			if p := list.in(strconv.Itoa(i)).resolved(); fits(p.value) {
				return p
			}
		}
	}
	return cursor{}
}

// ofParameter finds the schema in a parameter or header, which in Swagger 2.0 is
// a schema itself.
func (o operation) ofParameter(p cursor) cursor {
	if o.dialect == swagger {
		return p
	}
	if content := p.step("content").value.Members(); len(content) > 0 {
		return p.walk("content", content[0].Name, "schema")
	}
	return p.step("schema")
}
