package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestDescriptionsAsWritten(t *testing.T) {
	const text = `
openapi: 3.1.0
info: {title: t, version: 1}
paths:
  /x:
    get: {operationId: x, responses: {200: {description: d, content: {b/b: {}, a/a: {}}}}}
components:
  schemas:
    Base: &base {type: object, title: base, maxProperties: 1}
    Numbers:
      <<: *base
      title: own
      enum: [9007199254740993, 10.10, 1.0e2, 0x10, .5, true, null, 2020-01-01]
      default: {<<: [{a: 1, b: 1}, {b: 2, c: 2}], c: 3}
    Broken: {$ref: "#/nowhere"}
`
	o := one(t, catalogText(t, text, "file:///api.yaml"), "x")
	root := o.Written.File(o.Written.Root())
	for pointer, want := range map[string]string{
		"/info/version":                    `"1"`,
		"/components/schemas/Numbers":      `{"type":"object","title":"own","maxProperties":1,"enum":[9007199254740993,10.10,1.0e2,16,0.5,true,null,"2020-01-01"],"default":{"b":1,"c":3,"a":1}}`,
		"/components/schemas/Broken":       `{"x-weft-unresolved":"#/nowhere"}`,
		o.Pointer + "/responses/200":       `{"description":"d","content":{"b/b":{},"a/a":{}}}`,
		"/components/schemas/Base/missing": `absent`,
	} {
		at, err := value.ParsePointer(pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got := at.In(root).String(); got != want {
			t.Errorf("%s: %s, want %s", pointer, got, want)
		}
	}
	if got := o.Written.File("file:///other.yaml"); !got.IsAbsent() {
		t.Errorf("a file that was not read: %s", got)
	}
}

func TestReferencesBetweenFilesAsWritten(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"api.yaml": `{"openapi":"3.0.3","info":{"title":"t","version":"1"},"paths":{"/x":{"get":{"operationId":"x",
			"responses":{"200":{"$ref":"parts/a.yaml#/r"}}}}}}`,
		"parts/a.yaml": `{"r":{"description":"d","content":{"application/json":{"schema":{"$ref":"b.yaml"}}}}}`,
		"parts/b.yaml": `{"type":"object"}`,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "api.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	root := fileURL(filepath.Join(dir, "api.yaml"))
	c, _, err := NewLoader(Options{Offline: true}).parseOpenAPI(context.Background(), flavourOpenAPI, data, root)
	if err != nil {
		t.Fatal(err)
	}
	w := one(t, c, "x").Written
	a, b := fileURL(filepath.Join(dir, "parts", "a.yaml")), fileURL(filepath.Join(dir, "parts", "b.yaml"))
	for _, test := range []struct {
		from, ref, location, fragment string
		ok                            bool
	}{
		{root, "parts/a.yaml#/r", a, "/r", true},
		{a, "b.yaml", b, "", true},
		{a, "#/r", a, "/r", true},
		{b, "../api.yaml#/paths/~1x", root, "/paths/~1x", true},
		{b, "../api.yaml#/a%20b", root, "/a b", true},
		{a, "api.yaml", "", "", false},
		{a, "urn:a", "", "", false},
		{a, "%zz", "", "", false},
	} {
		location, fragment, ok := w.Resolve(test.from, test.ref)
		if ok != test.ok || ok && (location != test.location || fragment != test.fragment) {
			t.Errorf("%s in %s: %s %s %v", test.ref, test.from, location, fragment, ok)
		}
	}
}
