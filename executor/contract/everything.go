package contract

import (
	"context"
	"fmt"
	"strings"
)

// Everything runs the workflows of the document through every action and every fault, as
// weft test does, and fails the test for each check that does not hold. The report tells
// what was covered. Responders of the test's own are not asked: the answers are chosen.
func (d *Document) Everything(t T, o Options) Report {
	t.Helper()
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Config.Sources == nil {
		o.Config, _ = d.configured()
	}
	found, err := Explore(context.Background(), d.set, o)
	if err != nil {
		t.Fatalf("%v", err)
		return found
	}
	for _, w := range found.Workflows {
		for _, reason := range w.Refused {
			t.Errorf("%s cannot be run: %s", w.ID, reason)
		}
		for _, f := range w.Failures {
			t.Errorf("%s", failureText(found.Document, w.ID, f))
		}
	}
	for _, unfired := range found.Unfired {
		t.Errorf("%s", unfired)
	}
	return found
}

func failureText(document, workflow string, f Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s: %s\n", document, workflow, f.Check, f.Message)
	for _, c := range f.Conditions {
		fmt.Fprintf(&b, "\t- %s\n", c)
	}
	b.WriteString(indented(f.Story))
	fmt.Fprintf(&b, "\tagain, over real connections: weft test %s --replay %d", document, f.Seed)
	return b.String()
}
