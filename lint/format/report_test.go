package format_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/format"
)

// example is a result with all that a result can hold.
func example() lint.Result {
	source := "arazzo: 1.1.0\ninfo:\n  title: secret\nbody: 注文, again\n"
	at := func(text string) arazzo.Span {
		position := func(offset int) arazzo.Position {
			before := source[:offset]
			line := strings.Count(before, "\n") + 1
			return arazzo.Position{Line: line, Column: len([]rune(before[strings.LastIndex(before, "\n")+1:])) + 1, Offset: offset}
		}
		start := strings.Index(source, text)
		return arazzo.Span{Start: position(start), End: position(start + len(text))}
	}
	again := lint.Diagnostic{
		Rule: "retry-bounded", Layer: lint.Semantics, Severity: lint.Warn, File: "flows/a b.yaml",
		Message: "50% more, than\nallowed: \"10\" <&>", Span: at("again"), Pointer: "/body",
		Related: []lint.Related{{File: "flows/a b.yaml", Span: at("title"), Message: "this one"}, {File: "/api.yaml", Span: at("info"), Message: "the other"}},
		Fixes:   []lint.Fix{{Title: "write once", Edits: []lint.Edit{{Span: at("again"), Text: "once"}, {Span: at("注文"), Text: ""}}}},
		Help:    "retry less",
	}
	return lint.Result{Files: []lint.File{
		{
			Path: "flows/a b.yaml", Source: []byte(source),
			Incomplete: []lint.Incomplete{{What: `what uses source "shop"`, Why: "it is not there"}},
			Diagnostics: []lint.Diagnostic{
				{Rule: "no-rule-of-the-list", Layer: lint.Schema, Severity: lint.Error, Message: "over two lines", File: "flows/a b.yaml", Span: at("info:\n  title"), Pointer: "/info"},
				{Rule: "no-literal-secret", Layer: lint.Semantics, Severity: lint.Hint, Message: "a secret\x1b", File: "flows/a b.yaml", Span: at("secret"), Pointer: "/info/title", Secrets: []arazzo.Span{at("secret")}},
				again, again,
			},
		},
		{Path: "clean.yaml", Complete: true},
	}}
}

// exampleRules documents two of the rules of the example.
func exampleRules() []lint.Rule {
	return []lint.Rule{
		{Name: "retry-bounded", Layer: lint.Semantics, Severity: lint.Warn, Summary: "Too many.", Why: "They burden.", Avoid: "retryLimit: 50\n", Prefer: "retryLimit: 5\n",
			Options: []lint.Option{{Name: "limit", Default: 10, Meaning: "the greatest number that is not reported"}}},
		{Name: "no-literal-secret", Layer: lint.Semantics, Severity: lint.Warn, Summary: "A secret.", Why: "It is seen.", Avoid: "a: b\n", Prefer: "a: $inputs.b\n"},
		{Name: "not-met", Layer: lint.Semantics, Severity: lint.Warn, Summary: "Never.", Why: "Never.", Avoid: "a: b\n", Prefer: "a: b\n"},
	}
}

func written(t *testing.T, name string, result lint.Result) []byte {
	t.Helper()
	write, err := format.Named(name, format.Options{Rules: exampleRules(), Version: "v1.2.3", FailOn: lint.Warn})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out, result); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGoldenReports(t *testing.T) {
	for _, name := range format.Names() {
		t.Run(name, func(t *testing.T) {
			out := written(t, name, example())
			golden(t, filepath.Join("testdata", "report."+name), out)
			if name != "text" && name != "json" && bytes.Contains(out, []byte("title: secret")) {
				t.Error("the secret is shown")
			}
		})
	}
}

// TestEveryFormatTellsWhatWasNotChecked holds that no format shows a document as
// clean that could not be checked.
func TestEveryFormatTellsWhatWasNotChecked(t *testing.T) {
	result := lint.Result{Files: []lint.File{{Path: "a.yaml", Incomplete: []lint.Incomplete{{What: "its calls", Why: "the moon is full"}}}}}
	for _, name := range format.Names() {
		out := string(written(t, name, result))
		if !strings.Contains(out, "its calls") || !strings.Contains(out, "the moon is full") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestEveryFormatOfNothing(t *testing.T) {
	for _, name := range format.Names() {
		if out := written(t, name, lint.Result{}); bytes.Contains(out, []byte("null")) {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestTheReportFollowsItsSchema holds docs/lint-report.schema.json and the JSON
// format together.
func TestTheReportFollowsItsSchema(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "lint-report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.CompileBytes("lint-report.schema.json", data)
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) value.Value {
		tree, faults := arazzo.ParseTree([]byte(text))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		return tree.Value()
	}
	for _, result := range []lint.Result{example(), {}} {
		for _, fault := range compiled.Validate(read(string(written(t, "json", result)))) {
			t.Errorf("%s: %s", fault.Pointer, fault.Message)
		}
	}
	good := string(written(t, "json", example()))
	for old, replacement := range map[string]string{
		`"version": 1`:         `"version": 2`,
		`"severity": "error"`:  `"severity": "fatal"`,
		`"line": 2`:            `"line": 0`,
		`"why": "it is`:        `"wy": "it is`,
		`"layer": "semantics"`: `"layer": "deep"`,
		`"help": ""`:           `"help": "", "more": 1`,
	} {
		bad := strings.Replace(good, old, replacement, 1)
		if bad == good {
			t.Errorf("%s does not stand in the report", old)
		} else if len(compiled.Validate(read(bad))) == 0 {
			t.Errorf("the schema takes %s", replacement)
		}
	}
}

// TestSARIFFollowsTheOfficialSchema validates what is written by the schema of
// OASIS that the library brings along.
func TestSARIFFollowsTheOfficialSchema(t *testing.T) {
	for _, result := range []lint.Result{example(), {}} {
		report, err := sarif.FromBytes(written(t, "sarif", result), sarif.WithStrictValidation())
		if err != nil {
			t.Fatal(err)
		}
		if err := report.Validate(); err != nil {
			t.Error(err)
		}
	}
	report, err := sarif.FromString(strings.Replace(string(written(t, "sarif", example())), `"level": "error"`, `"level": "fatal"`, 1), sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	if report.Validate() == nil {
		t.Error("the official schema takes anything")
	}
}

func TestSARIFSaysAllThereIs(t *testing.T) {
	report, err := sarif.FromBytes(written(t, "sarif", example()))
	if err != nil {
		t.Fatal(err)
	}
	run := report.Runs[0]
	if n := len(run.Tool.Driver.Rules); n != 3 {
		t.Errorf("%d rules are described, want those that are met", n)
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		rule := run.Tool.Driver.Rules[r.RuleIndex]
		if *rule.ID != *r.RuleID {
			t.Errorf("%s has the index of %s", *r.RuleID, *rule.ID)
		}
		name := r.PartialFingerprints["weftFinding/v1"]
		if name == "" || seen[name] {
			t.Errorf("the fingerprint %q of %s is not its own", name, *r.RuleID)
		}
		seen[name] = true
	}
	last := run.Results[3]
	if len(last.Fixes) != 1 || len(last.Fixes[0].ArtifactChanges[0].Replacements) != 2 || len(last.RelatedLocations) != 2 {
		t.Error("fixes or related places are missing")
	}
	if uri := *last.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "flows/a%20b.yaml" {
		t.Errorf("the file is called %s", uri)
	}
	if uri := *last.RelatedLocations[1].PhysicalLocation.ArtifactLocation.URI; uri != "file:///api.yaml" {
		t.Errorf("the other file is called %s", uri)
	}
	if help := run.Tool.Driver.Rules[2].Help; help == nil || !strings.Contains(*help.Markdown, "retryLimit: 50") {
		t.Error("the help of the rule is missing")
	}
}

// TestFilesAreNamedFromTheRoot holds that reports for CI name files from one folder
// on, however they were named, and leave others as they are.
func TestFilesAreNamedFromTheRoot(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	above := filepath.Dir(here)
	named := func(name, path string) string {
		result := example()
		result.Files = result.Files[:1]
		result.Files[0].Path = path
		write, err := format.Named(name, format.Options{Root: above})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := write(&out, result); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, path := range []string{"50% a:b.yaml", "./50% a:b.yaml", "../format/50% a:b.yaml", filepath.Join(here, "50% a:b.yaml")} {
		for name, want := range map[string]string{
			"github": "file=format/50%25 a%3Ab.yaml,", "gitlab": `"path": "format/50% a:b.yaml"`, "sarif": `"uri": "format/50%25%20a:b.yaml"`,
		} {
			out := named(name, path)
			if !strings.Contains(out, want) {
				t.Errorf("%s of %s has no %s:\n%s", name, path, want, out)
			}
			if first := named(name, "50% a:b.yaml"); out != first {
				t.Errorf("%s of %s is another than of the name alone", name, path)
			}
		}
	}
	report, err := sarif.FromString(named("sarif", "x.yaml"), sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Validate(); err != nil {
		t.Error(err)
	}
	result := report.Runs[0].Results[2]
	at, other := result.Locations[0].PhysicalLocation.ArtifactLocation, result.RelatedLocations[1].PhysicalLocation.ArtifactLocation
	if *at.URIBaseID != "%SRCROOT%" || !strings.HasSuffix(*report.Runs[0].OriginalUriBaseIds["%SRCROOT%"].URI, "/lint/") {
		t.Errorf("%v of %v", *at.URIBaseID, report.Runs[0].OriginalUriBaseIds)
	}
	if other.URIBaseID != nil || *other.URI != "file:///api.yaml" {
		t.Errorf("what lies elsewhere is %s", *other.URI)
	}
}

// TestFingerprintsStay holds that a finding keeps its fingerprint when other lines
// come before it, and gets another in another file.
func TestFingerprintsStay(t *testing.T) {
	names := func(result lint.Result) []string {
		return regexp.MustCompile(`"fingerprint": "[^"]+"`).FindAllString(string(written(t, "gitlab", result)), -1)
	}
	before, moved, elsewhere := example(), example(), example()
	file := &moved.Files[0]
	file.Source = append([]byte("# one more\n"), file.Source...)
	for i := range file.Diagnostics {
		d := &file.Diagnostics[i]
		shift := func(s arazzo.Span) arazzo.Span {
			for _, p := range []*arazzo.Position{&s.Start, &s.End} {
				p.Line, p.Offset = p.Line+1, p.Offset+len("# one more\n")
			}
			return s
		}
		d.Span = shift(d.Span)
		for j := range d.Secrets {
			d.Secrets[j] = shift(d.Secrets[j])
		}
	}
	elsewhere.Files[0].Path = "other.yaml"
	a, b, c := names(before), names(moved), names(elsewhere)
	if len(a) != 5 || strings.Join(a, "") != strings.Join(b, "") {
		t.Errorf("before:\n%s\nmoved:\n%s", a, b)
	}
	for i := range a {
		if a[i] == c[i] {
			t.Errorf("%s is the same in another file", a[i])
		}
	}
}

func TestJUnitCountsWhatItHolds(t *testing.T) {
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Skipped int `xml:"skipped,attr"`
			Cases   []struct {
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(written(t, "junit", example()), &suites); err != nil {
		t.Fatal(err)
	}
	tests, failures, skipped, told := 0, 0, 0, 0
	for _, s := range suites.Suites {
		told += s.Skipped
		for _, c := range s.Cases {
			tests++
			if c.Failure != nil {
				failures++
			}
			if c.Skipped != nil {
				skipped++
			}
		}
	}
	if tests != 6 || failures != 3 || skipped != 1 || suites.Tests != tests || suites.Failures != failures || told != skipped {
		t.Errorf("%d tests, %d failures, %d skipped; told: %d, %d, %d", tests, failures, skipped, suites.Tests, suites.Failures, told)
	}
}

// TestWorkflowCommandsAreWhole holds that each command takes one line, and that
// nothing in it is taken for the beginning of another part.
func TestWorkflowCommandsAreWhole(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(string(written(t, "github", example()))), "\n")
	form := regexp.MustCompile(`^::(error|warning|notice) file=[^,:]+(,(line|endLine|col|endColumn)=\d+)*,title=[^,:]*(%3A[^,:]*)?::`)
	if len(lines) != 6 {
		t.Fatalf("%d lines, want 5 commands and a sum", len(lines))
	}
	for _, line := range lines[:5] {
		if !form.MatchString(line) {
			t.Errorf("no workflow command: %s", line)
		}
	}
}

func TestGitLabReportsAreLists(t *testing.T) {
	var issues []map[string]any
	if err := json.Unmarshal(written(t, "gitlab", example()), &issues); err != nil {
		t.Fatal(err)
	}
	for _, issue := range issues {
		for _, key := range []string{"description", "check_name", "fingerprint", "severity", "location"} {
			if issue[key] == nil || issue[key] == "" {
				t.Errorf("%s is missing in %v", key, issue)
			}
		}
	}
}

func TestExplaining(t *testing.T) {
	var out bytes.Buffer
	if err := format.Explain(&out, exampleRules()[0], false); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/explain.txt", out.Bytes())
	golden(t, "testdata/page.md", []byte(format.Page(exampleRules()[0])))
	if err := format.Explain(io.Discard, lint.Rule{}, true); err != nil {
		t.Error(err)
	}
}
