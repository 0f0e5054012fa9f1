package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
)

// TestNamesOfSources: a name by itself never means two APIs.
func TestNamesOfSources(t *testing.T) {
	api := func(name, identity string) *source.Description {
		return &source.Description{Name: name, Identity: identity}
	}
	inner1 := &source.Set{Sources: []*source.Description{api("pay", "p1"), api("shared", "s"), api("own", "other"), api("only", "o1")}}
	inner2 := &source.Set{Sources: []*source.Description{api("pay", "p2"), api("shared", "s")}}
	root := &source.Set{Sources: []*source.Description{
		{Name: "a", Identity: "ia", Arazzo: inner1}, {Name: "b", Identity: "ib", Arazzo: inner2}, api("own", "own"),
	}}
	inner2.Sources = append(inner2.Sources, &source.Description{Name: "back", Identity: "root", Arazzo: root})
	names := source.NamesOf(root)
	for _, test := range []struct {
		of   *source.Description
		want string
	}{
		{inner1.Source("pay"), "p1 a.pay"},
		{inner2.Source("pay"), "p2 b.pay"},
		{inner1.Source("shared"), "s a.shared shared"},
		{inner2.Source("shared"), "s b.shared shared"},
		{inner1.Source("own"), "other a.own"},
		{inner1.Source("only"), "o1 a.only only"},
		{root.Source("own"), "own own"},
		{inner2.Source("back"), "root b.back back"},
		{api("foreign", "f"), "f foreign"},
	} {
		if got := strings.Join(names.Of(test.of), " "); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if got := names.Ambiguous("pay"); !slices.Equal(got, []string{"a.pay", "b.pay"}) {
		t.Errorf("pay is ambiguous between %q", got)
	}
	for _, name := range []string{"own", "shared", "only", "nothing"} {
		if got := names.Ambiguous(name); len(got) > 0 {
			t.Errorf("%s is ambiguous between %q", name, got)
		}
	}
	for name, want := range map[string]bool{"a.pay": true, "pay": false, "p1": true, "shared": true, "own": true, "c": false} {
		if names.Meant(name) != want {
			t.Errorf("%s means a source: %v, want %v", name, !want, want)
		}
	}
}
