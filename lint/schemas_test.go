package lint

import (
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

func TestWhatIsAboutOtherSchemas(t *testing.T) {
	for _, c := range []struct {
		schema string
		want   bool
	}{
		{`{type: object, properties: {id: {type: string}, $ref: {type: string}}}`, false},
		{`{properties: {properties: {type: object}}}`, false},
		{`{properties: {properties: {$ref: '#/a'}}}`, true},
		{`{definitions: {properties: {$ref: '#/a'}}}`, true},
		{`{patternProperties: {'^$id': {type: string}}, dependentSchemas: {id: {required: [a]}}}`, false},
		{`{id: a}`, true},
		{`{items: {id: a}}`, true},
		{`{allOf: [{$id: a}]}`, true},
		{`{properties: {a: {allOf: [{$anchor: a}]}}}`, true},
	} {
		n, faults := arazzo.ParseTree([]byte(c.schema))
		if n == nil {
			t.Fatal(faults)
		}
		if got := RefersBeyond(n); got != c.want {
			t.Errorf("%s: got %t", c.schema, got)
		}
	}
}
