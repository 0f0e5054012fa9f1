package contract

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/internal/spelling"
)

// meant asks after the nearest of what there is, if one is near; else it lists that.
func meant(name string, all []string) string {
	if near, ok := spelling.Nearest(name, all); ok {
		return "did you mean " + near + "?"
	}
	return "there are " + listed(all)
}

// hasStep tells whether the document has a step; if not it fails the test.
func (r *Run) hasStep(step string) bool {
	r.t.Helper()
	var all []string
	for _, one := range r.steps {
		if !slices.Contains(all, one.step) {
			all = append(all, one.step)
		}
	}
	if slices.Contains(all, step) || len(all) == 0 || slices.ContainsFunc(r.Requests, func(one Request) bool { return one.Step == step }) {
		return true
	}
	r.errorf("there is no step %q; %s", step, meant(step, all))
	return false
}

// actionsOf lists the actions that steps of a name may take.
func (r *Run) actionsOf(step string) []string {
	var all []string
	for _, one := range r.steps {
		if one.step != step {
			continue
		}
		for _, a := range one.actions {
			if !slices.Contains(all, a.name) {
				all = append(all, a.name)
			}
		}
	}
	return all
}

// suggestion gives the tail of a failure for an output that there is not.
func suggestion(name, all string, names []string) string {
	if near, ok := spelling.Nearest(name, names); ok {
		return "; did you mean " + near + "?"
	}
	return strings.TrimSuffix("; the outputs are "+all, "; the outputs are ")
}
