package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// The schema is for editors, and the reader does not look at it. These tests hold
// that both say the same.

func compiledSchema(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.CompileBytes("weft.schema.json", []byte(published(t, "weft.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *schema.Schema, text string) []schema.Fault {
	t.Helper()
	tree, _ := arazzo.ParseTree([]byte(text))
	if tree == nil {
		return nil
	}
	return s.Validate(tree.Value())
}

func TestTheSchemaTakesWhatTheReaderTakes(t *testing.T) {
	s := compiledSchema(t)
	for _, text := range slices.Concat(examples(t), accepted) {
		for _, fault := range validate(t, s, text) {
			t.Errorf("%s: %s in\n%s", fault.Pointer, fault.Message, text)
		}
	}
}

// accepted are files with rare but good values.
var accepted = []string{
	"sources:\nrun:\nlint:\n",
	"sources:\n  a:\n  b: {auth: , headers: , effects: , idempotency: }\n",
	"$schema: https://example.com/schema\n",
	"sources: {a: {variables: {region: '${ENV:WEFT_TEST_HOST}', v: v2}}, b: {variables: }}\n",
	"run: {stepTimeout: 1.5h30m, timeout: 1µs, jitter: '0', maxBody: 1000}\n",
	"run: {maxBody: 2 MB, server: 'https://api.example.com:8443/a/@b/'}\n",
	"run: {server: '${ENV:WEFT_TEST_SERVER}', timeout: '${ENV:WEFT_TEST_TIMEOUT}', maxBody: '${ENV:WEFT_TEST_SIZE}'}\n",
	"sources: {a: {proxy: 'https://user:pass@proxy.example', server: 'http://${ENV:WEFT_TEST_HOST}/v1'}}\n",
	"sources: {a: {auth: {s: {oauth2: {tokenUrl: 'https://t.example/?x=1', clientId: c, clientSecret: s}}}}}\n",
	"sources: {a: {auth: {s: {oauth2: {clientId: c}}, t: {oauth2: {grant: password, username: u, password: p}}}}}\n",
	"sources: {a: {auth: {s: {oauth2: {grant: password, tokenUrl: 'https://t.example', clientId: c, clientSecret: s, username: u, password: p}}}}}\n",
	"sources: {a: {idempotency: {dialect: paypal, maxLength: 38, statuses: {}, inFlight: 409}}}\n",
	"sources: {a: {idempotency: {header: Repeatability-Request-ID, methods: [POST, M-SEARCH]}}}\n",
	"lint: {rules: {a: 'off', b: {}, c: {severity: hint, words: [x, {y: 1}]}}}\n",
	"serve:\n",
	"serve: {tokens: [{name: a, token: '${ENV:WEFT_TEST_NOT_SET}', rights: [read, start]}]}\n",
	"sources: {a: &a {server: 'http://localhost'}, b: {<<: *a, proxy: none}}\n",
}

func TestTheReaderTakesWhatIsAccepted(t *testing.T) {
	t.Setenv("WEFT_TEST_SERVER", "http://localhost:1")
	t.Setenv("WEFT_TEST_TIMEOUT", "3s")
	t.Setenv("WEFT_TEST_SIZE", "1KiB")
	t.Setenv("WEFT_TEST_HOST", "localhost:2")
	for _, text := range accepted {
		if _, faults := parse("weft.yaml", []byte(text)); len(faults) > 0 {
			t.Errorf("%v in\n%s", faults, text)
		}
	}
}

func TestTheSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	s := compiledSchema(t)
	for name, test := range faultCases {
		if !test.readerOnly && len(validate(t, s, test.text)) == 0 {
			t.Errorf("%s: the schema takes\n%s", name, test.text)
		}
	}
}

// schemaKeys gives the keys of each closed object of the schema, by its place.
func schemaKeys(t *testing.T) map[string][]string {
	t.Helper()
	root, err := value.ParseJSON([]byte(published(t, "weft.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	var walk func(at value.Pointer, v value.Value)
	walk = func(at value.Pointer, v value.Value) {
		if closed, ok := v.Get("additionalProperties").Bool(); ok && !closed {
			var keys []string
			for _, m := range v.Get("properties").Members() {
				keys = append(keys, m.Name)
			}
			slices.Sort(keys)
			found[at.String()] = keys
		}
		for _, m := range v.Members() {
			walk(append(slices.Clone(at), m.Name), m.Value)
		}
	}
	walk(nil, root)
	return found
}

// TestTheSchemaKnowsTheKeysOfTheReader gives the reader a key that is unknown in
// each mapping, and compares what it says is known.
func TestTheSchemaKnowsTheKeysOfTheReader(t *testing.T) {
	files := map[string]string{
		"":                                     "zz: 1",
		"/$defs/source":                        "sources: {a: {zz: 1}}",
		"/$defs/credential":                    "sources: {a: {auth: {s: {zz: 1}}}}",
		"/$defs/oauth2":                        "sources: {a: {auth: {s: {oauth2: {zz: 1}}}}}",
		"/$defs/profile":                       "sources: {a: {idempotency: {zz: 1}}}",
		"/$defs/run":                           "run: {zz: 1}",
		"/$defs/lint":                          "lint: {zz: 1}",
		"/$defs/serve":                         "serve: {zz: 1}",
		"/$defs/serve/properties/tokens/items": "serve: {tokens: [{zz: 1}]}",
		"/$defs/source/properties/clientCertificate": "sources: {a: {clientCertificate: {zz: 1}}}",
		"/$defs/credential/properties/basic":         "sources: {a: {auth: {s: {basic: {zz: 1}}}}}",
		"/$defs/lint/properties/ignore/items":        "lint: {ignore: [{zz: 1}]}",
		"/$defs/source/properties/webhooks":          "sources: {a: {webhooks: {zz: 1}}}",
	}
	found := schemaKeys(t)
	for at, keys := range found {
		text, ok := files[at]
		if !ok {
			t.Errorf("nothing is tested of %s", at)
			continue
		}
		_, faults := parse("weft.yaml", []byte(text))
		want := `has no key "zz" (known: ` + strings.Join(keys, ", ") + ")"
		if !slices.ContainsFunc(faults, func(f Fault) bool { return strings.HasSuffix(f.Message, want) }) {
			t.Errorf("%s: the schema has %v, the reader says %v", at, keys, faults)
		}
	}
	if len(found) != len(files) {
		t.Errorf("%d mappings are tested, the schema has %d", len(files), len(found))
	}
}

func TestTheSchemaKnowsTheDialects(t *testing.T) {
	root, err := value.ParseJSON([]byte(published(t, "weft.schema.json")))
	if err != nil {
		t.Fatal(err)
	}
	at := value.Pointer{"$defs", "profile", "properties", "dialect", "enum"}
	var listed, known []string
	for _, item := range at.In(root).Items() {
		listed = append(listed, item.Text())
	}
	for _, d := range idempotency.Dialects() {
		known = append(known, d.Name)
	}
	if !slices.Equal(listed, known) {
		t.Errorf("the schema lists %v, there are %v", listed, known)
	}
}
