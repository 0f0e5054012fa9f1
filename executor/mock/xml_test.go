package mock_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

const stockXML = `
paths:
  /stock:
    get:
      operationId: getStock
      responses:
        '200':
          description: ok
          content:
            application/json: {schema: {$ref: '#/components/schemas/stock'}}
            application/xml: {schema: {$ref: '#/components/schemas/stock'}}
            text/csv: {schema: {type: string}, example: "sku,left"}
components:
  schemas:
    stock:
      type: object
      required: [id, shelves, tags, name]
      xml: {prefix: s, namespace: 'urn:stock'}
      properties:
        id: {type: integer, xml: {attribute: true}, example: 7}
        name: {type: string, example: 'a < b'}
        shelves: {type: array, xml: {wrapped: true, name: racks}, items: {type: string, xml: {name: rack}, example: up}}
        tags: {type: array, items: {type: string, xml: {name: tag}, example: new}}
`

func TestXMLFollowsItsSchema(t *testing.T) {
	sources := api(t, "3.1.0", stockXML)
	for _, test := range []struct {
		name        string
		answer      *mock.Answer
		accept      string
		contentType string
		body        string
	}{
		{"by itself", nil, "application/xml", "application/xml",
			`<s:stock xmlns:s="urn:stock" id="7"><racks><rack>up</rack></racks><tag>new</tag><name>a &lt; b</name></s:stock>`},
		{"the form that was chosen", &mock.Answer{Status: 200, MediaType: "text/csv"}, "*/*", "text/csv", "sku,left"},
		{"a text", &mock.Answer{Status: 200, MediaType: "text/html", Text: "<p>"}, "*/*", "text/html", "<p>"},
		{"rewritten", &mock.Answer{Status: 200, MediaType: "text/csv", Rewrite: func(b []byte) []byte { return append(b[:3:3], '!') }}, "*/*", "text/csv", "sku!"},
		{"rewritten where nothing is described", &mock.Answer{Status: 404, MediaType: "application/xml", Rewrite: func(b []byte) []byte { return append(b[:len(b):len(b)], "<a/>"...) }}, "*/*", "application/xml", "<a/>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := mock.New(sources, mock.Options{Choose: func(mock.Asked) *mock.Answer { return test.answer }})
			client := http.Client{Transport: server.Transport(mock.TransportOptions{})}
			request, err := http.NewRequest(http.MethodGet, "http://mock.localhost/stock", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept", test.accept)
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if got := response.Header.Get("Content-Type"); got != test.contentType || string(body) != test.body {
				t.Errorf("%s %s", got, body)
			}
		})
	}
}

func TestXMLIsReadByItsSchema(t *testing.T) {
	schema := api(t, "3.1.0", stockXML)[0].Catalog.Operations[0].Responses[0].Content[0].Schema
	for text, want := range map[string]string{
		`<s:stock xmlns:s="urn:stock" id="7"><name>a &lt; b</name><racks><rack>up</rack></racks><tag>new</tag></s:stock>`: `{"id":7,"shelves":["up"],"tags":["new"],"name":"a < b"}`,
		`<stock other="1"><tag/><extra><x>1</x></extra></stock>`:                                                          `{"tags":[""],"other":"1","extra":{"x":"1"}}`,
		`<stock><tag></stock>`: ``,
		`no XML`:               ``,
	} {
		got, ok := mock.ReadXML(schema, []byte(text))
		if written := string(value.AppendJSON(nil, got)); ok != (want != "") || ok && written != want {
			t.Errorf("%s: %s %v, want %s", text, written, ok, want)
		}
	}
}
