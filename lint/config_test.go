package lint

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-flow/weft/arazzo"
)

// countSteps is a rule that reports each step, at its id, as a hint; more than its
// option allows, as an error.
var countSteps = Rule{
	Name: "count-steps", Layer: Semantics, Severity: Hint,
	Summary: "s", Why: "w", Avoid: "a", Prefer: "p",
	Options: []Option{{Name: "limit", Default: 9, Meaning: "how many steps are a hint"}},
	Check: func(p *Pass) {
		for i, s := range p.Steps() {
			f := Finding{At: At(s.Model.StepID.Node), Message: "step " + s.ID()}
			if i >= p.Option("limit") {
				f.Severity = Error
			}
			p.Report(f)
		}
	},
}

// commentRules are the rules about comments, without their documentation.
var commentRules = []Rule{
	{Name: RuleIgnoreForm, Layer: Semantics, Severity: Warn},
	{Name: RuleIgnoreUnused, Layer: Semantics, Severity: Warn},
	{Name: "unknown-field", Layer: Schema, Severity: Error},
}

const twoSteps = `arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: other.arazzo.yaml, type: arazzo}]
workflows:
  - workflowId: w
    steps:
      - stepId: a
        workflowId: w
      - stepId: b
        workflowId: w
`

// reported gives the findings of a text as "LINE RULE SEVERITY".
func reported(t *testing.T, text string, o Options) []string {
	t.Helper()
	root := write(t, map[string]string{"dir/a.arazzo.yaml": text, "dir/other.arazzo.yaml": strings.Replace(twoSteps, "other.", "a.", 1)})
	o.Rules = append(slices.Clone(commentRules), countSteps)
	if o.Config.Base == "" {
		o.Config.Base = root
	}
	result, err := Run(context.Background(), []Input{{Path: filepath.Join(root, "dir", "a.arazzo.yaml")}}, o)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range result.Files[0].Diagnostics {
		out = append(out, fmt.Sprintf("%d %s %s", d.Span.Start.Line, d.Rule, d.Severity))
	}
	return out
}

func TestConfiguredFindings(t *testing.T) {
	rule := func(c RuleConfig) map[string]RuleConfig { return map[string]RuleConfig{"count-steps": c} }
	limited := map[string]int{"limit": 1}
	tests := map[string]struct {
		config Config
		want   []string
	}{
		"nothing said":                   {Config{}, []string{"7 count-steps hint", "9 count-steps hint"}},
		"strict":                         {Config{Preset: Strict}, []string{"7 count-steps warn", "9 count-steps warn"}},
		"minimal":                        {Config{Preset: Minimal}, nil},
		"an option":                      {Config{Rules: rule(RuleConfig{Options: limited})}, []string{"7 count-steps hint", "9 count-steps error"}},
		"minimal keeps errors of a hint": {Config{Preset: Minimal, Rules: rule(RuleConfig{Options: limited})}, []string{"9 count-steps error"}},
		"a severity is that of all":      {Config{Preset: Minimal, Rules: rule(RuleConfig{Severity: Warn, Options: limited})}, []string{"7 count-steps warn", "9 count-steps warn"}},
		"off":                            {Config{Preset: Strict, Rules: rule(RuleConfig{Off: true})}, nil},
		"the path ignored":               {Config{Ignore: []Ignore{{Path: "dir/*.yaml"}}}, nil},
		"the folder ignored, that rule":  {Config{Ignore: []Ignore{{Path: "dir", Rules: []string{"count-steps"}}}}, nil},
		"another rule ignored":           {Config{Ignore: []Ignore{{Path: "dir", Rules: []string{"unknown-field"}}}}, []string{"7 count-steps hint", "9 count-steps hint"}},
		"another path ignored":           {Config{Ignore: []Ignore{{Path: "*.yaml"}}}, []string{"7 count-steps hint", "9 count-steps hint"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, reported(t, twoSteps, Options{Config: test.config})); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIgnoreComments(t *testing.T) {
	tests := map[string]struct {
		old, new string // what is replaced in the document
		want     []string
	}{
		"on the line":         {"stepId: a", "stepId: a # weft-ignore: count-steps -- known", []string{"9 count-steps hint"}},
		"on the line above":   {"      - stepId: a", "      # weft-ignore: count-steps -- known\n      - stepId: a", []string{"10 count-steps hint"}},
		"over other comments": {"      - stepId: a", "# weft-ignore: count-steps -- known\n\n # why: so\n      - stepId: a", []string{"12 count-steps hint"}},
		"of two rules":        {"stepId: a", "stepId: a # weft-ignore: count-steps, unknown-field -- known", []string{"7 ignore-unused warn", "9 count-steps hint"}},
		"two lines below":     {"workflowId: w\n    steps:", "workflowId: w # weft-ignore: count-steps -- known\n    steps:", []string{"5 ignore-unused warn", "7 count-steps hint", "9 count-steps hint"}},
		"without a reason":    {"stepId: a", "stepId: a # weft-ignore: count-steps", []string{"7 count-steps hint", "7 ignore-form warn", "9 count-steps hint"}},
		"an empty reason":     {"stepId: a", "stepId: a # weft-ignore: count-steps --  ", []string{"7 count-steps hint", "7 ignore-form warn", "9 count-steps hint"}},
		"without a rule":      {"stepId: a", "stepId: a # weft-ignore", []string{"7 count-steps hint", "7 ignore-form warn", "9 count-steps hint"}},
		"of no rule":          {"stepId: a", "stepId: a # weft-ignore: count-step -- known", []string{"7 count-steps hint", "7 ignore-form warn", "9 count-steps hint"}},
		"in a quoted text":    {"stepId: a\n", "stepId: a\n        description: 'x # weft-ignore: count-steps'\n", []string{"7 count-steps hint", "10 count-steps hint"}},
		"in a block of text":  {"stepId: a\n", "stepId: a\n        description: |\n          # weft-ignore: count-steps\n", []string{"7 count-steps hint", "11 count-steps hint"}},
		"no comment":          {"stepId: a", "stepId: a#weft-ignore", []string{"7 count-steps hint", "9 count-steps hint"}},
		"another word":        {"stepId: a", "stepId: a # weft-ignored", []string{"7 count-steps hint", "9 count-steps hint"}},
		"below everything":    {"stepId: b\n        workflowId: w\n", "stepId: b\n        workflowId: w\n# weft-ignore: count-steps -- known\n", []string{"7 count-steps hint", "9 count-steps hint", "11 ignore-unused warn"}},
		"with carriage returns": {"stepId: a\n", "stepId: a # weft-ignore: count-steps -- known\r\n",
			[]string{"9 count-steps hint"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(twoSteps, test.old, test.new, 1)
			if text == twoSteps {
				t.Fatal("the document is unchanged")
			}
			if diff := cmp.Diff(test.want, reported(t, text, Options{})); diff != "" {
				t.Errorf("findings of\n%s(-want +got):\n%s", text, diff)
			}
		})
	}
}

func TestAnIgnoreIsNotCalledUnusedWhereThatCannotBeKnown(t *testing.T) {
	unused := strings.Replace(twoSteps, "workflows:", "# weft-ignore: count-steps -- known\nworkflows:", 1)
	if got := reported(t, unused, Options{}); !slices.Contains(got, "4 ignore-unused warn") {
		t.Fatalf("an unused comment is not reported: %v", got)
	}
	missing := strings.Replace(unused, "other.arazzo.yaml", "missing.arazzo.yaml", 1)
	if got := reported(t, missing, Options{}); slices.Contains(got, "4 ignore-unused warn") {
		t.Errorf("a source is missing: %v", got)
	}
	if got := reported(t, unused, Options{Only: Schema}); len(got) > 0 {
		t.Errorf("only the schema is checked: %v", got)
	}
}

func TestConfigurationThatDoesNotSuitTheRules(t *testing.T) {
	c := Config{
		Preset: "loose",
		Rules: map[string]RuleConfig{
			"count-step":  {Where: "weft.yaml:3:5"},
			"xyz":         {},
			"count-steps": {Options: map[string]int{"limits": 1, "limit": -1}},
		},
		Ignore: []Ignore{{Path: "a", Rules: []string{"unknown-fields"}, Where: "weft.yaml:9:7"}, {Path: "a[", Where: "weft.yaml:10:7"}, {Path: "/"}},
	}
	want := `there is no preset "loose"
weft.yaml:3:5: there is no rule "count-step"; did you mean count-steps?
the option limit of rule count-steps must not be negative
rule count-steps has no option "limits"; did you mean "limit"?
there is no rule "xyz"
weft.yaml:9:7: there is no rule "unknown-fields"; did you mean unknown-field?
weft.yaml:10:7: the path "a[" cannot be read: [ has no ], or nothing stands between
the path "/" names nothing`
	err := c.Check(append(slices.Clone(commentRules), countSteps))
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	if _, err := Run(context.Background(), nil, Options{Config: c}); err == nil {
		t.Error("a run takes the configuration")
	}
}

func TestASecretStaysHiddenWhereItsFindingIsIgnored(t *testing.T) {
	secret := Rule{Name: "secret", Layer: Semantics, Severity: Warn, Check: func(p *Pass) {
		n := p.Model.Node.Get("info").Get("title")
		p.Report(Finding{At: At(n), Message: "m", Secrets: []arazzo.Span{n.Span}})
	}}
	text := strings.Replace(twoSteps, "title: t,", "title: hush,", 1)
	for name, o := range map[string]Options{
		"off":     {Config: Config{Rules: map[string]RuleConfig{"secret": {Off: true}}}},
		"ignored": {Config: Config{Ignore: []Ignore{{Path: "**"}}}},
		"minimal": {Config: Config{Preset: Minimal}},
	} {
		o.Rules = []Rule{secret}
		result, err := Run(context.Background(), []Input{{Path: "a.yaml", Data: []byte(text)}}, o)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(result.Files[0].Diagnostics); n != 0 {
			t.Errorf("%s: %d findings", name, n)
		}
		if shown := string(result.Files[0].Shown()); strings.Contains(shown, "hush") || len(shown) != len(text) {
			t.Errorf("%s: the secret is shown", name)
		}
	}
}
