package expression

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestConditionsArePrintedInOneForm(t *testing.T) {
	for text, want := range map[string]string{
		" $statusCode==200 ":             "$statusCode == 200",
		"((($statusCode == 200)))":       "$statusCode == 200",
		"true||false&&null":              "true || false && null",
		"(true || false) && null":        "(true || false) && null",
		"true || (false || null)":        "true || (false || null)",
		"(true && false) && null":        "true && false && null",
		"!(1 == 2)":                      "!(1 == 2)",
		"!!true":                         "!!true",
		"(!true) == false":               "!true == false",
		"(1 == 1) == (2 == 2)":           "(1 == 1) == (2 == 2)",
		`"it's" == 'a'`:                  "'it''s' == 'a'",
		"'{$inputs.n}''' == {$inputs.n}": "'{$inputs.n}''' == {$inputs.n}",
		"$response.body.a[ 0 ].b == 1":   "$response.body.a[0].b == 1",
		"($response.body#/a).b == 1":     "($response.body#/a).b == 1",
		"($inputs.a).b == 1":             "($inputs.a).b == 1",
		"{$inputs.a}.b == 1":             "{$inputs.a}.b == 1",
		"(true).x":                       "true.x",
		"(1).x":                          "(1).x",
		"(1 == 1).x":                     "(1 == 1).x",
		"'a'.x":                          "'a'.x",
	} {
		c, err := ParseCondition(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if c.String() != want {
			t.Errorf("%s is printed %s, want %s", text, c, want)
		}
	}
}

func TestSpansCoverWhatTheyStandFor(t *testing.T) {
	text := "(true || $statusCode == 200) && !($response.body.a[0] == 'x')"
	c, err := ParseCondition(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	Walk(c.Root(), func(n Node) bool {
		start, end := n.Span()
		got = append(got, text[start:end])
		return true
	})
	want := []string{
		text, "(true || $statusCode == 200)", "true", "$statusCode == 200", "$statusCode", "200",
		"!($response.body.a[0] == 'x')", "($response.body.a[0] == 'x')", "$response.body.a[0]", "$response.body.a", "$response.body", "0", "'x'",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// sameTree compares what conditions mean, without the places.
var sameTree = cmp.Options{
	shape,
	cmp.Comparer(value.Identical),
	cmpopts.IgnoreTypes(extent{}),
	cmpopts.IgnoreFields(Operand{}, "Offset"),
	cmpopts.IgnoreFields(Segment{}, "Offset", "End"),
}

func FuzzCondition(f *testing.F) {
	for _, seed := range []string{
		"$statusCode == 200", "$response.body.items[0].sku == 'a1' || {$inputs.n} > 7", "!(true && 'a{$inputs.n}''b' != \"x\")",
		"$response.header.X-Id!='a'", "((1)).x", "$inputs.first name.x == null", "$response.body#/a[0]==-1.5e3", "$response.body[$response.body#/i]", "1 < 2 == true",
		`$request.query.a\u0020b == 'x'`,
	} {
		f.Add(seed)
	}
	scope := conditionScope(f)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCondition(text, declaredNames)
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) {
				t.Fatalf("%q: %#v", text, err)
			}
			return
		}
		again, err := ParseCondition(c.String(), declaredNames)
		if err != nil {
			t.Fatalf("%q is printed %q: %v", text, c, err)
		}
		if diff := cmp.Diff(c.Root(), again.Root(), sameTree); diff != "" || again.String() != c.String() {
			t.Fatalf("%q is printed %q: %s", text, c, diff)
		}
		verdict, err := c.Eval(scope)
		second, errAgain := again.Eval(scope)
		if verdict != second || (err == nil) != (errAgain == nil) {
			t.Fatalf("%q gives %t, %v; printed %q it gives %t, %v", text, verdict, err, c, second, errAgain)
		}
		var absent *AbsentError
		if err != nil && !errors.As(err, &absent) {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
