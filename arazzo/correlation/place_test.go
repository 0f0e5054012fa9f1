package correlation_test

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/correlation"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

func object(names ...string) *openapi3.Schema {
	s := openapi3.NewObjectSchema()
	for _, name := range names {
		s.WithProperty(name, openapi3.NewStringSchema())
	}
	return s
}

// operation is a webhook with a header, a query parameter and a composed body.
func operation() *source.Operation {
	body := object("z", "a/b", "orderId")
	body.AllOf = openapi3.SchemaRefs{{Value: object("refund_id")}, nil}
	loop := object("deep")
	loop.OneOf = openapi3.SchemaRefs{{Value: loop}}
	body.AnyOf = openapi3.SchemaRefs{{Value: loop}}
	return &source.Operation{
		Params: []*source.Parameter{{Name: "X-Order-ID", In: "header"}, {Name: "Tenant", In: "query"}, {Name: "session", In: "cookie"}},
		Body:   &source.RequestBody{Content: []*source.MediaType{{Type: "application/json", Schema: body}, {Type: "text/plain"}}},
	}
}

func expressions(t *testing.T, texts ...string) []*expression.Expression {
	t.Helper()
	var all []*expression.Expression
	for _, text := range texts {
		e, err := expression.Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func TestInferred(t *testing.T) {
	for from, want := range map[string]string{
		"$inputs.orderId":                "$message.payload#/orderId",
		"$inputs.order_id":               "$message.payload#/orderId",
		"$inputs.x_order_id":             "$message.header.X-Order-ID",
		"$inputs.tenant":                 "$message.query.Tenant",
		"$steps.s.outputs.refundId":      "$message.payload#/refund_id",
		"$response.body#/data/refund-id": "$message.payload#/refund_id",
		"$inputs.session":                "", // a cookie is no part of a message
		"$inputs.order":                  "",
		"$inputs.deep":                   "$message.payload#/deep", // in a schema that is part of itself
	} {
		got, ok := correlation.Inferred(expressions(t, from), correlation.OfOperation(operation()))
		if got.Expression != want || ok != (want != "") {
			t.Errorf("%s: %q, %v; want %q", from, got.Expression, ok, want)
		}
	}
}

func TestTheFirstExpressionThatHasANamesakeIsTaken(t *testing.T) {
	got, _ := correlation.Inferred(expressions(t, "$inputs.gone", "$inputs.tenant", "$inputs.orderId"), correlation.OfOperation(operation()))
	if got.Expression != "$message.query.Tenant" {
		t.Errorf("got %q", got.Expression)
	}
}

func node(t *testing.T, text string) *arazzo.Node {
	t.Helper()
	n, faults := arazzo.ParseTree([]byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return n
}

func TestOfChannel(t *testing.T) {
	channel := &asyncapi.Channel{Parameters: []*asyncapi.Parameter{{Name: "region"}}}
	m := &asyncapi.Message{
		Headers: &asyncapi.Schema{Format: "application/schema+json", Node: node(t, `{"properties": {"Region": {}, "trace": {}}}`)},
		Payload: &asyncapi.Schema{Format: "application/schema+json", Node: node(t, `{"properties": {"a/b": {}}, "oneOf": [{"properties": {"trace": {}}}, {"allOf": [{"properties": {"id": {}}}]}]}`)},
	}
	var got []string
	for _, p := range correlation.OfChannel(channel, []*asyncapi.Message{m}) {
		got = append(got, p.Expression)
	}
	want := []string{"$message.path.region", "$message.header.Region", "$message.header.trace", "$message.payload#/a~1b", "$message.payload#/trace", "$message.payload#/id"}
	if len(got) != len(want) {
		t.Fatalf("places %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("place %d: %q, want %q", i, got[i], want[i])
		}
	}
}

func TestDescribed(t *testing.T) {
	at := func(part asyncapi.Part, tokens ...string) *asyncapi.Message {
		return &asyncapi.Message{Correlation: &asyncapi.Correlation{Location: asyncapi.Expression{Part: part, Pointer: value.Pointer(tokens)}}}
	}
	for name, test := range map[string]struct {
		messages []*asyncapi.Message
		want     string
	}{
		"none":                   {[]*asyncapi.Message{{}}, ""},
		"a header":               {[]*asyncapi.Message{{}, at(asyncapi.Header, "order-id")}, "$message.header.order-id"},
		"a member":               {[]*asyncapi.Message{at(asyncapi.Payload, "a", "b/c")}, "$message.payload#/a/b~1c"},
		"within a header":        {[]*asyncapi.Message{at(asyncapi.Header, "a", "b")}, ""},
		"a name that none reads": {[]*asyncapi.Message{at(asyncapi.Header, "a b")}, ""},
	} {
		if got, ok := correlation.Described(test.messages); got.Expression != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got.Expression, ok, test.want)
		}
	}
}
