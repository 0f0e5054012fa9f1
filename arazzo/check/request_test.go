package check_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

func TestRequests(t *testing.T) {
	c := load(t, "testdata/shop.yaml")
	const trace = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	traced := func() http.Header { return http.Header{"X-Trace": {trace}} }
	abc := map[string]string{"id": "abc"}
	ask := func(query string) check.Request {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		return check.Request{Path: abc, Header: traced(), Query: q}
	}
	send := func(contentType, body string) check.Request {
		return check.Request{Header: http.Header{"Content-Type": {contentType}}, Body: []byte(body)}
	}
	const form = "application/x-www-form-urlencoded"
	for _, test := range []struct {
		name, operation string
		request         check.Request
		want, gaps      []string
	}{
		{"as described", "getOrder", ask("limit=10&tags=a,b&sizes=1&sizes=2&marks=1|2"), nil, nil},
		{"what is required is missing", "getOrder", check.Request{}, []string{"path parameter id: required and missing", "header parameter X-Trace: required and missing"}, nil},
		{"a path that does not match", "getOrder", check.Request{Path: map[string]string{"id": "12"}, Header: traced()}, []string{"path parameter id: does not match the pattern ^[a-z]+$"}, nil},
		{"a number that is too large", "getOrder", ask("limit=101"), []string{"query parameter limit: expected at most 100, this is 101"}, nil},
		{"text for a number", "getOrder", ask("limit=ten"), []string{"query parameter limit: expected integer, this is a string"}, nil},
		{"too many elements", "getOrder", ask("tags=a,b,c"), []string{"query parameter tags: expected at most 2 items, there are 3"}, nil},
		{"elements apart", "getOrder", ask("sizes=1&sizes=x"), []string{"query parameter sizes: at /1: expected integer, this is a string"}, nil},
		{"elements between bars", "getOrder", ask("marks=1|x"), []string{"query parameter marks: at /1: expected integer, this is a string"}, nil},
		{"an object", "getOrder", ask("filter[a]=1"), nil, nil},
		{"an object with faults", "getOrder", ask("filter[b]=1"), []string{"query parameter filter: missing required property a"}, nil},
		{"an object within an object", "getOrder", ask("filter[a][b]=1"), nil, []string{"query parameter filter: objects within objects are not taken apart"}},
		{"members that are parameters", "getOrder", ask("from=2&to=x"), []string{"query parameter range: at /to: expected integer, this is a string"}, nil},
		{"members in one text", "getOrder", ask("page=size,5,at,x"), []string{"query parameter page: at /at: expected integer, this is a string"}, nil},
		{"half a member", "getOrder", ask("page=size"), nil, []string{"query parameter page: it is written in a way that is not taken apart"}},
		{"JSON in the query", "getOrder", ask(`where={"b":1}`), []string{"query parameter where: missing required property a"}, nil},
		{"an undocumented parameter", "getOrder", ask("more=1"), nil, nil},
		{"a header of another format", "getOrder", check.Request{Path: abc, Header: http.Header{"X-Trace": {"x"}}}, []string{"header parameter X-Trace: not a valid uuid"}, nil},
		{"a cookie", "getOrder", check.Request{Path: abc, Header: http.Header{"X-Trace": {trace}, "Cookie": {"session=ab"}}}, []string{"cookie parameter session: expected at least 3 characters"}, nil},

		{"a body that the other side completes", "createOrder", send("application/json", `{"total":1,"secret":"swordfish"}`), nil, nil},
		{"a body", "createOrder", send("application/json", `{"secret":"swordfish","total":"1"}`), []string{"body at /total: expected number, this is a string"}, nil},
		{"no body", "createOrder", check.Request{}, []string{"body: required and missing"}, nil},
		{"a body of another type", "createOrder", send("text/plain", "x"), []string{"the body is text/plain, expected application/json or application/x-www-form-urlencoded"}, nil},
		{"a form", "createOrder", send(form, "count=1&tags=a&name=12"), nil, nil},
		{"a form with faults", "createOrder", send(form, "tags=a&tags=b&name=long"), []string{
			"body: missing required property count", "body at /name: expected at most 3 characters", "body at /tags: expected at most 1 item, there are 2"}, nil},
		{"no form", "createOrder", send(form, "%zz"), []string{"body: no form: a percent sign that escapes nothing, or a semicolon"}, nil},
		{"a body that is no JSON, of which nothing is said but that there is text", "putFile", send("image/png", "x"), nil, nil},
		{"a body that nothing is said of", "getFile", send("image/png", "x"), nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := new(check.Checker).Request(c.ByID(test.operation)[0], test.request)
			if diff := cmp.Diff(test.want, told(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.gaps, gapsOf(r)); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAValueAgainstARequestBody(t *testing.T) {
	op := load(t, "testdata/shop.yaml").ByID("createOrder")[0]
	r := new(check.Checker).Value(op, op.MediaType("application/json"), value.Array())
	if diff := cmp.Diff([]string{"body: expected object, this is an array"}, told(r)); diff != "" {
		t.Error(diff)
	}
}
