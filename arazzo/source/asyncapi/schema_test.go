package asyncapi

import "testing"

func TestFormatsOfSchemas(t *testing.T) {
	for format, want := range map[string]bool{
		"application/vnd.aai.asyncapi;version=2.6.0":       true,
		"application/vnd.aai.asyncapi+json;version=3.0.0":  true,
		"application/schema+json;version=draft-07":         true,
		"Application/Schema+YAML; version=draft-07":        true,
		"application/vnd.oai.openapi+yaml;version=3.0.0":   true,
		"application/vnd.apache.avro+json;version=1.9.0":   false,
		"application/vnd.google.protobuf;version=3":        false,
		"application/raml+yaml;version=1.0":                false,
		"application/json":                                 false,
		"application/vnd.aai.asyncapi.later;version=9.0.0": false,
	} {
		if got := (&Schema{Format: format}).IsJSON(); got != want {
			t.Errorf("%s: %v", format, got)
		}
	}
}

func TestSchemasOf3MayBeWrappedWithTheirFormat(t *testing.T) {
	c := read(t, `asyncapi: 3.0.0
channels:
  c:
    messages:
      plain: {payload: {type: object}}
      boolean: {payload: false}
      none: {payload: null}
      unnamed: {payload: {schema: {type: object}}}
      avro: {payload: {$ref: '#/components/schemas/Avro'}}
      proto: {payload: {schemaFormat: application/vnd.google.protobuf;version=3, schema: 'message A {}'}}
      empty: {payload: {schemaFormat: application/vnd.apache.avro;version=1.9.0}}
      round: {payload: {$ref: '#/components/schemas/Round'}}
components:
  schemas:
    Avro: {schemaFormat: application/vnd.apache.avro;version=1.9.0, schema: {$ref: user.avsc}}
    Round: {schema: {$ref: '#/components/schemas/Round'}}
`)
	const own = "application/vnd.aai.asyncapi;version=3.0.0"
	for key, want := range map[string][2]string{
		"plain":   {own, `{"type":"object"}`},
		"boolean": {own, `false`},
		"unnamed": {own, `{"type":"object"}`},
		"avro":    {"application/vnd.apache.avro;version=1.9.0", `{"$ref":"user.avsc"}`},
		"proto":   {"application/vnd.google.protobuf;version=3", `"message A {}"`},
		"round":   {own, `{"schema":{"$ref":"#/components/schemas/Round"}}`},
	} {
		s := c.Channel("c").Message(key).Payload
		if s == nil || s.Format != want[0] || written(s.Node) != want[1] {
			t.Errorf("%s: %+v", key, s)
		}
	}
	for _, key := range []string{"none", "empty"} {
		if s := c.Channel("c").Message(key).Payload; s != nil {
			t.Errorf("%s: %s", key, written(s.Node))
		}
	}
	if len(c.Faults) != 1 || c.Faults[0].Message != "there is a schemaFormat, but no schema" {
		t.Errorf("faults %v", c.Faults)
	}
}

func TestSchemasAreSearchedForReferencesNotForData(t *testing.T) {
	c := read(t, `asyncapi: 2.6.0
channels:
  c:
    publish:
      message:
        payload:
          properties:
            default: {$ref: '#/gone/1'}
            list: {items: [{anyOf: [{$ref: '#/gone/2'}]}]}
            named: {$ref: '#anchor'}
            other: {$id: 'https://h.example/s', properties: {a: {$ref: relative.json}}}
            $ref: {type: string}
          default: {$ref: '#/data/1'}
          enum: [{$ref: '#/data/2'}]
          x-own: {$ref: '#/data/3'}
`)
	var got string
	for _, f := range c.Faults {
		got += f.Node.Text + " "
	}
	if got != "#/gone/1 #/gone/2 " {
		t.Errorf("broken: %s", got)
	}
}
