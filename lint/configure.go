package lint

import (
	"bytes"
	"fmt"
	"slices"
)

// The rules about comments that ignore findings. What they report is found here,
// when all else has been; their documentation stands with the others in lint/rules.
const (
	RuleIgnoreForm   = "ignore-form"   // a comment that ignores nothing because of its form
	RuleIgnoreUnused = "ignore-unused" // a comment that has nothing to ignore
)

// configure leaves of the findings what the document and the configuration want
// reported, as severe as the configuration has it.
func (r *runner) configure(f *reading) {
	if f.document != nil {
		r.heedComments(f)
	}
	ignored := f.config.ignored(f.Path)
	f.keep(func(d *Diagnostic) bool {
		d.Severity = f.config.severity(d)
		return d.Severity != 0 && !ignored.has(d.Rule)
	})
}

// heedComments takes out the findings that comments of the document ignore, and
// reports the comments that do not do what they are for.
func (r *runner) heedComments(f *reading) {
	if !bytes.Contains(f.Source, []byte(ignoreName)) {
		return
	}
	texts := textsOf(f.Source, f.document.Node)
	comments := ignoreComments(f.Source, texts)
	if len(comments) == 0 {
		return
	}
	byLine := make(map[int][]*ignoreComment, len(comments))
	for _, c := range comments {
		byLine[c.line] = append(byLine[c.line], c)
	}
	f.keep(func(d *Diagnostic) bool {
		ignored := false
		for _, line := range []int{d.Span.Start.Line, headLine(texts, d.Span.Start)} {
			ignored = isIgnored(d, byLine[line]) || ignored
		}
		for line := max(d.component.Start.Line, 1); line <= d.component.End.Line; line++ {
			ignored = isIgnored(d, byLine[line]) || ignored
		}
		return !ignored
	})
	for _, c := range comments {
		if message := r.ignoreFault(c); message != "" {
			r.ofComment(f, c, RuleIgnoreForm, message)
			continue
		}
		for i, rule := range c.rules {
			if !c.used[i] && r.mustReport(rule, f) {
				r.ofComment(f, c, RuleIgnoreUnused, fmt.Sprintf("%s reports nothing here: take the comment away", rule))
			}
		}
	}
	slices.SortStableFunc(f.Diagnostics, func(a, b Diagnostic) int { return a.Span.Start.Offset - b.Span.Start.Offset })
}

// isIgnored tells whether one of the comments that are for the lines of a finding
// ignores it.
func isIgnored(d *Diagnostic, comments []*ignoreComment) bool {
	ignored := false
	for _, c := range comments {
		ignored = c.ignores(d) || ignored
	}
	return ignored
}

// ignoreFault tells what is wrong with a comment; empty: nothing.
func (r *runner) ignoreFault(c *ignoreComment) string {
	const form = `write "# weft-ignore: RULE -- REASON"`
	if len(c.rules) == 0 {
		return "the comment names no rule and ignores nothing: " + form
	}
	for _, rule := range c.rules {
		if _, ok := r.rules[rule]; !ok {
			return noRule(rule, r.names)
		}
	}
	if c.reason == "" {
		return "the comment gives no reason, and ignores nothing before it does: " + form
	}
	return ""
}

// mustReport tells whether a rule would have reported what there is to report: it
// was asked for, and nothing kept it from knowing.
func (r *runner) mustReport(name string, f *reading) bool {
	rule := r.rules[name]
	return r.wants(rule.Layer) && (rule.Layer == Schema || len(f.Incomplete) == 0)
}

// ofComment reports a comment under a rule, if there is the rule.
func (r *runner) ofComment(f *reading, c *ignoreComment, name, message string) {
	rule, ok := r.rules[name]
	if !ok || !r.wants(rule.Layer) {
		return
	}
	f.Diagnostics = append(f.Diagnostics, Diagnostic{
		Rule: rule.Name, Layer: rule.Layer, Severity: rule.Severity,
		Message: message, File: f.Path, Span: c.span,
	})
}
