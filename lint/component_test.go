package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twoUses is a document with an action that two steps use, and a parameter.
const twoUses = `arazzo: 1.1.0
info: {title: t, version: 1.0.0}
sourceDescriptions: [{name: s, url: other.arazzo.yaml, type: arazzo}]
workflows:
  - workflowId: w
    steps:
      - stepId: a
        workflowId: w
        parameters: [{reference: $components.parameters.page}]
        onFailure:
          - reference: $components.failureActions.again
      - stepId: b
        workflowId: w
        onFailure: [{reference: $components.failureActions.again}, {reference: $components.failureActions.none}, {reference: $components.parameters.page}]
components:
  parameters:
    page: {name: page, value: 1}
  failureActions:
    again:
      name: again
      type: retry
      retryLimit: 3
    end: {name: end, type: end}
`

// ofUses reports each reference.
var ofUses = Rule{Name: "of-uses", Layer: Semantics, Severity: Hint, Check: func(p *Pass) {
	for _, s := range p.Steps() {
		for _, parameter := range s.Own.Parameters {
			p.Reportf(At(parameter.Written.Reference.Node), "%s", s.Model.StepID.Value)
		}
		for _, a := range s.Own.OnFailure {
			p.Reportf(At(a.Written.Reference.Node), "%s", s.Model.StepID.Value)
		}
	}
}}

// TestAFindingOfAReferenceNamesTheComponent holds that a finding that stands at a
// reference tells where the component is that it uses.
func TestAFindingOfAReferenceNamesTheComponent(t *testing.T) {
	result, err := Run(context.Background(), []Input{{Path: "a.arazzo.yaml", Data: []byte(twoUses)}}, Options{Rules: []Rule{ofUses}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range result.Files[0].Diagnostics {
		line := fmt.Sprintf("%d", d.Span.Start.Line)
		for _, r := range d.Related {
			line += fmt.Sprintf(" %s:%d:%d %s", r.File, r.Span.Start.Line, r.Span.Start.Column, r.Message)
		}
		got = append(got, line)
	}
	want := []string{
		"9 a.arazzo.yaml:17:5 parameters.page is written here",
		"11 a.arazzo.yaml:19:5 failureActions.again is written here",
		"14 a.arazzo.yaml:19:5 failureActions.again is written here",
		"14", "14", // there is none; it is no action
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestIgnoringAtAComponent holds that a comment at a component ignores what is found
// at all its uses.
func TestIgnoringAtAComponent(t *testing.T) {
	const comment = "# weft-ignore: of-uses -- known"
	at := func(line string) string { return strings.Replace(twoUses, line, line+" "+comment, 1) }
	for name, text := range map[string]string{
		"above it":          strings.Replace(twoUses, "    again:", "    "+comment+"\n    again:", 1),
		"beside its name":   at("    again:"),
		"above its members": at("    again:\n      name: again"),
		"within it":         at("      retryLimit: 3"),
	} {
		t.Run(name, func(t *testing.T) {
			want := []string{"9 of-uses hint", "14 of-uses hint", "14 of-uses hint"}
			if got := reportedBy(t, text, ofUses); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	elsewhere := at("    end: {name: end, type: end}")
	if got := reportedBy(t, elsewhere, ofUses); !slices.Contains(got, "23 ignore-unused warn") || len(got) != 6 {
		t.Errorf("at another component: %q", got)
	}
}

// TestIgnoringWithinALongText holds that a comment at the head of a text over several
// lines, in which none can stand, ignores what is found in it.
func TestIgnoringWithinALongText(t *testing.T) {
	inText := Rule{Name: "in-text", Layer: Semantics, Severity: Hint, Check: func(p *Pass) {
		n := p.Model.Node.Get("info").Get("description")
		at := strings.Index(n.Text, "x")
		p.Reportf(Part(n, at, at+1), "m")
	}}
	const comment = "# weft-ignore: in-text -- known"
	for name, description := range map[string]string{
		"a literal, above":          comment + "\n  description: |\n    a\n\n    x",
		"a literal, beside":         "description: | " + comment + "\n    a\n\n    x",
		"a folded text, above":      comment + "\n  description: >-\n    a\n    x\n    b",
		"quotes, above":             comment + "\n  description: \"a\n    x\"",
		"without quotes, above":     comment + "\n  description: a\n    b x",
		"in the last line, beside":  "description: a\n    b x " + comment,
		"of the next node, no text": "description:\n    " + comment + "\n    a\n    x",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(twoUses, "info: {title: t, version: 1.0.0}", "info:\n  title: t\n  "+description+"\n  version: 1.0.0", 1)
			if got := reportedBy(t, text, inText); len(got) > 0 {
				t.Errorf("got %q\nin\n%s", got, text)
			}
			without := strings.Replace(text, comment, "#", 1)
			if got := reportedBy(t, without, inText); len(got) != 1 {
				t.Errorf("without it: %q", got)
			}
		})
	}
}

func reportedBy(t *testing.T, text string, rule Rule) []string {
	t.Helper()
	root := write(t, map[string]string{"a.arazzo.yaml": text, "other.arazzo.yaml": twoSteps})
	result, err := Run(context.Background(), []Input{{Path: filepath.Join(root, "a.arazzo.yaml")}}, Options{Rules: append(slices.Clone(commentRules), rule)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range result.Files[0].Diagnostics {
		got = append(got, fmt.Sprintf("%d %s %s", d.Span.Start.Line, d.Rule, d.Severity))
	}
	return got
}
