package arazzo

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestPlainScalarsFollowTheCoreSchema(t *testing.T) {
	for _, c := range []struct {
		source string
		kind   value.Kind
		text   string
	}{
		{"", value.KindNull, "null"},
		{"~", value.KindNull, "null"},
		{"Null", value.KindNull, "null"},
		{"nUll", value.KindString, "nUll"},
		{"TRUE", value.KindBool, "true"},
		{"False", value.KindBool, "false"},
		{"yes", value.KindString, "yes"},
		{"on", value.KindString, "on"},
		{"off", value.KindString, "off"},
		{"n", value.KindString, "n"},
		{"10.10", value.KindNumber, "10.10"},
		{"9007199254740993", value.KindNumber, "9007199254740993"},
		{"1e3", value.KindNumber, "1e3"},
		{"1E+3", value.KindNumber, "1E+3"},
		{"-0", value.KindNumber, "-0"},
		{"+1", value.KindNumber, "1"},
		{"-.5", value.KindNumber, "-0.5"},
		{".5", value.KindNumber, "0.5"},
		{"5.", value.KindNumber, "5"},
		{"5.e2", value.KindNumber, "5e2"},
		{"017", value.KindNumber, "17"},
		{"-007.50", value.KindNumber, "-7.50"},
		{"0o17", value.KindNumber, "15"},
		{"0x1F", value.KindNumber, "31"},
		{"0xffffffffffffffffff", value.KindNumber, "4722366482869645213695"},
		{"0o8", value.KindString, "0o8"},
		{"0x", value.KindString, "0x"},
		{"-0x1", value.KindString, "-0x1"},
		{"0b1", value.KindString, "0b1"},
		{"1_000", value.KindString, "1_000"},
		{"2020-01-01", value.KindString, "2020-01-01"},
		{"12:30:45", value.KindString, "12:30:45"},
		{"1.2.3", value.KindString, "1.2.3"},
		{".", value.KindString, "."},
		{"+", value.KindString, "+"},
		{"1e", value.KindString, "1e"},
		{"=", value.KindString, "="},
		{"a\tb", value.KindString, "a\tb"},
		{"$5", value.KindString, "$5"},
		{".infinity", value.KindString, ".infinity"},
		{"'12'", value.KindString, "12"},
		{"! 12", value.KindString, "12"},
		{"!!str 12", value.KindString, "12"},
		{"!!int '12'", value.KindNumber, "12"},
		{"!!float 1", value.KindNumber, "1"},
		{"!!null ''", value.KindNull, "null"},
		{"!!bool 'true'", value.KindBool, "true"},
	} {
		n := mustTree(t, "a: "+c.source+"\n").Get("a")
		if n.Kind != c.kind || n.Text != c.text {
			t.Errorf("%s: got %v %q, want %v %q", c.source, n.Kind, n.Text, c.kind, c.text)
		}
	}
}

func TestScalarsWithoutAValueInJSON(t *testing.T) {
	for _, source := range []string{
		".inf", "-.INF", "+.Inf", ".nan", ".NaN", "!foo x", "!!binary aGk=", "!!timestamp 2020-01-01", "!!set {a}", "!!omap []",
		"!!int x", "!!int 1.5", "!!bool yes", "!!null 0", "0x" + strings.Repeat("f", 1001),
	} {
		root, faults := ParseTree([]byte("a: " + source + "\n"))
		if root == nil || len(faults) != 1 || faults[0].Rule != "yaml" || faults[0].Pointer != "/a" || faults[0].Span.Start.Column != 4 {
			t.Errorf("%.20s: got %v with tree %v, want one fault of yaml at column 4", source, faults, root != nil)
		}
	}
}

func TestKeysAreTheirText(t *testing.T) {
	root := mustTree(t, "200: a\non: b\n~: c\n0x1F: d\n1.0: e\n'q': f\n? g\n: h\n=: i\n\"\\u0041\": j\n")
	var keys []string
	for _, m := range root.Members {
		if m.Key.Kind != value.KindString {
			t.Errorf("key %q is of kind %v", m.Key.Text, m.Key.Kind)
		}
		keys = append(keys, m.Key.Text)
	}
	if got, want := strings.Join(keys, " "), "200 on ~ 0x1F 1.0 q g = A"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
