package value

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestNumberTakesJSONNumbersOnly(t *testing.T) {
	for _, text := range []string{"0", "-0", "7", "10.10", "1e5", "1E+5", "1.5e-005", "9007199254740993", "1e999999999999999999"} {
		v, err := Number(text)
		if err != nil {
			t.Errorf("Number(%q): %v", text, err)
		}
		if got, _ := v.NumberText(); got != text {
			t.Errorf("Number(%q) keeps %q", text, got)
		}
	}
	for _, text := range []string{"", "-", "+1", "01", "-01", ".5", "1.", "1.e1", "1e", "1e+", "0x1", " 1", "1 ", "NaN", "Infinity", "1_000", "١", "1e1000000000000000000"} {
		if _, err := Number(text); err == nil {
			t.Errorf("Number(%q) gives no error", text)
		}
	}
}

func TestNumbersCompareExactly(t *testing.T) {
	// Each list is in strictly ascending order.
	for _, ascending := range [][]string{
		{"-2", "-1.5", "-1", "-0.1", "0", "0.01", "0.1", "1", "1.5", "2", "10", "100"},
		{"9007199254740992", "9007199254740993", "9007199254740994"},
		{"0.1", "0.10000000000000000000000000000000000001", "0.2"},
		{"-1e999999999", "-1e-999999999", "0", "1e-999999999", "1e999999999"},
		{"9.99e2", "1e3", "1000.0000001", "1.1e3"},
		{"99999999999999999", "999999999999999999", "9999999999999999999", "99999999999999999999"},
	} {
		for i, a := range ascending {
			for j, b := range ascending {
				want := sign(i - j)
				if got := sign(compareNumbers(a, b)); got != want {
					t.Errorf("%s against %s: got %d, want %d", a, b, got, want)
				}
			}
		}
	}
}

func TestOneNumberInManySpellings(t *testing.T) {
	for _, same := range [][]string{
		{"0", "-0", "0.0", "0e5", "-0.00e-999999999999"},
		{"1", "1.0", "10e-1", "0.1e1", "1E0", "1.000e+00", "0.00001e5"},
		{"-1500", "-1.5e3", "-15e2", "-1500.00"},
		{"123456789012345678901234567890", "1.2345678901234567890123456789e29"},
	} {
		for _, a := range same {
			for _, b := range same {
				if compareNumbers(a, b) != 0 {
					t.Errorf("%s and %s differ", a, b)
				}
				if canonical(a) != canonical(b) {
					t.Errorf("%s is written %s, %s is written %s", a, canonical(a), b, canonical(b))
				}
			}
		}
	}
}

func TestCanonicalNumbersAreLaidOutAsECMAScriptDoes(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "-0": "0", "1": "1", "-1.50": "-1.5", "100": "100",
		"1e20": "100000000000000000000", "1e21": "1e+21", "123e20": "1.23e+22",
		"0.000001": "0.000001", "0.0000001": "1e-7", "1.25e-7": "1.25e-7",
		"0.001": "0.001", "333333333.33333329": "333333333.33333329",
		"4.50": "4.5", "2e-3": "0.002", "0.000000000000000000000000001": "1e-27",
		"9007199254740993": "9007199254740993",
		"1e-999999999999":  "1e-999999999999",
	} {
		if got := canonical(text); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
	}
}

func TestHugeNumbersAreComparedQuickly(t *testing.T) {
	started := time.Now()
	long := "1" + strings.Repeat("0", 1<<20)
	if compareNumbers("1e1048576", long) != 0 {
		t.Error("a million zeros differ from their exponent")
	}
	if compareNumbers("1e999999999999999999", "1e-999999999999999999") <= 0 {
		t.Error("the greatest is not greater than the least")
	}
	if spent := time.Since(started); spent > 5*time.Second {
		t.Errorf("took %s", spent)
	}
}

func TestComparisonAgreesWithExactRationals(t *testing.T) {
	number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,12})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		x, y := rational(t, a), rational(t, b)
		if got, want := sign(compareNumbers(a, b)), x.Cmp(y); got != want {
			t.Fatalf("%s against %s: got %d, want %d", a, b, got, want)
		}
		if rational(t, canonical(a)).Cmp(x) != 0 {
			t.Fatalf("%s is written %s", a, canonical(a))
		}
	})
}

func rational(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("no rational: %s", text)
	}
	return r
}

func canonical(text string) string { return string(appendDecimal(nil, parseDecimal(text))) }

func sign(n int) int { return max(-1, min(1, n)) }
