package pattern

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestPatternsWithABound says how many steps a text of 100 characters may take.
func TestPatternsWithABound(t *testing.T) {
	for _, c := range []struct {
		pattern string
		atMost  float64
	}{
		{`(?=a)b`, 1e3}, {`^(?=.*[A-Z])(?=.*\d)[A-Za-z\d@$!%*?&]{8,}$`, 2e3}, {`(?=a+b+)(c+)`, 5e6},
		{`(?!x)(a{2})+`, 1e5}, {`(?=x)(\+\*)+`, 1e5}, {`(?=x)([+*])+`, 1e5}, {`(?=x)(a+)?b`, 1e5},
		{`^(?!x)(a|b)*$`, 2e3}, {`^(?!x)(?:foo|bar|[0-9])+$`, 3e3}, {`(?<=id: )\d+`, 1e5}, {`^(\w)\1$`, 1e3},
		{`^(?<n>a)\k<n>$`, 1e3}, {`(?!x)[]a(+]+`, 1e5}, {`(?!x)[^]a(+]+`, 1e5}, {`^\u0041\x41\cA\u{1F600}+$`, 1e3},
		{`^(?:(?=a)b){1,}$`, 2e3}, {`(?i)^a+$`, 1e5}, {`^(?!x)(\w+ ?){1,2}$`, 1e6}, {`a{`, 1e4}, {`^[\]]+(?!x)$`, 1e3},
	} {
		cost, err := Parse(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := cost.Steps(100); got > c.atMost || got < 1 {
			t.Errorf("%s: %g steps, want no more than %g", c.pattern, got, c.atMost)
		}
	}
}

func TestPatternsWithoutABound(t *testing.T) {
	for pattern, at := range map[string]int{
		`(?=(a+)+$)`: 7, `^(?!x)(\w+\s?)*$`: 14, `(?=x)(a*){2,}`: 9, `(?!y)((ab)*c?)+`: 14, `(?=z)([)]+)*`: 11,
		`^(?!x)(a|aa)+$`: 12, `(?!x)(a|a)*`: 10, `(?!x)(a?)*`: 9, `(?!x)(?:a|b|[^c])*`: 17, `(?i)(?!x)(a|B)*`: 14,
		`(?!x)(\1|a)*`: 11, `(?!x)(|a)*`: 9, `(?>a+)+`: 6, `(?!x)(\bx|x)*`: 12,
	} {
		_, err := Parse(pattern)
		var unbounded *UnboundedError
		if !errors.As(err, &unbounded) || unbounded.Offset != at {
			t.Errorf("%s: got %v (%+v), want no bound at %d", pattern, err, unbounded, at)
		}
	}
}

func TestWhatIsBeyondAllBoundsIsInfinite(t *testing.T) {
	cost, err := Parse(`^(?!x)(\w+ ?){1,50}$`)
	if err != nil {
		t.Fatal(err)
	}
	if got := cost.Steps(1000); !math.IsInf(got, 1) {
		t.Errorf("got %g", got)
	}
	var nesting *NestingError
	if _, err := Parse(strings.Repeat("(?=", 20_000)); !errors.As(err, &nesting) {
		t.Errorf("got %v", err)
	}
}

// FuzzParse: no text makes the reader fail, or give a cost that is none.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`(?=a+)b{2,3}?`, `[^]]+`, `(a|b`, `\`, `(?<`, `(?'`, `{1,`, `(?`, `[\`, `\k<`, `é+`, `(?i-s:x)`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cost, err := Parse(text)
		if err != nil {
			return
		}
		if small, large := cost.Steps(1), cost.Steps(50); math.IsNaN(small) || math.IsNaN(large) || small < 1 || large < small {
			t.Errorf("%q: %g steps for 1 character, %g for 50", text, small, large)
		}
	})
}
