package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// FuzzSchemas holds bodies against schemas through a description and directly:
// where nothing was left out, both say the same of whether they fit.
func FuzzSchemas(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":["integer","null"],"maximum":5}`, `6`},
		{`{"oneOf":[{"required":["a"]},{"properties":{"b":{"not":{"enum":[1,"x"]}}}}]}`, `{"a":1,"b":2}`},
		{`{"if":{"minProperties":1},"then":{"propertyNames":{"maxLength":2}},"else":false}`, `{"abc":1}`},
		{`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":{"const":[1.0]}}`, `{"b":[1]}`},
		{`{"prefixItems":[{"multipleOf":0.01}],"items":{"uniqueItems":true},"contains":{"type":"array"},"maxContains":1}`, `[10.105,[1,1]]`},
		{`{"patternProperties":{"^a":{"pattern":"b$"}},"additionalProperties":false,"dependentSchemas":{"a":{"minProperties":3}}}`, `{"a":"b","c":1}`},
	} {
		f.Add(seed[0], seed[1])
	}
	path := filepath.Join(f.TempDir(), "api.json")
	f.Fuzz(func(t *testing.T, schemaText, body string) {
		if len(schemaText)+len(body) > 4096 {
			t.Skip()
		}
		v, err := value.ParseJSON([]byte(body))
		if err != nil {
			t.Skip()
		}
		written, err := value.ParseJSON([]byte(schemaText))
		if err != nil {
			t.Skip()
		}
		op := fuzzed(t, path, written)
		if op == nil {
			t.Skip()
		}
		r := answered(op, body)
		for _, finding := range r.Findings {
			if finding.Message == "" || len(r.Findings) > check.MaxFindings {
				t.Errorf("findings %+v", r.Findings)
			}
		}
		if len(r.Gaps) > 0 || isRead(schemaText) {
			return
		}
		direct, err := schema.Compile("fuzz", written, "")
		if err != nil {
			return
		}
		faults := direct.Validate(v)
		if (len(faults) == 0) != (len(r.Findings) == 0) {
			t.Errorf("%s against %s: findings %v, directly %v", body, schemaText, told(r), faults)
		}
	})
}

// isRead tells whether a schema may say something that means more, or less, in a
// description.
func isRead(text string) bool {
	for _, word := range []string{"$", "format", "Only", "dependencies", `\u`} {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

func fuzzed(t *testing.T, path string, written value.Value) *source.Operation {
	t.Helper()
	return loadText(t, path, fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"operationId":"x",
		"responses":{"200":{"description":"","content":{"application/json":{"schema":%s}}}}}}}}`, written))
}

// fuzzedDocument gives the one operation of a description that lacks its head.
func fuzzedDocument(t *testing.T, path string, written value.Value) *source.Operation {
	t.Helper()
	get := written.Get("paths").Get("/x").Get("get")
	operation := value.Object(append([]value.Member{{Name: "operationId", Value: value.String("x")}}, get.Members()...)...)
	return loadText(t, path, fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"t","version":"1"},"paths":{"/x":{"get":%s}},"components":%s}`,
		operation, written.Get("components")))
}

// loadText gives the operation x of a description, nil where that cannot be loaded.
func loadText(t *testing.T, path, text string) *source.Operation {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	doc, _ := arazzo.Parse("flow.yaml", fmt.Appendf(nil,
		`{"arazzo":"1.1.0","info":{"title":"t","version":"1"},"sourceDescriptions":[{"name":"api","url":%q}],"workflows":[]}`, "file://"+filepath.ToSlash(path)))
	set, _ := source.NewLoader(source.Options{Offline: true}).Load(context.Background(), doc, "file:///flow.yaml")
	c := set.Sources[0].OpenAPI
	if c == nil || len(c.ByID("x")) != 1 || c.ByID("x")[0].Responses[0].Content[0].Schema == nil {
		return nil
	}
	return c.ByID("x")[0]
}
