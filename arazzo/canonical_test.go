package arazzo

import (
	"fmt"
	"strings"
	"testing"
)

func TestWholeNumbers(t *testing.T) {
	for s, want := range map[string]bool{
		"0": true, "5": true, "-5": true, "5.0": true, "5.5": false, "5e3": true, "5e-1": false, "50e-1": true,
		"0.5e1": true, "0.05e1": false, "0e-9": true, "0.0": true, "1E+2": true, "1e99999999999999999999": true, "1e-99999999999999999999": false,
	} {
		if got := isWhole(s); got != want {
			t.Errorf("%s: got %v", s, got)
		}
	}
}

func TestNegativeNumbers(t *testing.T) {
	for s, want := range map[string]bool{"0": false, "-0": false, "-0.0e5": false, "-1": true, "-0.1": true, "1e-5": false, "-1e-5": true} {
		if got := isNegative(s); got != want {
			t.Errorf("%s: got %v", s, got)
		}
	}
}

// TestFingerprintsTellApart holds that nodes of one canonical text are always thought
// the same, and others not.
func TestFingerprintsTellApart(t *testing.T) {
	for list, want := range map[string]bool{
		`[]`: false, `[1]`: false, `[1, 1]`: true, `[1, "1"]`: false, `["true", true]`: false, `[null, ""]`: false,
		`[{a: 1, b: 2}, {b: 2, a: 1}]`:      true,
		`[{a: 1, b: 2}, {a: 2, b: 1}]`:      false,
		`[{a: b}, {b: a}]`:                  false,
		`[{a: {b: c}}, {b: {a: c}}]`:        false,
		`[[1, 2], [2, 1]]`:                  false,
		`[[1, 2], [1, 2]]`:                  true,
		`[[[1], 2], [[1, 2]]]`:              false,
		`[[], {}]`:                          false,
		`[{x: [{a: 1}]}, 1, {x: [{a: 1}]}]`: true,
	} {
		if got := mayRepeat(mustTree(t, list).Items); got != want {
			t.Errorf("%s: got %t, want %t", list, got, want)
		}
	}
}

// BenchmarkMayRepeat looks through a list of small objects.
func BenchmarkMayRepeat(b *testing.B) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "- {name: n%d, in: query, value: $inputs.n}\n", i)
	}
	root, _ := ParseTree([]byte(text.String()))
	b.ReportAllocs()
	for b.Loop() {
		if mayRepeat(root.Items) {
			b.Fatal("they differ")
		}
	}
}
