package dynamic_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
)

func TestPartsOfAValue(t *testing.T) {
	root, _ := arazzo.ParseTree([]byte("{whole: $inputs.a, text: 'a {$inputs.b}', list: [1, $statusCode], found: {context: $response.body, selector: /id, type: jsonpointer}, plain: [1]}"))
	v, faults := dynamic.CompileValue(root, arazzo.Version11, nil)
	if len(faults) > 0 || v.Node() != root {
		t.Fatal(faults)
	}
	var got []string
	v.Members(func(name string, of *dynamic.Value) {
		switch e := of.Expression(); {
		case e != nil:
			name += " is " + e.Source
		case of.Items() != nil:
			name += " ends with " + of.Items()[1].Expression().Source
		default:
			if context, selector := of.Selection(); context != nil {
				name += " is " + selector.String() + " of " + context.Source
			}
		}
		got = append(got, name)
	})
	want := "whole is $inputs.a, text, list ends with $statusCode, found is /id of $response.body, plain"
	if all := strings.Join(got, ", "); all != want {
		t.Errorf("got %s, want %s", all, want)
	}
}
