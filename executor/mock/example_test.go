package mock

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

func schemaOf(t testing.TB, text string) *openapi3.Schema {
	t.Helper()
	var s openapi3.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &s
}

var jsonHeader = http.Header{"Content-Type": {jsonType}}

// answering gives an operation that answers JSON of a schema.
func answering(t *testing.T, schema string) *source.Operation {
	t.Helper()
	path := filepath.Join(t.TempDir(), "api.json")
	text := fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"operationId":"x",
		"responses":{"200":{"description":"","content":{"application/json":{"schema":%s}}}}}}}}`, schema)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := catalogOf(path)
	if c == nil {
		t.Fatalf("%s cannot be loaded", text)
	}
	return c.ByID("x")[0]
}

// catalogOf gives what a file describes; nil where that is no API.
func catalogOf(path string) *source.Catalog {
	doc, _ := arazzo.Parse("flow.yaml", fmt.Appendf(nil,
		`{"arazzo":"1.1.0","info":{"title":"t","version":"1"},"sourceDescriptions":[{"name":"api","url":%q}],"workflows":[]}`, "file://"+filepath.ToSlash(path)))
	set, _ := source.NewLoader(source.Options{Offline: true}).Load(context.Background(), doc, "file:///flow.yaml")
	return set.Sources[0].OpenAPI
}

func TestMadeValues(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"nothing is said", `{}`, `{}`},
		{"a text", `{"type":"string"}`, `"text"`},
		{"an integer", `{"type":"integer"}`, `1`},
		{"a number", `{"type":"number"}`, `1`},
		{"a boolean", `{"type":"boolean"}`, `true`},
		{"null alone", `{"type":"null"}`, `null`},
		{"a type or null", `{"type":["null","integer"]}`, `1`},
		{"an example before a default", `{"type":"string","default":"d","example":"e"}`, `"e"`},
		{"the first of the examples", `{"type":"string","examples":["a","b"]}`, `"a"`},
		{"a default before an enum", `{"type":"string","enum":["a","b"],"default":"b"}`, `"b"`},
		{"the first of an enum", `{"type":"string","enum":["a","b"]}`, `"a"`},
		{"a const before all", `{"const":"c","example":"e"}`, `"c"`},
		{"a least number", `{"type":"integer","minimum":5}`, `5`},
		{"more than a number", `{"type":"integer","exclusiveMinimum":5}`, `6`},
		{"more than a number, as 3.0 says it", `{"type":"integer","minimum":5,"exclusiveMinimum":true}`, `6`},
		{"less than a number", `{"type":"integer","exclusiveMaximum":0}`, `-1`},
		{"a greatest number", `{"type":"number","maximum":0.5}`, `0.5`},
		{"a multiple", `{"type":"integer","minimum":7,"multipleOf":5}`, `10`},
		{"a least length", `{"type":"string","minLength":6}`, `"textxx"`},
		{"a greatest length", `{"type":"string","maxLength":2}`, `"te"`},
		{"a pattern", `{"type":"string","pattern":"^[A-Z]{3}-\\d+$"}`, `"AAA-1"`},
		{"a pattern with a length", `{"type":"string","pattern":"^[a-z]*$","minLength":5}`, `"aaaaaaa"`},
		{"a pattern of another dialect", `{"type":"string","pattern":"^(?!x).*$"}`, `"text"`},
		{"a date and time", `{"type":"string","format":"date-time"}`, `"2025-01-01T00:00:00Z"`},
		{"a uuid", `{"type":"string","format":"uuid"}`, `"00000000-0000-4000-8000-000000000001"`},
		{"a list", `{"type":"array","items":{"type":"integer"}}`, `[1]`},
		{"a long list", `{"type":"array","minItems":2,"items":{"type":"boolean"}}`, `[true,true]`},
		{"a list of nothing", `{"type":"array"}`, `[]`},
		{"a list of places", `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"items":{"type":"boolean"}}`, `[1,"text"]`},
		{"a longer list of places", `{"type":"array","minItems":3,"prefixItems":[{"type":"integer"}],"items":{"type":"boolean"}}`, `[1,true,true]`},
		{"a list of no more than its places", `{"type":"array","maxItems":1,"prefixItems":[{"type":"integer"},{"type":"string"}],"items":false}`, `[1]`},
		{"an empty list", `{"type":"array","maxItems":0,"items":{"type":"boolean"}}`, `[]`},
		{"an object, the required members first", `{"type":"object","required":["z"],"properties":{"a":{"type":"integer"},"z":{"type":"string"}}}`, `{"z":"text","a":1}`},
		{"no member that only requests have", `{"properties":{"a":{"type":"integer"},"p":{"type":"string","writeOnly":true}}}`, `{"a":1}`},
		{"all parts", `{"allOf":[{"properties":{"a":{"type":"integer"}}},{"properties":{"b":{"type":"integer"}}}]}`, `{"a":1,"b":1}`},
		{"what one part fixes", `{"allOf":[{"properties":{"a":{"type":"string","example":"x"}}},{"properties":{"a":{"const":"y"}}}]}`, `{"a":"y"}`},
		{"what one part fixes in an example", `{"example":{"a":"x","b":1},"allOf":[{"properties":{"a":{"const":"y"}}}]}`, `{"a":"y","b":1}`},
		{"the first branch", `{"oneOf":[{"type":"null"},{"type":"integer"},{"type":"string"}]}`, `1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			schema := schemaOf(t, test.schema)
			got := made(flatten(schema))
			if got.String() != test.want {
				t.Errorf("made %s, expected %s", got, test.want)
			}
			op := answering(t, test.schema)
			wrong := new(check.Checker).Response(op, check.Response{Status: 200, Header: jsonHeader, Body: []byte(got.String())})
			if len(wrong.Findings) > 0 {
				t.Errorf("what was made breaks its schema: %v", wrong.Findings)
			}
		})
	}
}

func TestSchemasThatSpeakOfThemselves(t *testing.T) {
	node := &openapi3.Schema{Properties: openapi3.Schemas{"name": {Value: &openapi3.Schema{Type: &openapi3.Types{"string"}}}}}
	node.Properties["left"] = &openapi3.SchemaRef{Value: node}
	node.Properties["right"] = &openapi3.SchemaRef{Value: node}
	node.Properties["list"] = &openapi3.SchemaRef{Value: &openapi3.Schema{Type: &openapi3.Types{"array"}, Items: &openapi3.SchemaRef{Value: node}}}
	node.AllOf = openapi3.SchemaRefs{{Value: node}}
	node.Required = []string{"left", "right"}
	if size := len(made(flatten(node)).String()); size > 100_000 {
		t.Errorf("made %d bytes", size)
	}
}

func TestUnresolvedReferencesAreNothing(t *testing.T) {
	empty := &openapi3.SchemaRef{Ref: "#/nowhere"}
	schema := &openapi3.Schema{
		Type: &openapi3.Types{"object"}, Properties: openapi3.Schemas{"a": empty, "b": nil},
		AllOf: openapi3.SchemaRefs{empty, nil}, Items: empty,
	}
	if got := made(flatten(schema)); got.Kind() != value.KindObject {
		t.Errorf("made %s", got)
	}
}

// TestMadeValuesFitRealSchemas makes a value for every JSON answer of real public
// API descriptions and counts those that break their own schema.
func TestMadeValuesFitRealSchemas(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: no public API descriptions to try")
	}
	total, broken := 0, 0
	err := filepath.WalkDir(filepath.Join(root, "corpus"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		c := catalogOf(path)
		if c == nil {
			return nil
		}
		checker := new(check.Checker)
		for _, op := range c.Operations {
			for _, response := range op.Responses {
				status, err := strconv.Atoi(response.Status)
				m := firstJSON(response)
				if m == nil || m.Schema == nil || err != nil {
					continue
				}
				total++
				answer := check.Response{Status: status, Header: http.Header{"Content-Type": {m.Type}}, Body: []byte(made(flatten(m.Schema)).String())}
				for _, f := range checker.Response(op, answer).Findings {
					if f.Kind == check.Body {
						broken++
						t.Logf("%s %s %d: %v", filepath.Base(path), op.Label(), status, f)
						break
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d answers, %d of them break their schemas", total, broken)
	if total == 0 || broken*20 > total {
		t.Errorf("%d of %d made values break their schemas, expected one in twenty at most", broken, total)
	}
}
