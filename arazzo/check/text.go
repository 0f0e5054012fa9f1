package check

import (
	"errors"
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
	members   []field  // of an object whose members are apart
}

// field is one member of an object that is written as text.
type field struct{ name, text string }

func (a argument) isMissing() bool { return len(a.texts) == 0 && len(a.members) == 0 }

// faultsOf tells what is wrong with an argument. unread says why that cannot be told.
func (a argument) faultsOf(s *compiled) (messages []string, unread string) {
	if a.described.AllowEmpty && len(a.texts) == 1 && a.texts[0] == "" {
		return nil, ""
	}
	readings, message := a.readings()
	if message != "" {
		return []string{message}, ""
	}
	if len(readings) == 0 {
		return nil, "it is written in a way that is not taken apart"
	}
	return bestOf(s, readings)
}

// readings gives what an argument can mean, the likeliest first; none where it is
// not taken apart. The message says what is wrong with the text itself.
func (a argument) readings() (readings []value.Value, message string) {
	if a.described.ContentType != "" {
		return a.content()
	}
	described := shapeOf(a.described.Schema)
	switch described.sole() {
	case openapi3.TypeObject:
		if fields, ok := a.fields(); ok {
			if v, ok := described.object(fields); ok {
				readings = append(readings, v)
			}
		}
	case openapi3.TypeArray:
		if v, ok := described.list(a.elements()); ok {
			readings = append(readings, v)
		}
	default:
		if !described.mayBe(openapi3.TypeArray) && !described.mayBe(openapi3.TypeObject) {
			readings = described.readings(strings.Join(a.texts, ", "))
		}
	}
	return readings, ""
}

// content reads an argument that is described by a media type.
func (a argument) content() (readings []value.Value, message string) {
	if !isJSON(a.described.ContentType) {
		return nil, ""
	}
	v, err := value.ParseJSON([]byte(strings.Join(a.texts, ",")))
	if errors.Is(err, value.ErrTooDeep) {
		return nil, ""
	}
	if err != nil {
		return nil, notJSON(err)
	}
	return []value.Value{v}, ""
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

// fields gives the members of an object: in one text they are name=value where
// they are exploded, else names and values in turn.
func (a argument) fields() ([]field, bool) {
	if len(a.members) > 0 {
		return a.members, true
	}
	var fields []field
	parts := a.elements()
	if a.described.Explode {
		for _, part := range parts {
			name, text, ok := strings.Cut(part, "=")
			if !ok {
				return nil, false
			}
			fields = append(fields, field{name, text})
		}
		return fields, true
	}
	for i := 0; i+1 < len(parts); i += 2 {
		fields = append(fields, field{parts[i], parts[i+1]})
	}
	return fields, len(parts)%2 == 0
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
