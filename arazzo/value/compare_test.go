package value

import (
	"strings"
	"testing"
)

// read gives the value of a JSON text; "absent" is the value that is not there.
func read(tb testing.TB, text string) Value {
	tb.Helper()
	if text == "absent" {
		return Absent
	}
	v, err := ParseJSON([]byte(text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestIdentical(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`"a"`, `"A"`, false},
		{`"1"`, `1`, false},
		{`null`, `null`, true},
		{`absent`, `absent`, true},
		{`absent`, `null`, false},
		{`true`, `true`, true},
		{`true`, `false`, false},
		{`[1,2]`, `[1.0,2]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`{"a":1,"b":[2]}`, `{"b":[2],"a":1e0}`, true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":1}`, `{"A":1}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`[]`, `{}`, false},
	} {
		a, b := read(t, c.a), read(t, c.b)
		if Identical(a, b) != c.want || Identical(b, a) != c.want {
			t.Errorf("Identical(%s, %s) is not %t", c.a, c.b, c.want)
		}
	}
}

func TestLooseEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`"Done"`, `"dONE"`, true},
		{`"STRASSE"`, `"straße"`, false}, // simple folding keeps the length
		{`"ΣΑΣ"`, `"σας"`, true},
		{`"\u212a"`, `"k"`, true}, // the Kelvin sign
		{`"İ"`, `"i"`, false},
		{`"a"`, `"ab"`, false},
		{`"200"`, `200`, true},
		{`"200.0"`, `200`, true},
		{`"9007199254740993"`, `9007199254740992`, false},
		{`" 200"`, `200`, false},
		{`"0200"`, `200`, false},
		{`"1.0"`, `"1"`, false}, // two strings stay strings
		{`null`, `null`, true},
		{`absent`, `null`, true},
		{`absent`, `absent`, true},
		{`null`, `0`, false},
		{`null`, `""`, false},
		{`null`, `false`, false},
		{`absent`, `false`, false},
		{`true`, `"true"`, false},
		{`true`, `1`, false},
		{`true`, `true`, true},
		{`[]`, `null`, false},
		{`["A"]`, `["a"]`, true},
		{`["1"]`, `[1]`, false},
		{`{"k":"V","n":1}`, `{"n":1.0,"k":"v"}`, true},
		{`{"k":1}`, `{"K":1}`, false},
		{`[1]`, `1`, false},
	} {
		a, b := read(t, c.a), read(t, c.b)
		if LooseEqual(a, b) != c.want || LooseEqual(b, a) != c.want {
			t.Errorf("LooseEqual(%s, %s) is not %t", c.a, c.b, c.want)
		}
	}
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{`1`, `2`, -1},
		{`"10"`, `9`, 1},
		{`"10"`, `"9"`, 1}, // as numbers
		{`"1.0"`, `1`, 0},
		{`9007199254740993`, `9007199254740992`, 1},
		{`"apple"`, `"Banana"`, -1},
		{`"ABC"`, `"abc"`, 0},
		{`"10"`, `"9a"`, -1}, // one is no number: as strings
		{`"a"`, `"ab"`, -1},
		{`""`, `"a"`, -1},
		{`"z"`, `"é"`, -1},
	} {
		got, ok := Order(read(t, c.a), read(t, c.b))
		if !ok || sign(got) != c.want {
			t.Errorf("Order(%s, %s) = %d, %t; want %d", c.a, c.b, got, ok, c.want)
		}
		if back, _ := Order(read(t, c.b), read(t, c.a)); sign(back) != -c.want {
			t.Errorf("Order(%s, %s) = %d; want %d", c.b, c.a, back, -c.want)
		}
	}
}

func TestOrderRefusesOtherKinds(t *testing.T) {
	for _, pair := range [][2]string{
		{`null`, `5`}, {`absent`, `5`}, {`null`, `null`}, {`absent`, `absent`},
		{`true`, `false`}, {`true`, `1`}, {`"a"`, `1`}, {`[1]`, `[2]`}, {`{}`, `{}`}, {`"5"`, `null`},
	} {
		if _, ok := Order(read(t, pair[0]), read(t, pair[1])); ok {
			t.Errorf("Order(%s, %s) orders them", pair[0], pair[1])
		}
	}
}

func TestBytesThatAreNotUTF8AreToldApart(t *testing.T) {
	if LooseEqual(String("\xfe"), String("\xff")) {
		t.Error("two different bytes are equal")
	}
	if order, ok := Order(String("\xfe"), String("\xff")); !ok || order >= 0 {
		t.Error("two different bytes are not ordered")
	}
}

// FuzzCompare holds the comparisons to what any order and equality must satisfy.
func FuzzCompare(f *testing.F) {
	f.Add("1", "1.0", "10e-1")
	f.Add("Abc", "aBC", "abd")
	f.Add("ſ", "S", "s")
	f.Add("\xff", "Ā", "")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if compareFold(a, b) != -compareFold(b, a) {
			t.Errorf("%q and %q are not ordered alike both ways", a, b)
		}
		if compareFold(a, b) <= 0 && compareFold(b, c) <= 0 && compareFold(a, c) > 0 {
			t.Errorf("%q, %q, %q: not transitive", a, b, c)
		}
		if strings.ToValidUTF8(a, "") == a && strings.ToValidUTF8(b, "") == b &&
			(compareFold(a, b) == 0) != strings.EqualFold(a, b) {
			t.Errorf("%q and %q: equality is not that of simple folding", a, b)
		}
		if !isNumber(a) || !isNumber(b) || !isNumber(c) {
			return
		}
		if compareNumbers(a, b) != -compareNumbers(b, a) {
			t.Errorf("%s and %s are not ordered alike both ways", a, b)
		}
		if compareNumbers(a, b) <= 0 && compareNumbers(b, c) <= 0 && compareNumbers(a, c) > 0 {
			t.Errorf("%s, %s, %s: not transitive", a, b, c)
		}
		if (compareNumbers(a, b) == 0) != (canonical(a) == canonical(b)) {
			t.Errorf("%s and %s: equal numbers have one text, others have two", a, b)
		}
	})
}

func BenchmarkLooseEqual(b *testing.B) {
	for name, pair := range map[string][2]Value{
		"small numbers": {read(b, "200"), read(b, "201")},
		"decimals":      {read(b, "10.10"), read(b, "10.1")},
		"strings":       {read(b, `"Succeeded"`), read(b, `"SUCCEEDED"`)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				LooseEqual(pair[0], pair[1])
			}
		})
	}
}
