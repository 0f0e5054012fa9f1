package selector

import (
	"errors"
	"strings"
	"testing"
)

func TestRegex(t *testing.T) {
	for _, c := range []struct {
		name, pattern, text string
		want                bool
	}{
		{"anchored", `^2\d{2}$`, "204", true},
		{"anchors hold", `^2\d{2}$`, "2045", false},
		{"it matches anywhere", `ok`, "it is ok", true},
		{"case counts", `OK`, "ok", false},
		{"case by a flag", `(?i)OK`, "ok", true},
		{"the empty pattern", ``, "x", true},
		{"a group by name", `(?<year>\d{4})`, "in 2024", true},
		{"look-ahead", `^(?=.*\d).+$`, "abc1", true},
		{"look-ahead that fails", `^(?!.*\d).+$`, "abc1", false},
		{"look-behind", `(?<=id: )\d+`, "id: 7", true},
		{"a back-reference", `^(\w)\1$`, "aa", true},
		{"a back-reference that fails", `^(\w)\1$`, "ab", false},
		{"an escape of ECMAScript", `^\u0041$`, "A", true},
		{"many repetitions", `^a{2000}$`, strings.Repeat("a", 2000), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := CompileRegex(c.pattern)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := r.Match(c.text); err != nil || got != c.want {
				t.Errorf("%s on %q: got %v, %v; want %v", c.pattern, c.text, got, err, c.want)
			}
		})
	}
}

func TestRegexSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		pattern string
		offset  int
	}{{"a(", 0}, {"ab[", 2}, {"x**", 1}, {"(?<n", 0}} {
		_, err := CompileRegex(c.pattern)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != c.offset {
			t.Errorf("%s: got %v, want a syntax error at %d", c.pattern, err, c.offset)
		}
	}
}

func TestRegexWithoutABoundIsUnsupported(t *testing.T) {
	for _, pattern := range []string{`(?=(a+)+$)`, `^(?!x)(\w+\s?)*$`, `(?=x)(a*){2,}`, `(?!y)((ab)*c?)+`, `(?=z)([)]+)*`, `^(?!x)(a|aa)+$`} {
		_, err := CompileRegex(pattern)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: got %v, want it to be unsupported", pattern, err)
		}
	}
	for _, pattern := range []string{`(?=a+b+)(c+)`, `(?!x)(a{2})+`, `(?=x)(\+\*)+`, `(?=x)([+*])+`, `(?=x)(a+)?b`} {
		if _, err := CompileRegex(pattern); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}

// TestRegexThatWouldTakeTooLongIsAnErrorNotFalse, by the length of the text alone,
// and the error does not hold the text.
func TestRegexThatWouldTakeTooLongIsAnErrorNotFalse(t *testing.T) {
	r, err := CompileRegex(`(?!x)a+a+a+b`)
	if err != nil {
		t.Fatal(err)
	}
	if matched, err := r.Match(strings.Repeat("a", 60) + "c"); err != nil || matched {
		t.Errorf("a short text: got %v, %v", matched, err)
	}
	matched, err := r.Match(strings.Repeat("a", 5000) + "c")
	var limit *LimitError
	if !errors.As(err, &limit) || strings.Contains(err.Error(), "aaa") {
		t.Errorf("a long text: got %v, %v", matched, err)
	}
}

func TestRegexLimits(t *testing.T) {
	var limit *LimitError
	if _, err := CompileRegex(strings.Repeat("a", MaxTextLength+1)); !errors.As(err, &limit) {
		t.Errorf("a long pattern: got %v, want a limit", err)
	}
	if _, err := CompileRegex(strings.Repeat("(?=", 20_000) + strings.Repeat(")", 20_000)); !errors.As(err, &limit) {
		t.Errorf("a deep pattern: got %v, want a limit", err)
	}
	r, err := CompileRegex(`(?=a)b`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Match(strings.Repeat("b", MaxBacktrackingText+1)); !errors.As(err, &limit) {
		t.Errorf("a long text: got %v, want a limit", err)
	}
	linear, err := CompileRegex(`(a+)+$`)
	if err != nil {
		t.Fatal(err)
	}
	if matched, err := linear.Match(strings.Repeat("a", 2<<20) + "b"); err != nil || matched {
		t.Errorf("a long text by RE2: got %v, %v", matched, err)
	}
}
