package config

import (
	"slices"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestExpand(t *testing.T) {
	t.Setenv("WEFT_TEST_A", "one")
	t.Setenv("WEFT_TEST_B", "${ENV:WEFT_TEST_A}")
	t.Setenv("WEFT_TEST_EMPTY", "")
	for _, test := range []struct{ text, want, fault string }{
		{text: "", want: ""},
		{text: "plain $ENV {ENV:WEFT_TEST_A} ${WEFT_TEST_A} $${", want: "plain $ENV {ENV:WEFT_TEST_A} ${WEFT_TEST_A} $${"},
		{text: "${ENV:WEFT_TEST_A}", want: "one"},
		{text: "a${ENV:WEFT_TEST_A}b${ENV:WEFT_TEST_A}", want: "aonebone"},
		{text: "${ENV:WEFT_TEST_B}", want: "${ENV:WEFT_TEST_A}"}, // what a variable holds is not read again
		{text: "[${ENV:WEFT_TEST_EMPTY}]", want: "[]"},
		{text: "${ENV:WEFT_TEST_NONE}", fault: "the environment variable WEFT_TEST_NONE is not set"},
		{text: "${ENV:}", fault: "${ENV:} names no variable"},
		{text: "x${ENV:WEFT_TEST_A", fault: "${ENV: has no closing }"},
	} {
		got, err := (&Environment{}).Expand(test.text)
		switch {
		case test.fault != "" && (err == nil || err.Error() != test.fault):
			t.Errorf("Expand(%q): %v, want %s", test.text, err, test.fault)
		case test.fault == "" && (err != nil || got != test.want):
			t.Errorf("Expand(%q) = %q, %v, want %q", test.text, got, err, test.want)
		}
	}
}

func TestWhatIsExpandedIsRemembered(t *testing.T) {
	t.Setenv("WEFT_TEST_A", "one")
	t.Setenv("WEFT_TEST_B", "two")
	t.Setenv("WEFT_TEST_EMPTY", "")
	var e Environment
	for _, text := range []string{"${ENV:WEFT_TEST_B}-${ENV:WEFT_TEST_A}", "${ENV:WEFT_TEST_A}", "${ENV:WEFT_TEST_EMPTY}", "three"} {
		if _, err := e.Expand(text); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := e.Secrets(), []string{"two", "one"}; !slices.Equal(got, want) {
		t.Errorf("Secrets = %q, want %q", got, want)
	}
}

func TestExpandValue(t *testing.T) {
	t.Setenv("WEFT_TEST_A", "one")
	var e Environment
	v, err := value.ParseJSON([]byte(`{"a": ["${ENV:WEFT_TEST_A}", 10.10, {"${ENV:WEFT_TEST_A}": null}], "b": true}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.ExpandValue(v)
	if want := `{"a":["one",10.10,{"${ENV:WEFT_TEST_A}":null}],"b":true}`; err != nil || got.String() != want {
		t.Errorf("ExpandValue = %s, %v, want %s", got, err, want)
	}
	for _, text := range []string{`"${ENV:}"`, `["${ENV:}"]`, `{"a": "${ENV:}"}`} {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := e.ExpandValue(v); err == nil {
			t.Errorf("ExpandValue(%s) = %s", text, got)
		}
	}
}
