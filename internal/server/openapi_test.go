package server

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestEveryRouteIsDescribed holds routes and operations against each other.
func TestEveryRouteIsDescribed(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(t.Context(), openapi3.DisableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
	var operations, routes []string
	for path, item := range d.Paths.Map() {
		for method, operation := range item.Operations() {
			pattern := method + " " + path
			operations = append(operations, pattern)
			at := slices.IndexFunc(api, func(r route) bool { return r.pattern == pattern })
			if at < 0 {
				continue
			}
			right := string(api[at].right)
			if right != "" && !strings.HasPrefix(operation.Description, "Right: "+right+".") {
				t.Errorf("%s: the description does not say that it needs the right %s", pattern, right)
			}
			if open := operation.Security != nil && len(*operation.Security) == 0; open != (right == "") {
				t.Errorf("%s: is open: %v, which is not what is described", pattern, right == "")
			}
		}
	}
	for _, r := range api {
		routes = append(routes, r.pattern)
	}
	slices.Sort(operations)
	slices.Sort(routes)
	if !slices.Equal(operations, routes) {
		t.Errorf("described are %q, there are %q", operations, routes)
	}
}

// TestTheCheckOfAnswersCanFail holds the check against answers that are wrong.
func TestTheCheckOfAnswersCanFail(t *testing.T) {
	d, err := described()
	if err != nil {
		t.Fatal(err)
	}
	schema := d.Components.Schemas["Started"].Value
	good := map[string]any{"run": "r", "workflow": "w", "state": "ended", "joined": true}
	if err := schema.VisitJSON(good, openapi3.EnableJSONSchema2020()); err != nil {
		t.Errorf("a good answer: %v", err)
	}
	for name, change := range map[string]func(map[string]any){
		"a member too many": func(m map[string]any) { m["more"] = 1 },
		"a missing member":  func(m map[string]any) { delete(m, "run") },
		"another word":      func(m map[string]any) { m["state"] = "done" },
		"another type":      func(m map[string]any) { m["joined"] = "yes" },
		"deeper":            func(m map[string]any) { m["result"] = map[string]any{"status": "succeeded"} },
	} {
		bad := maps.Clone(good)
		change(bad)
		if schema.VisitJSON(bad, openapi3.EnableJSONSchema2020()) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
