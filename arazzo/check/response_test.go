package check_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

func TestResponses(t *testing.T) {
	c := load(t, "testdata/shop.yaml")
	const good = `{"id":"a","total":1}`
	counted := func(more ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json; charset=utf-8"}, "X-Count": {"1"}}
		for i := 0; i < len(more); i += 2 {
			h.Add(more[i], more[i+1])
		}
		return h
	}
	typed := func(contentType string) http.Header { return http.Header{"Content-Type": {contentType}} }
	for _, test := range []struct {
		name, operation string
		status          int
		header          http.Header
		body            string
		want, gaps      []string
	}{
		{"as described", "getOrder", 200, counted(), good, nil, nil},
		{"with a byte order mark", "getOrder", 200, counted(), "\ufeff" + good, nil, nil},
		{"a status that is not described", "getOrder", 500, typed("text/html"), "oh", []string{"the status 500 is not described; described are 200, 204, 4XX"}, nil},
		{"a range of statuses", "getOrder", 404, typed("application/problem+json"), `{"title":1}`, []string{"body at /title: expected string, this is a number"}, nil},
		{"the default", "createOrder", 599, typed("application/json"), good, nil, nil},
		{"a media type that is not described", "getOrder", 404, typed("Text/HTML; charset=x"), "oh", []string{"the body is text/html, expected application/problem+json"}, nil},
		{"a media type that is no word", "getOrder", 404, typed("text/\x1b[31m"), "oh", []string{`the body is "text/\x1b[31m", expected application/problem+json`}, nil},
		{"no media type", "getOrder", 404, nil, "oh", []string{"the body has no Content-Type, expected application/problem+json"}, nil},
		{"several media types", "createOrder", 200, typed("image/png"), "x", []string{"the body is image/png, expected application/json or text/*"}, nil},
		{"a range of media types", "createOrder", 200, typed("text/csv"), "x", nil, []string{"a body of text/csv is not held against its schema"}},
		{"no body", "createOrder", 200, typed("application/json"), "", []string{"body: there is none, expected application/json or text/*"}, nil},
		{"no body, which the status says", "getOrder", 204, nil, "", nil, nil},
		{"no body, which the method says", "headOrder", 200, counted(), "", nil, nil},
		{"a coding that is not understood", "createOrder", 201, http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}, "x", nil, []string{`the coding "br" of the body is not understood`}},
		{"a body that nothing is said of", "getFile", 200, typed("image/png"), "x", nil, nil},
		{"an operation that describes no response", "putFile", 418, typed("image/png"), "x", nil, nil},
		{"no JSON", "getOrder", 200, counted(), `{"id":secret}`, []string{"body: not JSON: expected a value at byte 6"}, nil},
		{"JSON that is too deep", "getOrder", 200, counted(), nested(2000), nil, []string{"the body is nested deeper than 1000"}},
		{"a property is missing", "getOrder", 200, counted(), `{"total":1}`, []string{"body: missing required property id"}, nil},
		{"a string is not repeated", "getOrder", 200, counted(), `{"id":"a","total":1,"secret":"hunter2"}`, []string{"body at /secret: expected swordfish"}, nil},

		{"a header is missing", "getOrder", 200, typed("application/json"), good, []string{"header X-Count: required and missing"}, nil},
		{"a header of another type", "getOrder", 200, counted("X-Count", "many"), good, []string{"header X-Count: expected integer, this is a string"}, nil},
		{"elements of a header", "getOrder", 200, counted("X-Tags", "1, 2", "X-Tags", "three"), good, []string{"header X-Tags: at /2: expected integer, this is a string"}, nil},
		{"text that looks like a number", "getOrder", 200, counted("X-Text", "12"), good, nil, nil},
		{"an object in a header", "getOrder", 200, counted("X-Any", "a=1,n=0"), good, nil, nil},
		{"an object with faults in a header", "getOrder", 200, counted("X-Any", "n=1,a=x"), good, []string{"header X-Any: at /n: expected at most 0, this is 1"}, nil},
		{"JSON in a header", "getOrder", 200, counted("X-Json", "[1,2]"), good, nil, nil},
		{"other JSON in a header", "getOrder", 200, counted("X-Json", `{"a":1}`), good, []string{"header X-Json: expected array, this is an object"}, nil},
		{"no JSON in a header", "getOrder", 200, counted("X-Json", "x"), good, []string{"header X-Json: not JSON: expected a value at byte 0"}, nil},
		{"an undocumented header", "getOrder", 200, counted("X-More", "x"), good, nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "a header of another type" {
				test.header["X-Count"] = []string{"many"}
			}
			r := new(check.Checker).Response(c.ByID(test.operation)[0], check.Response{Status: test.status, Header: test.header, Body: []byte(test.body)})
			if diff := cmp.Diff(test.want, told(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.gaps, gapsOf(r)); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
		})
	}
}

func nested(depth int) string {
	text := make([]byte, 0, 2*depth)
	for range depth {
		text = append(text, '[')
	}
	for range depth {
		text = append(text, ']')
	}
	return string(text)
}

func TestABodyThatWasReadIsNotReadAgain(t *testing.T) {
	op := withSchema(t, v31, `{"type":"object"}`, "")
	r := new(check.Checker).Response(op, check.Response{Status: 200, Header: asJSON, Body: []byte("{}"), Value: value.Int(1)})
	if diff := cmp.Diff([]string{"body: expected object, this is a number"}, told(r)); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsAreCounted(t *testing.T) {
	op := withSchema(t, v31, `{"items":{"type":"string"}}`, "")
	body := []byte{'['}
	for range 50 {
		body = append(body, "1,"...)
	}
	r := answered(op, string(append(body, "1]"...)))
	if len(r.Findings) != check.MaxFindings {
		t.Errorf("%d findings, want %d", len(r.Findings), check.MaxFindings)
	}
}
