package check

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// Request is what a client sends.
type Request struct {
	Path   map[string]string // the template's parameters, decoded
	Query  url.Values
	Header http.Header
	Body   []byte
	// Value is the body where the caller has it as a value; else absent.
	Value value.Value
}

// Request checks a request by the description of its operation.
func (c *Checker) Request(op *source.Operation, request Request) Result {
	var r Result
	for _, p := range op.Params {
		c.requestParameter(&r, op, p, request)
	}
	c.requestBody(&r, op, request)
	return r
}

// elsewhere are the headers that are described elsewhere (OpenAPI, Parameter Object).
var elsewhere = []string{"accept", "content-type", "authorization"}

func (c *Checker) requestParameter(r *Result, op *source.Operation, p *source.Parameter, request Request) {
	if p.In == openapi3.ParameterInHeader && slices.Contains(elsewhere, strings.ToLower(p.Name)) {
		return
	}
	a, unread := request.argument(p)
	if unread == "" && len(a.texts) == 0 {
		if p.Required {
			r.find(Finding{Kind: Parameter, Name: p.Name, In: p.In, Message: "required and missing"})
		}
		return
	}
	var messages []string
	if unread == "" && p.Schema != nil {
		s := c.of(p, op, inRequest, func(o operation) cursor { return o.parameter(p) })
		messages, unread = a.faultsOf(s)
	}
	for _, message := range messages {
		r.find(Finding{Kind: Parameter, Name: p.Name, In: p.In, Message: message})
	}
	if unread != "" {
		r.skip("%s parameter %s: %s", p.In, p.Name, unread)
	}
}

// argument finds the text of a parameter. unread says why it is not taken apart.
func (request Request) argument(p *source.Parameter) (a argument, unread string) {
	a = argument{described: p, separator: ","}
	switch p.In {
	case openapi3.ParameterInPath:
		text, ok := request.Path[p.Name]
		if !ok {
			return a, ""
		}
		a.texts = []string{text}
		if p.ContentType == "" && p.Style != "" && p.Style != openapi3.SerializationSimple {
			return a, "the style " + p.Style + " is not taken apart"
		}
	case openapi3.ParameterInQuery:
		return request.query(a)
	case openapi3.ParameterInHeader:
		a.texts = valuesOf(request.Header, p.Name)
	case openapi3.ParameterInCookie:
		for _, c := range (&http.Request{Header: request.Header}).Cookies() {
			if c.Name == p.Name {
				a.texts = append(a.texts, c.Value)
			}
		}
	default:
		return a, "parameters in " + p.In + " are not taken apart"
	}
	return a, ""
}

func (request Request) query(a argument) (argument, string) {
	p := a.described
	if p.ContentType == "" && shapeOf(p.Schema).mayBe(openapi3.TypeObject) {
		return a, "an object that is written as text is not held against its schema"
	}
	a.texts = request.Query[p.Name]
	switch {
	case p.Explode:
		a.separator = ""
	case p.Style == openapi3.SerializationSpaceDelimited:
		a.separator = " "
	case p.Style == openapi3.SerializationPipeDelimited:
		a.separator = "|"
	}
	return a, ""
}

func (c *Checker) requestBody(r *Result, op *source.Operation, request Request) {
	if op.Body == nil {
		return
	}
	if len(request.Body) == 0 && request.Value.IsAbsent() {
		if op.Body.Required {
			r.find(Finding{Kind: Body, Message: "required and missing"})
		}
		return
	}
	if len(op.Body.Content) == 0 {
		return
	}
	contentType := request.Header.Get("Content-Type")
	media := op.MediaType(contentType)
	if media == nil {
		r.find(Finding{Kind: MediaType, Message: notDescribed(contentType, op.Body.Content)})
		return
	}
	schemaOf := func() *compiled {
		return c.of(media, op, inRequest, func(o operation) cursor { return o.requestBody(media) })
	}
	if essence(contentType) == "application/x-www-form-urlencoded" {
		r.form(media, request, schemaOf)
		return
	}
	r.content(media, contentType, request.Body, request.Value, schemaOf)
}

// form checks a body of application/x-www-form-urlencoded.
func (r *Result) form(media *source.MediaType, request Request, schemaOf func() *compiled) {
	if media.Schema == nil {
		return
	}
	v := request.Value
	if v.IsAbsent() {
		form, err := url.ParseQuery(string(request.Body))
		if err != nil {
			r.find(Finding{Kind: Body, Message: "no form: a percent sign that escapes nothing, or a semicolon"})
			return
		}
		read, ok := formValue(form, shapeOf(media.Schema))
		if !ok {
			r.skip("a form with objects in it is not held against its schema")
			return
		}
		v = read
	}
	r.body(schemaOf(), v)
}

// formValue reads a form by the types of its properties; false where it has
// members that are written in a way that is not taken apart.
func formValue(form url.Values, s shape) (value.Value, bool) {
	var members []value.Member
	for name, texts := range form {
		property := s.property(name)
		var v value.Value
		switch {
		case property.mayBe(openapi3.TypeObject):
			return value.Absent, false
		case property.mayBe(openapi3.TypeArray):
			v = property.list(texts)[0]
		default:
			v = property.readings(texts[0])[0]
		}
		members = append(members, value.Member{Name: name, Value: v})
	}
	return value.Object(members...), true
}
