package format

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// homepage is where the project lives; pages of rules lie beneath it.
const homepage = "https://github.com/weft-flow/weft"

// fingerprintName names the way in which fingerprints are made. Where that
// changes, so does the name.
const fingerprintName = "weftFinding/v1"

// SARIF gives the format SARIF 2.1.0 (OASIS), with the documentation of the rules
// that have findings, their fixes, and fingerprints. What could not be checked is
// there as notifications. Files are named from a folder on; see Options.Root.
func SARIF(rules []lint.Rule, version, folder string) Func {
	return func(w io.Writer, result lint.Result) error {
		s := sarifRun{rules: rules, indexes: make(map[string]int), root: root(folder)}
		s.driver = sarif.NewToolComponent()
		s.driver.Name, s.driver.InformationURI = ptr("weft"), ptr(homepage)
		s.driver.FullName = ptr("weft lint")
		if version != "" {
			s.driver.Version = ptr(version)
		}
		s.run = sarif.NewRun()
		s.run.Tool = sarif.NewTool()
		s.run.Tool.Driver = s.driver
		s.nameRoot()
		s.run.ColumnKind = ptr("unicodeCodePoints")
		invocation := sarif.NewInvocation()
		invocation.ExecutionSuccessful = ptr(true)
		for i := range result.Files {
			s.file(&result.Files[i], invocation)
		}
		s.run.Invocations = append(s.run.Invocations, invocation)
		report := sarif.NewReport()
		report.AddRun(s.run)
		return writeJSON(w, report)
	}
}

func ptr[T any](v T) *T { return &v }

// sarifRun gathers the results of one run.
type sarifRun struct {
	rules   []lint.Rule
	indexes map[string]int // of the rules that the driver lists
	driver  *sarif.ToolComponent
	run     *sarif.Run
	names   fingerprints
	root    root
}

// sourceRoot names the folder from which files are named, as SARIF has it.
const sourceRoot = "%SRCROOT%"

// nameRoot tells where the folder is from which files are named.
func (s *sarifRun) nameRoot() {
	if s.root == "" {
		return
	}
	at := sarif.NewArtifactLocation()
	at.URI = ptr(fileURI(string(s.root)) + "/")
	s.run.OriginalUriBaseIds = map[string]sarif.ArtifactLocation{sourceRoot: *at}
}

func (s *sarifRun) file(f *lint.File, invocation *sarif.Invocation) {
	shown := f.Shown()
	for i := range f.Diagnostics {
		s.run.Results = append(s.run.Results, s.result(f, shown, &f.Diagnostics[i]))
	}
	for _, n := range f.Incomplete {
		told := sarif.NewNotification()
		told.Message = sarifMessage("not checked: " + n.What + ", because " + n.Why)
		told.Locations = []*sarif.Location{s.location(f.Path, nil)}
		invocation.ToolExecutionNotifications = append(invocation.ToolExecutionNotifications, told)
	}
}

func (s *sarifRun) result(f *lint.File, shown []byte, d *lint.Diagnostic) *sarif.Result {
	r := sarif.NewResult()
	r.RuleID, r.RuleIndex = ptr(d.Rule), s.index(d)
	r.Level = sarifLevel(d.Severity)
	text := d.Message
	if d.Help != "" {
		text += "\n\n" + d.Help
	}
	r.Message = sarifMessage(text)
	at := s.location(f.Path, &d.Span)
	if d.Pointer != "" {
		named := sarif.NewLogicalLocation()
		named.FullyQualifiedName, named.Kind = ptr(d.Pointer), ptr("member")
		at.LogicalLocations = append(at.LogicalLocations, named)
	}
	r.Locations = append(r.Locations, at)
	for i, related := range d.Related {
		other := s.location(related.File, &related.Span)
		other.ID = i + 1
		other.Message = sarifMessage(related.Message)
		r.RelatedLocations = append(r.RelatedLocations, other)
	}
	for _, fix := range d.Fixes {
		if len(fix.Edits) > 0 {
			r.Fixes = append(r.Fixes, s.fix(f.Path, fix))
		}
	}
	r.PartialFingerprints = map[string]string{fingerprintName: s.names.of(s.root.path(f.Path), d.Rule, markedText(shown, d))}
	return r
}

// index gives the place of a diagnostic's rule in the list of the driver, and puts
// it there when it is first met.
func (s *sarifRun) index(d *lint.Diagnostic) int {
	if i, ok := s.indexes[d.Rule]; ok {
		return i
	}
	s.indexes[d.Rule] = len(s.driver.Rules)
	at := slices.IndexFunc(s.rules, func(r lint.Rule) bool { return r.Name == d.Rule })
	rule := lint.Rule{Name: d.Rule, Layer: d.Layer, Severity: d.Severity}
	if at >= 0 {
		rule = s.rules[at]
	}
	s.driver.Rules = append(s.driver.Rules, sarifRule(rule))
	return s.indexes[d.Rule]
}

func sarifRule(rule lint.Rule) *sarif.ReportingDescriptor {
	r := sarif.NewReportingDescriptor()
	r.ID, r.Name = ptr(rule.Name), ptr(rule.Name)
	r.DefaultConfiguration = sarif.NewReportingConfiguration()
	r.DefaultConfiguration.Level = sarifLevel(rule.Severity)
	r.Properties = sarif.NewPropertyBag()
	r.Properties.Tags = []string{"arazzo", rule.Layer.String()}
	if rule.Summary == "" {
		return r
	}
	r.HelpURI = ptr(PageURL(rule.Name))
	r.ShortDescription = &sarif.MultiformatMessageString{Text: ptr(rule.Summary)}
	r.FullDescription = &sarif.MultiformatMessageString{Text: ptr(rule.Summary + " " + rule.Why)}
	r.Help = &sarif.MultiformatMessageString{Text: ptr(rule.Why), Markdown: ptr(Page(rule))}
	return r
}

func (s *sarifRun) fix(path string, fix lint.Fix) *sarif.Fix {
	change := sarif.NewArtifactChange()
	change.ArtifactLocation = s.artifact(path)
	for _, e := range fix.Edits {
		r := sarif.NewReplacement()
		r.DeletedRegion = sarifRegion(e.Span)
		r.InsertedContent = sarif.NewArtifactContent()
		r.InsertedContent.Text = ptr(e.Text)
		change.Replacements = append(change.Replacements, r)
	}
	out := sarif.NewFix()
	out.Description = sarifMessage(fix.Title)
	out.ArtifactChanges = append(out.ArtifactChanges, change)
	return out
}

func sarifMessage(text string) *sarif.Message {
	m := sarif.NewMessage()
	m.Text = ptr(text)
	return m
}

func (s *sarifRun) location(path string, span *arazzo.Span) *sarif.Location {
	l := sarif.NewLocation()
	l.PhysicalLocation = sarif.NewPhysicalLocation()
	l.PhysicalLocation.ArtifactLocation = s.artifact(path)
	if span != nil {
		l.PhysicalLocation.Region = sarifRegion(*span)
	}
	return l
}

func sarifRegion(span arazzo.Span) *sarif.Region {
	r := sarif.NewRegion()
	r.StartLine, r.StartColumn = ptr(span.Start.Line), ptr(span.Start.Column)
	r.EndLine, r.EndColumn = ptr(span.End.Line), ptr(span.End.Column)
	return r
}

// artifact names a file by a URI (RFC 3986): one beneath the root from there on, any
// other relative one from the folder that the tool was run in.
func (s *sarifRun) artifact(path string) *sarif.ArtifactLocation {
	at := sarif.NewArtifactLocation()
	below, ok := s.root.below(path)
	switch {
	case ok:
		at.URI, at.URIBaseID = ptr(uriPath(below)), ptr(sourceRoot)
	case filepath.IsAbs(path):
		at.URI = ptr(fileURI(filepath.Clean(path)))
	default:
		at.URI = ptr(uriPath(filepath.ToSlash(filepath.Clean(path))))
	}
	return at
}

func fileURI(path string) string {
	return "file:///" + escapedPath(strings.TrimPrefix(filepath.ToSlash(path), "/"))
}

// uriPath writes a relative path as a URI. A first name with a colon would be taken
// for a scheme.
func uriPath(path string) string {
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ":") {
		path = "./" + path
	}
	return escapedPath(path)
}

func escapedPath(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		names[i] = url.PathEscape(name)
	}
	return strings.Join(names, "/")
}

// PageURL is where the page of a rule can be read.
func PageURL(rule string) string { return fmt.Sprintf("%s/blob/main/docs/rules/%s.md", homepage, rule) }

func sarifLevel(s lint.Severity) string {
	switch s {
	case lint.Error:
		return sarif.LevelError
	case lint.Warn:
		return sarif.LevelWarning
	default:
		return sarif.LevelNote
	}
}
