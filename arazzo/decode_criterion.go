package arazzo

import "github.com/weft-flow/weft/arazzo/value"

var criterionShape = shape[Criterion]{name: "a criterion", fields: []field[Criterion]{
	{name: "context", read: str(func(c *Criterion) *Text { return &c.Context })},
	{name: "condition", required: true, read: str(func(c *Criterion) *Text { return &c.Condition })},
	{name: "type", read: func(d *decoder, n *Node, into *Criterion) {
		into.Type = d.expressionType(n, "criterion-type", words("simple", "regex", "jsonpath", "xpath"))
	}},
}}

func (d *decoder) criterion(n *Node) *Criterion {
	c := &Criterion{Node: n}
	if !criterionShape.read(d, n, c) {
		return nil
	}
	if c.Type != nil && !c.Context.Present() {
		d.fault("criterion-context-required", c.Type.Node, "a criterion with a type needs context: what the condition is applied to")
	}
	return c
}

// selectorTypes are the words for the language of a selector.
var selectorTypes = words("jsonpointer", "jsonpath", "xpath")

// expressionVersions lists what an Expression Type Object may say for each type.
var expressionVersions = []struct {
	name     word
	versions []word
}{
	{word{name: "jsonpath"}, []word{{name: "draft-goessner-dispatch-jsonpath-00"}, {name: "rfc9535", since: Version11}}},
	{word{name: "xpath"}, []word{{name: "xpath-10"}, {name: "xpath-20"}, {name: "xpath-30"}, {name: "xpath-31", since: Version11}}},
	{word{name: "jsonpointer", since: Version11}, words("rfc6901")},
}

// expressionFields is an Expression Type Object before its parts are judged.
type expressionFields struct {
	kind, version *Node
}

var expressionTypeShape = shape[expressionFields]{name: "an expression type", fields: []field[expressionFields]{
	{name: "type", required: true, read: anything(func(e *expressionFields) **Node { return &e.kind })},
	{name: "version", required: true, read: anything(func(e *expressionFields) **Node { return &e.version })},
}}

// expressionType reads a language that is given as a word or as an object with
// its version.
func (d *decoder) expressionType(n *Node, rule string, allowed []word) *ExpressionType {
	t := &ExpressionType{Node: n}
	if n.Kind != value.KindObject {
		d.checkWord(rule, n, allowed)
		t.Type = n.Text
		return t
	}
	var fields expressionFields
	expressionTypeShape.read(d, n, &fields)
	d.readExpressionType(t, fields, rule)
	return t
}

func (d *decoder) readExpressionType(t *ExpressionType, fields expressionFields, rule string) {
	if fields.kind == nil {
		return
	}
	t.Type = fields.kind.Text
	names := make([]word, len(expressionVersions))
	for i, e := range expressionVersions {
		names[i] = e.name
	}
	if !d.checkWord(rule, fields.kind, names) || fields.version == nil {
		return
	}
	t.Version = fields.version.Text
	for _, e := range expressionVersions {
		if e.name.name == t.Type {
			d.checkWord(rule, fields.version, e.versions)
		}
	}
}

// selector is a Selector Object. The model keeps it as its node alone.
type selector struct {
	context, text Text
}

var selectorShape = shape[selector]{name: "a selector", fields: []field[selector]{
	{name: "context", required: true, read: str(func(s *selector) *Text { return &s.context })},
	{name: "selector", required: true, read: str(func(s *selector) *Text { return &s.text })},
	{name: "type", required: true, read: func(d *decoder, n *Node, _ *selector) {
		d.expressionType(n, "schema", selectorTypes)
	}},
}}

var requestBodyShape = shape[RequestBody]{name: "a request body", fields: []field[RequestBody]{
	{name: "contentType", read: str(func(b *RequestBody) *Text { return &b.ContentType })},
	{name: "payload", read: anything(func(b *RequestBody) **Node { return &b.Payload })},
	{name: "replacements", read: objects(list{"replacements", 0}, (*decoder).replacement,
		func(b *RequestBody) *[]*Replacement { return &b.Replacements })},
}}

func (d *decoder) requestBody(n *Node) *RequestBody {
	b := &RequestBody{Node: n}
	if !requestBodyShape.read(d, n, b) {
		return nil
	}
	return b
}

var replacementShape = shape[Replacement]{name: "a replacement", fields: []field[Replacement]{
	{name: "target", required: true, read: str(func(r *Replacement) *Text { return &r.Target })},
	{name: "targetSelectorType", since: Version11, read: func(d *decoder, n *Node, into *Replacement) {
		into.TargetType = d.expressionType(n, "schema", selectorTypes)
	}},
	{name: "value", required: true, read: anything(func(r *Replacement) **Node { return &r.Value })},
}}

func (d *decoder) replacement(n *Node) *Replacement {
	r := &Replacement{Node: n}
	if !replacementShape.read(d, n, r) {
		return nil
	}
	return r
}
