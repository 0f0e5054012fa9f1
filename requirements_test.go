package weft_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest = regexp.MustCompile("`([\\w/.-]+_test\\.go):(\\w+)`")
	namedRule = regexp.MustCompile("rule `([a-z-]+)`")
	verdicts  = regexp.MustCompile(`(?i)\*\*(author|departs|not built|not shown)\*\*`)
)

// TestRequirementsNameTestsThatExist: the page tells of each demand of the
// specification what shows it, and every test and rule that it names is there.
func TestRequirementsNameTestsThatExist(t *testing.T) {
	page, err := os.ReadFile("docs/requirements.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for number, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") || strings.HasPrefix(line, "| | Demand") {
			continue
		}
		rows++
		shown := cells[len(cells)-1]
		tests, rules := namedTest.FindAllStringSubmatch(shown, -1), namedRule.FindAllStringSubmatch(shown, -1)
		if len(cells) != 3 || len(tests)+len(rules) == 0 && !verdicts.MatchString(shown) {
			t.Errorf("line %d tells no test, and not why there is none: %s", number+1, line)
		}
		for _, test := range tests {
			if !hasFunction(test[1], test[2]) {
				t.Errorf("line %d: there is no %s in %s", number+1, test[2], test[1])
			}
		}
		for _, rule := range rules {
			if _, err := os.Stat(filepath.Join("lint/rules/testdata", rule[1])); err != nil {
				t.Errorf("line %d: the rule %s has no documents", number+1, rule[1])
			}
		}
	}
	if rows < 100 {
		t.Errorf("only %d demands were read from the page", rows)
	}
}

func hasFunction(file, name string) bool {
	text, err := os.ReadFile(file)
	return err == nil && regexp.MustCompile(`(?m)^func `+name+`\(`).Match(text)
}
