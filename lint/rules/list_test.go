package rules_test

import (
	"context"
	"os"
	"regexp"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
	"github.com/weft-flow/weft/specs"
)

func TestRulesAreFitForUse(t *testing.T) {
	if err := lint.CheckRules(rules.All()); err != nil {
		t.Error(err)
	}
}

func TestExamplesOfRulesAreYAML(t *testing.T) {
	for _, rule := range rules.All() {
		var v any
		if err := yaml.Unmarshal([]byte(rule.Prefer), &v); err != nil {
			t.Errorf("%s: prefer: %v", rule.Name, err)
		}
	}
}

// TestRulesThatAreReportedExist reads the rules that the parser and the schemas
// name, so that none is left without documentation.
func TestRulesThatAreReportedExist(t *testing.T) {
	inSchema := regexp.MustCompile(`"rule": "([a-z-]+)"`)
	for _, text := range []string{specs.Arazzo10(), specs.Arazzo11(), specs.Extensions()} {
		for _, match := range inSchema.FindAllStringSubmatch(text, -1) {
			if _, ok := rules.Find(match[1]); !ok {
				t.Errorf("a schema names the rule %s, which is not listed", match[1])
			}
		}
	}
	data, err := os.ReadFile("../format/testdata/fields.arazzo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	result, err := lint.Run(context.Background(), []lint.Input{{Path: "fields", Data: data}}, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Files[0].Diagnostics {
		if _, ok := rules.Find(d.Rule); !ok {
			t.Errorf("the rule %s is reported and not listed", d.Rule)
		}
	}
}
