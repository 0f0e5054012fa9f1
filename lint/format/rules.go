package format

import (
	"bufio"
	"fmt"
	"io"

	"github.com/weft-flow/weft/lint"
)

// Rules writes a list of rules for people, a line each.
func Rules(w io.Writer, rules []lint.Rule, color bool) error {
	out := bufio.NewWriter(w)
	paint := painter(color)
	width := 0
	for _, r := range rules {
		width = max(width, len(r.Name))
	}
	for _, r := range rules {
		severity := fmt.Sprintf("%-7s", severityWord(r.Severity))
		fmt.Fprintf(out, "%s  %s  %s\n", paint.with(bold, fmt.Sprintf("%-*s", width, r.Name)), paint.with(styleOf(r.Severity), severity), r.Summary)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("format: list the rules: %w", err)
	}
	return nil
}

type jsonRules struct {
	Version int        `json:"version"`
	Rules   []jsonRule `json:"rules"`
}

type jsonRule struct {
	Name     string       `json:"name"`
	Layer    string       `json:"layer"`
	Severity string       `json:"severity"`
	Summary  string       `json:"summary"`
	Why      string       `json:"why"`
	Avoid    string       `json:"avoid"`
	Prefer   string       `json:"prefer"`
	Options  []jsonOption `json:"options"`
	URL      string       `json:"url"`
}

type jsonOption struct {
	Name    string `json:"name"`
	Default int    `json:"default"`
	Meaning string `json:"meaning"`
}

// RulesJSON writes a list of rules as one JSON document, with all that they say.
func RulesJSON(w io.Writer, rules []lint.Rule) error {
	return writeJSON(w, jsonRules{Version: jsonVersion, Rules: each(rules, func(r lint.Rule) jsonRule {
		return jsonRule{
			Name: r.Name, Layer: r.Layer.String(), Severity: r.Severity.String(),
			Summary: r.Summary, Why: r.Why, Avoid: r.Avoid, Prefer: r.Prefer, URL: PageURL(r.Name),
			Options: each(r.Options, func(o lint.Option) jsonOption { return jsonOption(o) }),
		}
	})})
}
