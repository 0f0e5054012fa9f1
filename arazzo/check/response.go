package check

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// Response is what a server answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte // whole, without a content coding that Coding knows
	// Value is the body where the caller has read it as JSON; else absent.
	Value value.Value
}

// Response checks a response by the description of its operation.
func (c *Checker) Response(op *source.Operation, response Response) Result {
	var r Result
	if len(op.Responses) == 0 {
		return r
	}
	described := op.Response(response.Status)
	if described == nil {
		r.find(Finding{Kind: Status, Message: fmt.Sprintf("the status %d is not described; %s", response.Status, statuses(op))})
		return r
	}
	c.responseHeaders(&r, op, described, response.Header)
	c.responseBody(&r, op, described, response)
	return r
}

func statuses(op *source.Operation) string {
	names := make([]string, len(op.Responses))
	for i, described := range op.Responses {
		names[i] = described.Status
	}
	return "described are " + strings.Join(names, ", ")
}

func (c *Checker) responseBody(r *Result, op *source.Operation, described *source.Response, response Response) {
	if len(described.Content) == 0 || !bodyExpected(op, response.Status) {
		return
	}
	if len(response.Body) == 0 {
		r.find(Finding{Kind: Body, Message: "there is none, expected " + typesOf(described.Content)})
		return
	}
	contentType := response.Header.Get("Content-Type")
	media := described.MediaType(contentType)
	if media == nil {
		r.find(Finding{Kind: MediaType, Message: notDescribed(contentType, described.Content)})
		return
	}
	if coding, known := Coding(response.Header["Content-Encoding"]); !known {
		r.skip("the coding %s of the body is not understood", coding)
		return
	}
	schemaOf := func() *compiled {
		return c.of(media, op, inResponse, func(o operation) cursor { return o.responseBody(described, media) })
	}
	r.content(media, contentType, response.Body, response.Value, schemaOf)
}

// bodyExpected tells whether a response can have a body (RFC 9110, section 6.4.1).
func bodyExpected(op *source.Operation, status int) bool {
	return op.Method != http.MethodHead && status >= 200 &&
		status != http.StatusNoContent && status != http.StatusResetContent && status != http.StatusNotModified
}

// content checks a body that is there and whose media type is described.
func (r *Result) content(media *source.MediaType, contentType string, body []byte, v value.Value, schemaOf func() *compiled) {
	if !isJSON(contentType) {
		if media.Schema != nil && !isText(media.Schema) {
			r.skip("a body of %s is not held against its schema", shortType(contentType))
		}
		return
	}
	if v.IsAbsent() {
		parsed, err := value.ParseJSON(bytes.TrimPrefix(body, []byte("\ufeff")))
		switch {
		case errors.Is(err, value.ErrTooDeep):
			r.skip("the body is %s", err)
			return
		case err != nil:
			r.find(Finding{Kind: Body, Message: notJSON(err)})
			return
		}
		v = parsed
	}
	if media.Schema != nil {
		r.body(schemaOf(), v)
	}
}

// isText tells whether a schema says no more than that there is text.
func isText(s *openapi3.Schema) bool {
	return s.Type.Is("string") && s.Pattern == "" && s.MinLength == 0 && s.MaxLength == nil && len(s.Enum) == 0
}

func notJSON(err error) string {
	var fault *value.SyntaxError
	if errors.As(err, &fault) && fault.Ambiguous {
		return err.Error()
	}
	return "not JSON: " + strings.TrimPrefix(err.Error(), "JSON: ")
}

// isJSON tells whether a media type is JSON (RFC 6839, section 3.1).
func isJSON(contentType string) bool {
	plain := essence(contentType)
	return plain == "application/json" || plain == "text/json" || strings.HasSuffix(plain, "+json")
}

func essence(contentType string) string {
	plain, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(plain))
}

func notDescribed(contentType string, content []*source.MediaType) string {
	if contentType == "" {
		return "the body has no Content-Type, expected " + typesOf(content)
	}
	return "the body is " + shortType(contentType) + ", expected " + typesOf(content)
}

// shortType tells a media type that a stranger chose.
func shortType(contentType string) string {
	const longest = 80
	plain := essence(contentType)
	if len(plain) > longest || strings.ContainsFunc(plain, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return strconv.QuoteToASCII(plain[:min(len(plain), longest)])
	}
	return plain
}

func typesOf(content []*source.MediaType) string {
	names := make([]string, len(content))
	for i, m := range content {
		names[i] = m.Type
	}
	return strings.Join(names, " or ")
}
