package rules_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestFixingIsDoneTheFirstTime fixes the bad document of every rule, with comments
// in it: a second time there is nothing to do, and all comments are still there.
func TestFixingIsDoneTheFirstTime(t *testing.T) {
	options := func() lint.Options {
		return lint.Options{Rules: rules.All(), Loader: source.NewLoader(source.Options{Offline: true})}
	}
	paths, err := filepath.Glob("testdata/*/bad.arazzo.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	changed := 0
	for _, path := range paths {
		text := withComments(string(lintFile(t, path).Files[0].Source))
		first, err := lint.FixAll(context.Background(), []lint.Input{{Path: path, Data: []byte(text)}}, options, lint.Hint)
		if err != nil {
			t.Fatal(err)
		}
		if len(first.Changed) == 0 {
			continue
		}
		changed++
		after := string(first.Changed[0].After)
		if diff := cmp.Diff(comments(text), comments(after)); diff != "" {
			t.Errorf("%s: comments (-before +after):\n%s", path, diff)
		}
		second, err := lint.FixAll(context.Background(), []lint.Input{{Path: path, Data: []byte(after)}}, options, lint.Hint)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range second.Changed {
			t.Errorf("%s: changed again by %v:\n%s", path, f.Fixed[0].Fix.Title, cmp.Diff(after, string(f.After)))
		}
		kept := strings.Count(text, "\n") - strings.Count(after, "\n")
		if kept > 0 {
			t.Errorf("%s: %d lines are lost", path, kept)
		}
	}
	if changed < 5 {
		t.Errorf("only %d documents were changed", changed)
	}
}

// withComments puts a comment above each step.
func withComments(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if at := strings.Index(line, "- stepId:"); at >= 0 {
			out = append(out, line[:at]+"# "+strings.TrimSpace(line))
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func comments(text string) []string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			found = append(found, line)
		}
	}
	return found
}
