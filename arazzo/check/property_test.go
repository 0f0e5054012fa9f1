package check_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// What a description of OpenAPI 3.1 says of a body, its schema says by itself:
// the translation changes nothing.
func TestTranslationKeepsTheMeaning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "api.json")
	fits, not := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		g := generator{rt}
		root := g.schema(3)
		text := fmt.Sprintf(`{"paths":{"/x":{"get":{"responses":{"200":{"content":{"application/json":{"schema":%s}}}}}}},
			"components":{"schemas":{"A":%s,"B":%s}}}`, root, g.schema(2), g.schema(2))
		written, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatalf("the test is wrong: %v in %s", err, text)
		}
		op := fuzzedDocument(t, path, written)
		direct, err := schema.Compile("api", written, "/paths/~1x/get/responses/200/content/application~1json/schema")
		if op == nil || err != nil {
			return // a schema that is only itself
		}
		for range 5 {
			body := g.value(3)
			v, err := value.ParseJSON([]byte(body))
			if err != nil {
				t.Fatal(err)
			}
			r := answered(op, body)
			if len(r.Gaps) > 0 {
				if gaps := gapsOf(r); !strings.Contains(gaps[0], "without an end") {
					rt.Fatalf("gaps %v of %s", gaps, text)
				}
				return
			}
			faults := direct.Validate(v)
			if (len(faults) == 0) != (len(r.Findings) == 0) {
				rt.Fatalf("%s against %s: findings %v, directly %v", body, text, told(r), faults)
			}
			if len(faults) == 0 {
				fits++
			} else {
				not++
			}
		}
	})
	if fits == 0 || not == 0 {
		t.Errorf("%d bodies fit and %d do not: the test shows nothing", fits, not)
	}
}

// generator writes schemas and values that have something to say to each other.
type generator struct{ *rapid.T }

func (g generator) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.T, label)
}

func (g generator) name() string { return g.pick("name", "a", "b", "ab") }

func (g generator) small() int { return rapid.IntRange(0, 3).Draw(g.T, "small") }

func (g generator) value(depth int) string {
	kinds := []string{"null", "true", "number", "string", "array", "object"}
	if depth == 0 {
		kinds = kinds[:4]
	}
	switch kind := g.pick("kind", kinds...); kind {
	case "number":
		return g.pick("number", "0", "1", "1.0", "2", "2.5", "9007199254740993", "9007199254740992")
	case "string":
		return g.pick("string", `""`, `"a"`, `"ab"`, `"abc"`)
	case "array":
		items := make([]string, g.small())
		for i := range items {
			items[i] = g.value(depth - 1)
		}
		return "[" + strings.Join(items, ",") + "]"
	case "object":
		var members []string
		for _, name := range []string{"a", "b", "ab"} {
			if rapid.Bool().Draw(g.T, "has") {
				members = append(members, fmt.Sprintf("%q:%s", name, g.value(depth-1)))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	default:
		return kind
	}
}

func (g generator) schema(depth int) string {
	if depth == 0 {
		return g.pick("leaf", `{}`, `true`, `false`, `{"type":"string"}`, `{"type":["integer","null"]}`, `{"type":"object"}`, `{"maximum":2}`,
			`{"$ref":"#/components/schemas/A"}`, `{"$ref":"#/components/schemas/B"}`)
	}
	keywords := map[string]bool{}
	var members []string
	for range 1 + g.small() {
		keyword := g.pick("keyword", "type", "enum", "const", "required", "multipleOf", "minimum", "exclusiveMaximum", "minLength", "maxItems",
			"minProperties", "uniqueItems", "pattern", "properties", "patternProperties", "additionalProperties", "items", "prefixItems", "contains",
			"maxContains", "minContains", "not", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentRequired", "dependentSchemas",
			"propertyNames", "unevaluatedProperties", "unevaluatedItems", "$ref")
		if !keywords[keyword] {
			keywords[keyword] = true
			members = append(members, fmt.Sprintf("%q:%s", keyword, g.keyword(keyword, depth-1)))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g generator) keyword(keyword string, depth int) string {
	named := func() string {
		return fmt.Sprintf(`{%q:%s,"b":%s}`, g.pick("first", "a", "ab"), g.schema(depth), g.schema(depth))
	}
	switch keyword {
	case "type":
		return g.pick("type", `"string"`, `"integer"`, `"object"`, `["array","null"]`, `["object","array"]`, `"number"`)
	case "enum":
		return fmt.Sprintf("[%s,%s]", g.value(1), g.value(1))
	case "const":
		return g.value(1)
	case "required":
		return fmt.Sprintf("[%q]", g.name())
	case "multipleOf":
		return g.pick("step", "2", "0.5")
	case "minimum", "exclusiveMaximum":
		return g.pick("limit", "1", "2", "9007199254740993")
	case "minLength", "maxItems", "minProperties", "maxContains", "minContains":
		return fmt.Sprint(g.small())
	case "uniqueItems":
		return g.pick("flag", "true", "false")
	case "pattern":
		return g.pick("pattern", `"^a"`, `"b$"`)
	case "properties", "dependentSchemas":
		return named()
	case "patternProperties":
		return fmt.Sprintf(`{"^a":%s}`, g.schema(depth))
	case "prefixItems", "allOf", "anyOf", "oneOf":
		return fmt.Sprintf("[%s,%s]", g.schema(depth), g.schema(depth))
	case "dependentRequired":
		return fmt.Sprintf(`{%q:[%q]}`, g.name(), g.name())
	case "$ref":
		return g.pick("ref", `"#/components/schemas/A"`, `"#/components/schemas/B"`)
	default:
		return g.schema(depth)
	}
}
