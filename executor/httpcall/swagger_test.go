package httpcall

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
)

const swaggerAPI = `swagger: "2.0"
info: {title: t, version: "1"}
parameters:
  shared: {name: shared, in: query, type: array, items: {type: integer}}
  field: {name: field, in: formData, type: array, items: {type: integer}, collectionFormat: pipes}
paths:
  /p/{list}:
    parameters:
    - {name: list, in: path, required: true, type: array, items: {type: integer}, collectionFormat: pipes}
    - {name: q, in: query, type: array, items: {type: integer}, collectionFormat: multi}
    post:
      operationId: post
      consumes: [application/x-www-form-urlencoded, multipart/form-data]
      parameters:
      - {$ref: "#/parameters/shared"}
      - {$ref: "#/parameters/field"}
      - {name: q, in: query, type: array, items: {type: integer}}
      - {name: multi, in: query, type: array, items: {type: integer}, collectionFormat: multi}
      - {name: ssv, in: query, type: array, items: {type: integer}, collectionFormat: ssv}
      - {name: tsv, in: query, type: array, items: {type: integer}, collectionFormat: tsv}
      - {name: one, in: query, type: integer}
      - {name: H, in: header, type: array, items: {type: integer}, collectionFormat: pipes}
      - {name: csv, in: formData, type: array, items: {type: integer}}
      - {name: many, in: formData, type: array, items: {type: integer}, collectionFormat: multi}
      - {name: odd, in: formData, type: array, items: {type: integer}, collectionFormat: semicolons}
      responses: {"200": {description: ok}}
`

// swaggerOperation loads the description above.
func swaggerOperation(t *testing.T) *source.Operation {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"api.yaml": swaggerAPI, "flow.yaml": "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\n" +
		"sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: post}]}]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := source.NewLoader(source.Options{Offline: true})
	doc, location, _, err := l.LoadDocument(t.Context(), filepath.Join(dir, "flow.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	set, problems := l.Load(t.Context(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	_, operation, err := set.FindOperation("post")
	if err != nil {
		t.Fatal(err)
	}
	return operation
}

// TestListsOfSwaggerAreWrittenByTheirCollectionFormat: csv where none is written.
func TestListsOfSwaggerAreWrittenByTheirCollectionFormat(t *testing.T) {
	o := swaggerOperation(t)
	call := aCall("POST", "http://server.test", "/p/{list}")
	for _, p := range []struct{ name, in, value string }{
		{"list", "path", "[1,2]"}, {"shared", "query", "[1,2]"}, {"q", "query", "[1,2]"}, {"multi", "query", "[1,2]"},
		{"ssv", "query", "[1,2]"}, {"tsv", "query", "[1,2]"}, {"one", "query", "1"}, {"H", "header", "[1,2]"},
	} {
		call.Arguments = append(call.Arguments, executor.Argument{Name: p.name, In: p.in, Value: js(t, p.value), Declared: o.Parameter(p.name, p.in)})
	}
	fields := js(t, `{"csv":[1,2],"field":[3,4],"many":[5,6]}`)
	for contentType, want := range map[string]string{
		"application/x-www-form-urlencoded": "csv=1,2&field=3%7C4&many=5&many=6",
		"multipart/form-data; boundary=b": "--b\r\nContent-Disposition: form-data; name=\"csv\"\r\n\r\n1,2\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"field\"\r\n\r\n3|4\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"many\"\r\n\r\n5\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"many\"\r\n\r\n6\r\n--b--\r\n",
	} {
		call.Body = &executor.Body{ContentType: contentType, Value: fields, Declared: o.MediaType(contentType)}
		p, err := Prepare(call)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.URL.String(); got != "http://server.test/p/1%7C2?shared=1,2&q=1,2&multi=1&multi=2&ssv=1%202&tsv=1%092&one=1" {
			t.Errorf("sent to %s", got)
		}
		if got := p.Header.Get("H"); got != "1|2" {
			t.Errorf("header %s", got)
		}
		if string(p.Body) != want {
			t.Errorf("%s: sent %q, want %q", contentType, p.Body, want)
		}
	}
	call.Body = &executor.Body{ContentType: "application/x-www-form-urlencoded", Value: js(t, `{"odd":[1]}`), Declared: o.MediaType("application/x-www-form-urlencoded")}
	if _, err := Prepare(call); err == nil || !strings.Contains(err.Error(), "collectionFormat semicolons") {
		t.Errorf("got %v", err)
	}
}
