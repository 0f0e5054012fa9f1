package check

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// argument is the text of one header or parameter.
type argument struct {
	described *source.Parameter
	texts     []string // as they stand; an array that is exploded has one each
	separator string   // between the elements of an array within a text; empty: they are apart
}

// faultsOf tells what is wrong with an argument. unread says why that cannot be told.
func (a argument) faultsOf(s *compiled) (messages []string, unread string) {
	described := shapeOf(a.described.Schema)
	var readings []value.Value
	switch {
	case a.described.ContentType != "":
		if !isJSON(a.described.ContentType) {
			return nil, "a value of " + shortType(a.described.ContentType) + " is not held against its schema"
		}
		v, err := value.ParseJSON([]byte(strings.Join(a.texts, ",")))
		if err != nil {
			return []string{"not JSON: " + strings.TrimPrefix(err.Error(), "JSON: ")}, ""
		}
		readings = []value.Value{v}
	case described.mayBe(openapi3.TypeObject):
		return nil, "an object that is written as text is not held against its schema"
	case described.is(openapi3.TypeArray):
		readings = described.list(a.elements())
	case described.mayBe(openapi3.TypeArray):
		return nil, "a value that may be an array or something else is not held against its schema"
	default:
		readings = described.readings(strings.Join(a.texts, ", "))
	}
	return bestOf(s, readings)
}

func (a argument) elements() []string {
	if a.separator == "" {
		return a.texts
	}
	var all []string
	for _, text := range a.texts {
		for part := range strings.SplitSeq(text, a.separator) {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

// bestOf gives the faults of the likeliest reading, none where any reading fits.
func bestOf(s *compiled, readings []value.Value) (messages []string, unread string) {
	for i, v := range readings {
		faults, gaps := s.check(v)
		if len(faults) == 0 {
			if len(gaps) > 0 {
				unread = gaps[0].String()
			}
			return nil, unread
		}
		if i == 0 {
			messages = messagesOf(faults)
		}
	}
	return messages, ""
}

func messagesOf(faults []schema.Fault) []string {
	var messages []string
	for _, fault := range faults {
		message := fault.Message
		if len(fault.Pointer) > 0 {
			message = "at " + fault.Pointer.String() + ": " + message
		}
		messages = append(messages, message)
	}
	return messages
}

// unseen are the headers that are described elsewhere, or of which a client or
// server learns only what the connection leaves of them.
var unseen = []string{"content-type", "content-encoding", "content-length", "transfer-encoding", "connection", "trailer"}

func (c *Checker) responseHeaders(r *Result, op *source.Operation, described *source.Response, header map[string][]string) {
	for _, h := range described.Headers {
		if slices.Contains(unseen, strings.ToLower(h.Name)) {
			continue
		}
		texts := valuesOf(header, h.Name)
		if len(texts) == 0 {
			if h.Required {
				r.find(Finding{Kind: Header, Name: h.Name, Message: "required and missing"})
			}
			continue
		}
		if h.Schema == nil || strings.EqualFold(h.Name, "set-cookie") {
			continue
		}
		s := c.of(h, op, inResponse, func(o operation) cursor { return o.responseHeader(described, h) })
		messages, unread := argument{described: h, texts: texts, separator: ","}.faultsOf(s)
		for _, message := range messages {
			r.find(Finding{Kind: Header, Name: h.Name, Message: message})
		}
		if unread != "" {
			r.skip("header %s: %s", h.Name, unread)
		}
	}
}

// valuesOf gives the lines of a header, whatever the case of its name.
func valuesOf(header map[string][]string, name string) []string {
	if values, ok := header[name]; ok {
		return values
	}
	for known, values := range header {
		if strings.EqualFold(known, name) {
			return values
		}
	}
	return nil
}
