package expression

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestLiteralTexts(t *testing.T) {
	for _, text := range []string{
		"", "plain", "$5", "$USD", "$.items[?(@.ok)]", "$input.x", "$response.", "$steps.", "$inputs.", "$response.header.",
		"pay $inputs.a now", " $inputs.a", "$inputs.a ", "{}", "{ \"a\": 1 }", "}{", "{ $inputs.a }", "costs $5 {each}", "$inputs.a}",
	} {
		tpl, err := ParseTemplate(text, nil)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if literal, ok := tpl.Literal(); !ok || literal != text {
			t.Errorf("%q is no literal", text)
		}
		if v, err := tpl.Eval(fixed{}); err != nil || !value.Identical(v, value.String(text)) {
			t.Errorf("%q gives %s, %v", text, v, err)
		}
	}
}

func TestTemplatesGiveValues(t *testing.T) {
	body := `{"k": [1, 2.50], "xml": "<a>&</a>", "null": null}`
	scope := fixed{"a": value.String("x1"), "n": value.Int(7), "body": mustJSON(t, body), "first name": value.Bool(true)}
	for text, want := range map[string]string{
		"$inputs.n":                                       `7`,
		"$inputs.first name":                              `true`,
		"$response.body#/k":                               `[1,2.50]`,
		"$response.body#/null":                            `null`,
		"$inputs.missing":                                 `absent`,
		"$response.body#/xml/a":                           `absent`,
		"{$inputs.n}":                                     `"7"`,
		"{$inputs.a}-{$inputs.n}":                         `"x1-7"`,
		"id={$inputs.a}/n={$inputs.n}":                    `"id=x1/n=7"`,
		"{$inputs.a}{$inputs.n}":                          `"x17"`,
		"{{$inputs.n}}":                                   `"{7}"`,
		"$inputs.a{$inputs.n}":                            `"$inputs.a7"`,
		"$5 for {$inputs.a}":                              `"$5 for x1"`,
		"v={$response.body#/k}":                           `"v=[1,2.50]"`,
		"<r>{$response.body#/xml}</r>":                    `"<r><a>&</a></r>"`,
		"{$response.body#/null}":                          `"null"`,
		`{ "id": "{$inputs.a}", "c": {"d": {$inputs.n}}}`: `"{ \"id\": \"x1\", \"c\": {\"d\": 7}}"`,
		"{$inputs.first name}!":                           `"true!"`,
		"a{$response.body.k[1]}":                          `"a2.50"`,
	} {
		tpl, err := ParseTemplate(text, declaredNames)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got, err := tpl.Eval(scope)
		if err != nil || got.String() != want {
			t.Errorf("%q gives %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestFaultyEmbeddedExpressionsAreErrors(t *testing.T) {
	for text, offset := range map[string]int{
		"{$": 0, "a {$inputs.a": 2, "{$}": 1, "{$5}": 1, "x{$inputs.}": 10, "{$inputs.a}{$nope.b}": 12,
		"{$inputs.a b}": 10, "{$response.header.}": 18, "{$statusCode }": 12,
	} {
		_, err := ParseTemplate(text, nil)
		wantOffset(t, text, err, offset)
	}
}

func TestAbsentValueInTextIsAnError(t *testing.T) {
	tpl, err := ParseTemplate("a{$inputs.n}b{$inputs.gone}", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = tpl.Eval(fixed{"n": value.Int(1)})
	var absent *AbsentError
	if !errors.As(err, &absent) || absent.Expression.Name != "gone" {
		t.Errorf("got %v", err)
	}
}

func TestPartsKnowTheirPlaces(t *testing.T) {
	text := "a{$inputs.n}{$url}é"
	tpl, err := ParseTemplate(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, s := range tpl.Parts() {
		if s.Expression != nil && s.Expression.Source != text[s.Offset:s.End] || s.Expression == nil && s.Text != text[s.Offset:s.End] {
			t.Errorf("%+v is not at its place", s)
		}
		found = append(found, text[s.Offset:s.End])
	}
	if got := strings.Join(found, "|"); got != "a|$inputs.n|$url|é" {
		t.Error(got)
	}
	if _, ok := tpl.Whole(); ok {
		t.Error("is wholly an expression")
	}
}

func TestParseEmbeddedTakesNoTextWhole(t *testing.T) {
	for text, want := range map[string]int{"$url": 1, "$[?@.a == '{$inputs.n}']": 3, "": 0, "{$url}": 1} {
		segments, err := ParseEmbedded(text, nil)
		if err != nil || len(segments) != want {
			t.Errorf("%q: %d segments, %v", text, len(segments), err)
		}
		if text == "$url" && segments[0].Expression != nil {
			t.Error("a text without braces is read as an expression")
		}
	}
	_, err := ParseEmbedded("$.a[{$nope}]", nil)
	wantOffset(t, "$.a[{$nope}]", err, 5)
}

func TestWarningsOfATemplateCountFromItsStart(t *testing.T) {
	tpl, err := ParseTemplate("id: {$response.body.id}", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := tpl.Warnings()
	if len(w) != 1 || w[0].Kind != DottedBody || w[0].Offset != 19 || w[0].End != 22 {
		t.Errorf("%+v", w)
	}
}

func mustJSON(tb testing.TB, text string) value.Value {
	tb.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"a{$inputs.n}b", "{$", "$url", "{{$url}}", "{$inputs.first name}", "$inputs.a{$url}", "{$response.body.a[0]}"} {
		f.Add(seed)
	}
	scope := fixed{"n": value.Int(1), "body": mustJSON(f, `{"a": ["{$url}"]}`)}
	f.Fuzz(func(t *testing.T, text string) {
		tpl, err := ParseTemplate(text, declaredNames)
		if err != nil {
			var fault *Error
			if !strings.Contains(text, "{$") || !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		if !strings.Contains(text, "$") {
			if literal, ok := tpl.Literal(); !ok || literal != text {
				t.Fatalf("%q is no literal", text)
			}
		}
		again, err := ParseTemplate(tpl.String(), declaredNames)
		if err != nil || again.String() != tpl.String() || len(again.Parts()) != len(tpl.Parts()) {
			t.Fatalf("%q is printed %q: %v", text, tpl, err)
		}
		v, err := tpl.Eval(scope)
		w, errAgain := again.Eval(scope)
		if (err == nil) != (errAgain == nil) || err == nil && v.String() != w.String() {
			t.Fatalf("%q gives %s, printed %q gives %s", text, v, tpl, w)
		}
	})
}
