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

// GitLab writes a code quality report: a list of issues, of which GitLab shows
// those that a merge request brings.
func GitLab(w io.Writer, result lint.Result) error {
	issues := []gitlabIssue{}
	var names fingerprints
	for i := range result.Files {
		f := &result.Files[i]
		shown := f.Shown()
		for j := range f.Diagnostics {
			d := &f.Diagnostics[j]
			issues = append(issues, gitlabIssue{
				Description: d.Message, CheckName: d.Rule, Severity: gitlabSeverity(d.Severity),
				Fingerprint: names.of(f.Path, d.Rule, markedText(shown, d)),
				Location:    gitlabLocation{githubPath(f.Path), gitlabLines{d.Span.Start.Line, lastLine(d)}},
			})
		}
		for _, n := range f.Incomplete {
			issues = append(issues, gitlabIssue{
				Description: "not checked: " + n.What + ", because " + n.Why, CheckName: notChecked, Severity: "info",
				Fingerprint: names.of(f.Path, notChecked, n.What),
				Location:    gitlabLocation{githubPath(f.Path), gitlabLines{1, 1}},
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
