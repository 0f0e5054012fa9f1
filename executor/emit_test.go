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

// TestAValueIsShownAsOneFieldOrSegment, as it is sent: what would read as more is escaped.
func TestAValueIsShownAsOneFieldOrSegment(t *testing.T) {
	call := Call{Operation: &source.Operation{Path: "/p/{s}"}, Arguments: []Argument{
		{Name: "s", In: "path", Value: value.String("a/b?ü#5%")}, {Name: "q&", In: "query", Value: value.String("x y&z=1#t%")},
	}}
	if got := displayTarget(call); got != "/p/a%2Fb%3Fü%235%25?q%26=x y%26z=1%23t%25" {
		t.Errorf("shown as %s", got)
	}
}
