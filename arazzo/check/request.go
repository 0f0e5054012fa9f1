package check

import (
	"maps"
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
	if unread == "" && a.isMissing() {
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
		a.texts, a.separator = valuesOf(request.Header, p.Name), separatorOf(p.Style)
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
	a.texts = request.Query[p.Name]
	switch {
	case p.ContentType != "":
	case p.Style == openapi3.SerializationDeepObject:
		a.texts = nil
		return a, request.deepMembers(&a)
	case p.Explode && shapeOf(p.Schema).sole() == openapi3.TypeObject:
		a.texts = nil
		return a, request.members(&a)
	case p.Explode:
		a.separator = ""
	default:
		a.separator = separatorOf(p.Style)
	}
	return a, ""
}

// separatorOf gives what stands between the elements of a list.
func separatorOf(style string) string {
	switch style {
	case openapi3.SerializationSpaceDelimited:
		return " "
	case openapi3.SerializationPipeDelimited:
		return "|"
	case source.StyleTab:
		return "\t"
	default:
		return ","
	}
}

// deepMembers finds the members that are written as name[member].
func (request Request) deepMembers(a *argument) (unread string) {
	for _, key := range slices.Sorted(maps.Keys(request.Query)) {
		name, ok := strings.CutPrefix(key, a.described.Name+"[")
		if !ok {
			continue
		}
		name, ok = strings.CutSuffix(name, "]")
		if !ok || strings.ContainsAny(name, "[]") || len(request.Query[key]) != 1 {
			return "objects within objects are not taken apart"
		}
		a.members = append(a.members, field{name, request.Query[key][0]})
	}
	return ""
}

// members finds the members that are parameters of their own.
func (request Request) members(a *argument) (unread string) {
	names := shapeOf(a.described.Schema).propertyNames()
	for _, name := range names {
		switch texts := request.Query[name]; len(texts) {
		case 0:
		case 1:
			a.members = append(a.members, field{name, texts[0]})
		default:
			return "objects with lists in them are not taken apart"
		}
	}
	if len(names) == 0 {
		return "an object whose members are not described is not taken apart"
	}
	return ""
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
		read, ok := formValue(form, shapeOf(media.Schema), media)
		if !ok {
			r.skip("a form whose members are written in a way that is not taken apart is not held against its schema")
			return
		}
		v = read
	}
	r.body(schemaOf(), v)
}

// formValue reads a form by the types of its properties; false where members
// can mean several things.
func formValue(form url.Values, s shape, media *source.MediaType) (value.Value, bool) {
	var members []value.Member
	var fields []field
	for _, name := range slices.Sorted(maps.Keys(form)) {
		texts := form[name]
		if property := s.property(name); property.sole() == openapi3.TypeArray {
			if e := media.Encoding[name]; e != nil && len(texts) == 1 {
				if separator, ok := e.Extensions[source.SeparatorKey].(string); ok {
					texts = strings.Split(texts[0], separator)
				}
			}
			list, ok := property.list(texts)
			if !ok {
				return value.Absent, false
			}
			members = append(members, value.Member{Name: name, Value: list})
			continue
		}
		if len(texts) > 1 {
			return value.Absent, false
		}
		fields = append(fields, field{name, texts[0]})
	}
	v, ok := s.object(fields)
	return value.Object(append(members, v.Members()...)...), ok
}
