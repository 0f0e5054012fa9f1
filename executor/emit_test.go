package executor

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// TestAListInAPathIsShownAsItIsSent, without the brackets of JSON.
func TestAListInAPathIsShownAsItIsSent(t *testing.T) {
	call := Call{Operation: &source.Operation{Path: "/p/{l}/{s}"}, Arguments: []Argument{
		{Name: "l", In: "path", Value: value.Array(value.Int(1), value.String("a"))}, {Name: "s", In: "path", Value: value.String("x")},
	}}
	if got := displayTarget(call); got != "/p/1,a/x" {
		t.Errorf("shown as %s", got)
	}
}
