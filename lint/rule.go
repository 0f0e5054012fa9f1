package lint

import (
	"fmt"
	"regexp"
)

// Rule is one rule with its documentation. Rules are plain values in one ordered
// list (lint/rules); nothing registers itself. A user's own rule is a value like
// any other, put behind those of the list.
type Rule struct {
	// Name is what configuration and outputs call it: words in lower case,
	// joined by hyphens.
	Name     string
	Layer    Layer
	Severity Severity // unless the configuration says otherwise
	Summary  string   // one sentence: what is reported
	Why      string   // why it matters
	Avoid    string   // a piece of a document, in YAML, that is reported
	Prefer   string   // the same, as it should be

	// Options are the numbers by which the configuration can set the rule.
	Options []Option

	// Check looks at one document and reports what it finds to the pass. It is
	// called once for each document, for several documents at the same time, and
	// must keep nothing between calls. It is nil for a rule whose findings come
	// from the parser and the schemas.
	Check func(*Pass)
}

// ruleName is the form of a rule's name.
var ruleName = regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)

// CheckRules gives an error where a list of rules is not fit for use: a name
// that is malformed or taken, or a rule that is not documented.
func CheckRules(rules []Rule) error {
	seen := make(map[string]bool, len(rules))
	for _, r := range rules {
		switch {
		case !ruleName.MatchString(r.Name):
			return fmt.Errorf("lint: rule %q: a name is words in lower case joined by hyphens", r.Name)
		case seen[r.Name]:
			return fmt.Errorf("lint: rule %s is there twice", r.Name)
		case r.Layer == 0 || r.Severity == 0:
			return fmt.Errorf("lint: rule %s has no layer or no severity", r.Name)
		case r.Summary == "" || r.Why == "" || r.Avoid == "" || r.Prefer == "":
			return fmt.Errorf("lint: rule %s is not documented", r.Name)
		}
		seen[r.Name] = true
	}
	return nil
}
