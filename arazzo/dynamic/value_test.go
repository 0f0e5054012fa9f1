package dynamic

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

var inputs = map[string]string{
	"$inputs.id":     `9007199254740993`,
	"$inputs.name":   `"Ann"`,
	"$inputs.null":   `null`,
	"$inputs.list":   `[1,"b"]`,
	"$response.body": `{"items":[{"sku":"A","qty":1},{"sku":"B","qty":2}],"xml":"<o><id>7</id></o>"}`,
	"$inputs.xml":    `"<o><id>7</id><id>8</id></o>"`,
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a number keeps its text", `10.10`, `10.10`},
		{"a constant object", `{a: [1, null]}`, `{"a":[1,null]}`},
		{"an empty list", `[]`, `[]`},
		{"an empty object", `{}`, `{}`},
		{"an empty string", `""`, `""`},
		{"a whole expression keeps its type", `$inputs.id`, `9007199254740993`},
		{"a whole expression may be a list", `$inputs.list`, `[1,"b"]`},
		{"an embedded scalar is text", `"id-{$inputs.id}"`, `"id-9007199254740993"`},
		{"an embedded list is JSON", `"{$inputs.list}!"`, `"[1,\"b\"]!"`},
		{"braces around a whole expression make text", `"{$inputs.id}"`, `"9007199254740993"`},
		{"a string that begins with a dollar is text", `$5`, `"$5"`},
		{"null stays", `{a: $inputs.null}`, `{"a":null}`},
		{"an absent member is left out", `{a: $inputs.nothing, b: 1}`, `{"b":1}`},
		{"an object may come to be empty", `{a: $inputs.nothing}`, `{}`},
		{"a whole absent value", `$inputs.nothing`, `absent`},
		{"members keep their order", `{z: $inputs.id, a: $inputs.name}`, `{"z":9007199254740993,"a":"Ann"}`},
		{"values in lists", `[$inputs.name, {x: $inputs.id}]`, `["Ann",{"x":9007199254740993}]`},
		{"a Selector Object with a singular path", `{context: $response.body, selector: "$.items[1].qty", type: jsonpath}`, `2`},
		{"a Selector Object with a list", `{context: $response.body, selector: "$.items[*].sku", type: jsonpath}`, `["A","B"]`},
		{"a Selector Object with a pointer", `{context: $response.body, selector: /items/0, type: jsonpointer}`, `{"sku":"A","qty":1}`},
		{"a Selector Object with XPath", `{context: $inputs.xml, selector: /o/id, type: {type: xpath, version: xpath-10}}`, `["7","8"]`},
		{"a Selector Object that finds nothing", `{context: $response.body, selector: /none, type: jsonpointer}`, `absent`},
		{"a Selector Object without a context", `{context: $inputs.nothing, selector: /a, type: jsonpointer}`, `absent`},
		{"a Selector Object on null", `{context: $inputs.null, selector: "", type: jsonpointer}`, `null`},
		{"XPath on null", `{context: $inputs.null, selector: /a, type: xpath}`, `absent`},
		{"a Selector Object with an extension", `{context: $response.body, selector: /items/0/qty, type: jsonpointer, x-note: n}`, `1`},
		{"a Selector Object as a member", `{qty: {context: $response.body, selector: /items/0/qty, type: jsonpointer}}`, `{"qty":1}`},
		{"an absent Selector Object as a member", `{qty: {context: $response.body, selector: /none, type: jsonpointer}, b: 1}`, `{"b":1}`},
		{"one field too many makes it data", `{context: $inputs.id, selector: /a, type: jsonpointer, note: n}`,
			`{"context":9007199254740993,"selector":"/a","type":"jsonpointer","note":"n"}`},
		{"a context that is no expression makes it data", `{context: x, selector: /a, type: jsonpointer}`, `{"context":"x","selector":"/a","type":"jsonpointer"}`},
		{"an unknown type makes it data", `{context: x, selector: /a, type: css}`, `{"context":"x","selector":"/a","type":"css"}`},
		{"a field too few makes it data", `{context: x, note: y}`, `{"context":"x","note":"y"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, faults := CompileValue(nodeOf(t, c.text), arazzo.Version11, nil)
			if len(faults) > 0 {
				t.Fatalf("%s: %v", c.text, faults)
			}
			got, err := v.Eval(scopeOf(t, inputs))
			if err != nil || got.String() != c.want {
				t.Errorf("%s: got %s, %v; want %s", c.text, got, err, c.want)
			}
		})
	}
}

func TestSelectorObjectsAreDataInVersion10(t *testing.T) {
	v, faults := CompileValue(nodeOf(t, `{context: $inputs.name, selector: $.a, type: jsonpath}`), arazzo.Version10, nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got, err := v.Eval(scopeOf(t, inputs))
	if want := `{"context":"Ann","selector":"$.a","type":"jsonpath"}`; err != nil || got.String() != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}

func TestValuesThatCannotBeMade(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"an absent list element", `{a: [1, $inputs.nothing]}`, "a: [1]: the list element $inputs.nothing has no value"},
		{"an absent Selector Object in a list", `[{context: $response.body, selector: /none, type: jsonpointer}]`, "[0]: the list element /none of $response.body has no value"},
		{"an absent value in text", `[{b: "x{$inputs.nothing}"}]`, "[0]: b: the embedded expression $inputs.nothing has no value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, faults := CompileValue(nodeOf(t, c.text), arazzo.Version11, nil)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			got, err := v.Eval(scopeOf(t, inputs))
			var absent *AbsentError
			if !errors.As(err, &absent) || err.Error() != c.says {
				t.Errorf("got %s, %v; want an *AbsentError that says %q", got, err, c.says)
			}
		})
	}
	v, _ := CompileValue(nodeOf(t, `{context: $inputs.name, selector: /a, type: xpath}`), arazzo.Version11, nil)
	if _, err := v.Eval(scopeOf(t, inputs)); err == nil || !strings.Contains(err.Error(), "XML") {
		t.Errorf("XPath on text: got %v, want an error that speaks of XML", err)
	}
}

func TestFaultsOfValues(t *testing.T) {
	for _, c := range []struct {
		name, text, pointer string
		offset              int
		unsupported         bool
		suggestion          string
	}{
		{name: "an embedded expression that is none", text: `{a: ["x{$nope}"]}`, pointer: "/a/0", offset: 2},
		{name: "an open brace", text: `"ab{$inputs.x"`, pointer: "", offset: 2},
		{name: "a selector that is no JSONPath", text: `{a: {context: $response.body, selector: "$.a[", type: jsonpath}}`, pointer: "/a/selector", offset: 4},
		{name: "a comparison outside of a filter", text: `{context: $response.body, selector: $.a == 1, type: jsonpath}`, pointer: "/selector", offset: 4, suggestion: "$[?$.a == 1]"},
		{name: "an XPath that is not supported", text: `{context: $response.body, selector: a ! b, type: xpath}`, pointer: "/selector", offset: 2, unsupported: true},
		{name: "a version that is not there", text: `{context: $response.body, selector: a, type: {type: xpath, version: xpath-99}}`, pointer: "/selector"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, faults := CompileValue(nodeOf(t, c.text), arazzo.Version11, nil)
			if len(faults) != 1 {
				t.Fatalf("%s: got %d faults, want one: %v", c.text, len(faults), faults)
			}
			f := faults[0]
			if f.Node.Pointer() != c.pointer || f.Offset != c.offset || f.Unsupported != c.unsupported || f.Suggestion != c.suggestion {
				t.Errorf("%s: got %s+%d, unsupported %v, suggestion %q (%s)", c.text, f.Node.Pointer(), f.Offset, f.Unsupported, f.Suggestion, f.Message)
			}
		})
	}
	_, faults := CompileValue(nodeOf(t, `["{$a}", "{$b}"]`), arazzo.Version11, nil)
	if len(faults) != 2 {
		t.Errorf("two faults in one value: got %d", len(faults))
	}
}

func TestKindsOfValues(t *testing.T) {
	for _, c := range []struct {
		text                      string
		constant, whole, template bool
	}{
		{`1`, true, false, false},
		{`text`, true, false, true},
		{`"a {$inputs.id}"`, false, false, true},
		{`"{$inputs.id}"`, false, false, true},
		{`$inputs.id`, false, true, false},
		{`{context: $response.body, selector: /a, type: jsonpointer}`, false, true, false},
		{`[$inputs.id]`, false, false, false},
		{`{a: {b: [1]}}`, true, false, false},
		{`{a: {b: [$inputs.id]}}`, false, false, false},
	} {
		v, faults := CompileValue(nodeOf(t, c.text), arazzo.Version11, nil)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		if _, constant := v.Constant(); constant != c.constant || v.IsWhole() != c.whole || v.IsTemplate() != c.template {
			t.Errorf("%s: got constant %v, whole %v, template %v", c.text, constant, v.IsWhole(), v.IsTemplate())
		}
	}
}

func TestTheValueOfNoNodeIsAbsent(t *testing.T) {
	v, faults := CompileValue(nil, arazzo.Version11, nil)
	got, err := v.Eval(scopeOf(t, inputs))
	if len(faults) > 0 || err != nil || !got.IsAbsent() || len(v.Uses()) != 0 || v.IsTemplate() || v.IsWhole() {
		t.Errorf("got %s, %v, %v", got, err, faults)
	}
	_ = v.String()
}

func TestUsesOfValues(t *testing.T) {
	const text = `{a: "x {$inputs.id} {$inputs.name}", b: [1, $inputs.list], c: {context: $response.body, selector: /a, type: jsonpointer}}`
	v, _ := CompileValue(nodeOf(t, text), arazzo.Version11, nil)
	var got []string
	for _, use := range v.Uses() {
		written := use.Node.Text[use.Offset:]
		if !strings.HasPrefix(written, use.Expression.Source) {
			t.Errorf("%s is not at byte %d of %s", use.Expression.Source, use.Offset, use.Node.Text)
		}
		got = append(got, use.Node.Pointer()+" "+use.Expression.Source)
	}
	want := "/a $inputs.id, /a $inputs.name, /b/1 $inputs.list, /c/context $response.body"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}

func TestTargetLanguage(t *testing.T) {
	for _, c := range []struct{ contentType, want string }{
		{"application/json", "jsonpointer"},
		{"application/problem+json; charset=utf-8", "jsonpointer"},
		{"application/x-www-form-urlencoded", "jsonpointer"},
		{"application/xml", "xpath"},
		{"Text/XML; charset=utf-8", "xpath"},
		{"application/soap+xml", "xpath"},
		{"", "jsonpointer"},
	} {
		if language, version := TargetLanguage(nil, c.contentType); language.String() != c.want || version != "" {
			t.Errorf("%q: got %s %q, want %s", c.contentType, language, version, c.want)
		}
	}
	language, version := TargetLanguage(&arazzo.ExpressionType{Type: "xpath", Version: "xpath-20"}, "application/json")
	if language.String() != "xpath" || version != "xpath-20" {
		t.Errorf("a written type: got %s %s", language, version)
	}
}
