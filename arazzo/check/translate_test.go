package check_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/check"
)

func TestSwagger(t *testing.T) {
	op := load(t, "testdata/swagger.yaml").ByID("createOrder")[0]
	c := new(check.Checker)
	response := func(body string) check.Response {
		return check.Response{Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}, "X-Count": {"6"}}, Body: []byte(body)}
	}
	got := told(c.Response(op, response(`{"id":9007199254740994,"note":null,"file":1}`)))
	want := []string{"header X-Count: expected at most 5, this is 6", "body at /id: expected at most 9007199254740993, this is 9007199254740994"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings of the response (-want +got):\n%s", diff)
	}
	got = told(c.Request(op, check.Request{Header: asJSON, Query: map[string][]string{"limit": {"9007199254740994"}}, Body: []byte(`{"note":1}`)}))
	want = []string{"query parameter limit: expected at most 9007199254740993, this is 9007199254740994",
		"body: missing required property id", "body at /note: expected string or null, this is a number"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings of the request (-want +got):\n%s", diff)
	}
}

func TestDescriptionsInSeveralFiles(t *testing.T) {
	op := load(t, "testdata/split.yaml").ByID("getOrder")[0]
	c := new(check.Checker)
	r := c.Response(op, check.Response{Status: 200, Header: asJSON,
		Body: []byte(`{"lines":[{"sku":"a","amount":9007199254740993,"mask":16,"part":{}},{"sku":"b","amount":9007199254740994,"mask":17}]}`)})
	want := []string{
		"body at /lines/0/part: missing required property sku",
		"body at /lines/1/amount: expected at most 9007199254740993, this is 9007199254740994",
		"body at /lines/1/mask: expected at most 16, this is 17",
	}
	if diff := cmp.Diff(want, told(r)); diff != "" || len(r.Gaps) > 0 {
		t.Errorf("gaps %v, findings (-want +got):\n%s", r.Gaps, diff)
	}
	r = c.Request(op, check.Request{Path: map[string]string{"id": "x"}})
	if diff := cmp.Diff([]string{"path parameter id: expected at least 2 characters"}, told(r)); diff != "" {
		t.Error(diff)
	}
}

// What the other side writes is not demanded.
func TestPropertiesOfTheOtherSide(t *testing.T) {
	const components = `{
		"Base":{"type":"object","properties":{"id":{"type":"string","readOnly":true},"pin":{"allOf":[{"$ref":"#/components/schemas/Pin"}]}}},
		"Pin":{"type":"string","writeOnly":true}}`
	for _, test := range []struct {
		name, schema, body string
		request, response  []string
	}{
		{"of the schema itself", `{"required":["id"],"properties":{"id":{"readOnly":true}}}`, `{}`, nil, []string{"body: missing required property id"}},
		{"demanded by another part", `{"allOf":[{"$ref":"#/components/schemas/Base"},{"required":["id","pin"]}]}`, `{}`,
			[]string{"body: missing required property pin"}, []string{"body: missing required property id"}},
		{"of a wrong type where it is there all the same", `{"required":["id"],"properties":{"id":{"type":"string","readOnly":true}}}`, `{"id":1}`,
			[]string{"body at /id: expected string, this is a number"}, []string{"body at /id: expected string, this is a number"}},
		{"that tell alternatives apart", `{"oneOf":[
			{"required":["id"],"properties":{"id":{"readOnly":true}}},{"required":["name"]}]}`, `{"name":"a"}`, nil, nil},
		{"that must not be there", `{"not":{"required":["id"],"properties":{"id":{"readOnly":true}}}}`, `{}`, nil, nil},
		{"as a condition", `{"if":{"required":["id"],"properties":{"id":{"readOnly":true}}},"then":false,"else":true}`, `{}`, nil, nil},
		{"of another object of the same name", `{"properties":{"id":{"readOnly":true},"part":{"required":["id"]}}}`, `{"part":{}}`,
			[]string{"body at /part: missing required property id"}, []string{"body at /part: missing required property id"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			op := withSchema(t, v31, test.schema, components)
			if diff := cmp.Diff(test.request, told(sent(op, test.body))); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.response, told(answered(op, test.body))); diff != "" {
				t.Errorf("response (-want +got):\n%s", diff)
			}
		})
	}
}

// One keyword that makes no sense does not spoil the others, nor make another one lie.
func TestWhatMakesNoSenseIsLeftOut(t *testing.T) {
	const limit = "body at /n: expected at most 1, this is 2"
	const body = `{"n":2,"s":"x"}`
	for _, test := range []struct {
		name, version, schema string
		want, gaps            []string
	}{
		{"an unknown type", v31, `{"properties":{"n":{"maximum":1},"s":{"type":"text"}}}`, []string{limit}, []string{"a type that is not known"}},
		{"a pattern that has to backtrack", v31, `{"properties":{"n":{"maximum":1},"s":{"pattern":"^(?=y)"}}}`, []string{limit}, []string{"the pattern cannot be read without backtracking"}},
		{"a limit beyond all limits", v31, `{"properties":{"n":{"maximum":1,"const":0.` + strings.Repeat("0", 2000) + `1}}}`, []string{limit}, []string{"a number beyond the limit"}},
		{"a count beyond all limits", v31, `{"properties":{"n":{"maximum":1},"s":{"maxLength":9999999999999999999}}}`, []string{limit}, nil},
		{"a multiple of nothing", v31, `{"properties":{"n":{"maximum":1,"multipleOf":0.0}}}`, []string{limit}, []string{"no number above 0"}},
		{"an empty enumeration", v31, `{"properties":{"n":{"maximum":1,"enum":[]}}}`, []string{limit}, []string{"no list of values"}},
		{"not with something left out", v31, `{"not":{"properties":{"s":{"pattern":"^(?=y)"}}}}`, nil, []string{"the pattern cannot be read without backtracking"}},
		{"alternatives with something left out", v31, `{"oneOf":[{"required":["n"]},{"properties":{"s":{"pattern":"^(?=y)"}}}]}`, nil, []string{"the pattern cannot be read without backtracking"}},
		{"a condition with something left out", v31, `{"if":{"properties":{"s":{"pattern":"^(?=y)"}}},"then":false}`, nil, []string{"the pattern cannot be read without backtracking"}},
		{"names by a pattern that is left out", v31, `{"properties":{"n":{}},"patternProperties":{"^(?=s)":true},"additionalProperties":false}`, nil,
			[]string{"a pattern cannot be read without backtracking", "depends on patternProperties, which are not understood here"}},
		{"unevaluated names beside a pattern that is left out", v31, `{"properties":{"n":{}},"patternProperties":{"^(?=s)":true},"unevaluatedProperties":false}`, nil,
			[]string{"a pattern cannot be read without backtracking"}},
		{"another dialect", v31, `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"n":{"maximum":1}}}`, nil, []string{"a dialect of JSON Schema that is not understood"}},
		{"the dialect of OpenAPI", v31, `{"$schema":"https://spec.openapis.org/oas/3.1/dialect/base","properties":{"n":{"maximum":1}}}`, []string{limit}, nil},
		{"a dynamic reference to several places", v31, `{"$defs":{"a":{"$dynamicAnchor":"x"},"b":{"$dynamicAnchor":"x"}},"$dynamicRef":"#x","properties":{"n":{"maximum":1}}}`,
			[]string{limit}, []string{"a dynamic reference to more than one place"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := answered(withSchema(t, test.version, test.schema, ""), body)
			if diff := cmp.Diff(test.want, told(r)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.gaps, gapsOf(r)); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAGapTellsItsPlace(t *testing.T) {
	op := load(t, "testdata/gaps.yaml").ByID("x")[0]
	r := answered(op, `{}`)
	if len(r.Gaps) != 1 || r.Gaps[0].Place.Pointer.String() != "/components/schemas/Odd/properties/a~1b/type" {
		t.Errorf("gaps: %v", r.Gaps)
	}
}

func TestTheDialectOfAWholeDescription(t *testing.T) {
	const text = `{"openapi":"3.1.0","jsonSchemaDialect":"http://json-schema.org/draft-07/schema#","info":{"title":"t","version":"1"},
		"paths":{"/x":{"get":{"operationId":"x","responses":{"200":{"description":"","content":{"application/json":{"schema":false}}}}}}}}`
	r := answered(describe(t, text).ByID("x")[0], `{}`)
	if diff := cmp.Diff([]string{"a dialect of JSON Schema that is not understood"}, gapsOf(r)); diff != "" || len(r.Findings) > 0 {
		t.Errorf("findings %v, gaps (-want +got):\n%s", r.Findings, diff)
	}
}

// A reference with something beside it is not what it refers to.
func TestOperationsThatShareASchema(t *testing.T) {
	const text = `{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{
		"/a":{"get":{"operationId":"a","responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S"}}}}}}},
		"/b":{"get":{"operationId":"b","responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/S","minProperties":1}}}}}}}},
		"components":{"schemas":{"S":{"type":"object"}}}}`
	catalog, c := describe(t, text), new(check.Checker)
	for id, want := range map[string]int{"a": 0, "b": 1} {
		r := c.Response(catalog.ByID(id)[0], check.Response{Status: 200, Header: asJSON, Body: []byte(`{}`)})
		if len(r.Findings) != want {
			t.Errorf("%s: %v, want %d findings", id, told(r), want)
		}
	}
}
