package format

import (
	"io"

	"github.com/weft-flow/weft/lint"
)

// gitlabIssue is one entry of a code quality report of GitLab.
type gitlabIssue struct {
	Description string         `json:"description"`
	CheckName   string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string      `json:"path"`
	Lines gitlabLines `json:"lines"`
}

type gitlabLines struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// notChecked names in reports what tells that something could not be checked.
const notChecked = "not-checked"

// GitLab gives the format of code quality reports: a list of issues, of which GitLab
// shows those that a merge request brings. Files are named from a folder on; see
// Options.Root.
func GitLab(folder string) Func {
	return func(w io.Writer, result lint.Result) error { return writeGitLab(w, result, root(folder)) }
}

func writeGitLab(w io.Writer, result lint.Result, from root) error {
	issues := []gitlabIssue{}
	var names fingerprints
	for i := range result.Files {
		f := &result.Files[i]
		shown, path := f.Shown(), from.path(f.Path)
		for j := range f.Diagnostics {
			d := &f.Diagnostics[j]
			issues = append(issues, gitlabIssue{
				Description: d.Message, CheckName: d.Rule, Severity: gitlabSeverity(d.Severity),
				Fingerprint: names.of(path, d.Rule, markedText(shown, d)),
				Location:    gitlabLocation{path, gitlabLines{d.Span.Start.Line, lastLine(d)}},
			})
		}
		for _, n := range f.Incomplete {
			issues = append(issues, gitlabIssue{
				Description: "not checked: " + n.What + ", because " + n.Why, CheckName: notChecked, Severity: "info",
				Fingerprint: names.of(path, notChecked, n.What),
				Location:    gitlabLocation{path, gitlabLines{1, 1}},
			})
		}
	}
	return writeJSON(w, issues)
}

func gitlabSeverity(s lint.Severity) string {
	switch s {
	case lint.Error:
		return "major"
	case lint.Warn:
		return "minor"
	default:
		return "info"
	}
}
