package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/internal/spelling"
	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

func newExplainCommand(stdio Stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "explain RULE",
		Short: "Say what a lint rule is about",
		Long: "Says what a lint rule reports and why, with a piece of a document to avoid and one\n" +
			"to prefer, and how to configure or ignore it. 'weft rules' lists all rules.",
		Example:           "  weft explain retry-safe",
		Args:              someArguments("the name of a rule"),
		ValidArgsFunction: completeRules,
		RunE: func(_ *cobra.Command, args []string) error {
			for i, name := range args {
				if i > 0 {
					fmt.Fprintln(stdio.Out)
				}
				if err := explain(name, stdio); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func explain(name string, stdio Stdio) error {
	name = withoutLayer(name)
	rule, ok := rules.Find(name)
	if !ok {
		if near, found := spelling.Nearest(name, ruleNames()); found {
			return usage("there is no rule %q; did you mean %s?", name, near)
		}
		return usage("there is no rule %q; see 'weft rules'", name)
	}
	return format.Explain(stdio.Out, rule, wantsColor(stdio.Out))
}

// withoutLayer gives the name of a rule that is written as findings have it, with its
// layer before it: semantics/retry-safe.
func withoutLayer(name string) string {
	layer, rule, ok := strings.Cut(name, "/")
	if found, known := rules.Find(rule); ok && known && found.Layer.String() == layer {
		return rule
	}
	return name
}

func ruleNames() []string {
	var names []string
	for _, rule := range rules.All() {
		names = append(names, rule.Name)
	}
	return names
}

func completeRules(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return ruleNames(), cobra.ShellCompDirectiveNoFileComp
}
