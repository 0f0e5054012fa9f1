package dynamic_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

// TestWhatIsPutTogetherIsLimited: a document of a line must not make gigabytes.
func TestWhatIsPutTogetherIsLimited(t *testing.T) {
	large := value.String(strings.Repeat("x", dynamic.MaxSize/2))
	shared := value.String("x")
	for range 60 {
		shared = value.Array(shared, shared)
	}
	tests := []struct {
		name, yaml string
		input      value.Value
		want       error
	}{
		{"one in a list", `[$inputs.x]`, large, nil},
		{"two in a list", `[$inputs.x, $inputs.x]`, large, dynamic.ErrTooLarge},
		{"two in lists within lists", `[[$inputs.x], [{a: $inputs.x}]]`, large, dynamic.ErrTooLarge},
		{"two in an object", `{a: $inputs.x, b: $inputs.x}`, large, dynamic.ErrTooLarge},
		{"two in text", `"{$inputs.x}{$inputs.x}."`, large, expression.ErrTextTooLarge},
		{"what holds itself, handed on", `$inputs.x`, shared, nil},
		{"what holds itself, in a list", `[$inputs.x]`, shared, dynamic.ErrTooLarge},
		{"what holds itself, in text", `"a {$inputs.x}"`, shared, expression.ErrTextTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tree, faults := arazzo.ParseTree([]byte(test.yaml))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			v, problems := dynamic.CompileValue(tree, arazzo.Version11, nil)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			_, err := v.Eval(inputX{test.input})
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// inputX is a scope in which $inputs.x is a value.
type inputX struct{ value.Value }

func (s inputX) Resolve(*expression.Expression) value.Value { return s.Value }
