package cli

import (
	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/lint/format"
	"github.com/weft-flow/weft/lint/rules"
)

func newRulesCommand(stdio Stdio) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "List the lint rules",
		Long:    "Lists the lint rules with their severity and what each reports. 'weft explain RULE'\ntells more of one.",
		Example: "  weft rules --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return format.RulesJSON(stdio.Out, rules.All())
			}
			return format.Rules(stdio.Out, rules.All(), wantsColor(stdio.Out))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON document, with all that the rules say")
	return cmd
}
