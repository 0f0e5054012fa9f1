package dynamic_test

import (
	"errors"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/value"
)

func TestReadJSON(t *testing.T) {
	for _, test := range []struct {
		text   string
		uses   int
		alone  string // the member that is an expression without quotes
		fixed  string // the value of member k
		broken bool
		open   bool
	}{
		{text: `{"a": {$inputs.b}, "k": 1}`, uses: 1, alone: "a", fixed: "1"},
		{text: `{"a": "{$inputs.b}", "k": "$inputs.b"}`, uses: 1, fixed: `"$inputs.b"`},
		{text: `{"a": "\"{$inputs.b}", "k": ["{$inputs.b}", {$inputs.b}]}`, uses: 3},
		{text: "{\n\t\"k\": \"\\u00fc\\/\"\n}", fixed: `"ü/"`},
		{text: `{'a': {$inputs.b}}`, broken: true},
		{text: `no JSON`, broken: true},
		{text: `{"a": {$inputs.b}`, open: true},
		{text: `{"a": 1{$inputs.b}}`, open: true},
		{text: `{{$inputs.b}: 1}`, open: true},
		{text: `{"x{$inputs.b}": 1}`, open: true},
		{text: `{"a": "\u007b$inputs.b}"}`, open: true},
		{text: `$inputs.b`, open: true},
	} {
		v, faults := dynamic.CompileValue(&arazzo.Node{Kind: value.KindString, Text: test.text}, arazzo.Version11, nil)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", test.text, faults)
		}
		read, err := v.ReadJSON(nil)
		var syntax *value.SyntaxError
		if got := errors.As(err, &syntax); got != test.broken || errors.Is(err, dynamic.ErrOpenText) != test.open {
			t.Errorf("%s: %v", test.text, err)
		}
		if test.broken || test.open {
			continue
		}
		if uses := read.Uses(); len(uses) != test.uses {
			t.Errorf("%s: %d uses, want %d", test.text, len(uses), test.uses)
		}
		read.Members(func(name string, member *dynamic.Value) {
			if member.IsAlone() != (name == test.alone) {
				t.Errorf("%s: %s stands alone: %v", test.text, name, member.IsAlone())
			}
			if name == "k" && test.fixed != "" {
				if constant, _ := member.Constant(); constant.String() != test.fixed {
					t.Errorf("%s: k is %s, want %s", test.text, constant, test.fixed)
				}
			}
			if at := member.Node().Span.Start.Offset; at <= 0 || at >= len(test.text) {
				t.Errorf("%s: %s is at byte %d", test.text, name, at)
			}
		})
	}
}
