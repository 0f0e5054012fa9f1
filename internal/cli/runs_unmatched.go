package cli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/internal/server"
)

func (r runsCommand) unmatched() *cobra.Command {
	return &cobra.Command{
		Use:   "unmatched",
		Short: "List the messages that were received and belong to no run",
		Long: "Lists the messages that were received and belong to no run, without their bodies. They\n" +
			"are kept for a day, for runs that begin later.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				page, err := server.ListUnmatched(ctx, store.Hub())
				if err != nil {
					return err
				}
				if r.flags.json {
					return writeJSON(r.stdio.Out, page)
				}
				return writeUnmatched(r.stdio.Out, page, time.Now())
			})
		},
	}
}

// writeUnmatched writes messages that belong to no run for people.
func writeUnmatched(w io.Writer, page server.UnmatchedPage, now time.Time) error {
	if len(page.Messages) == 0 {
		_, err := fmt.Fprintln(w, "no unmatched messages")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "ADDRESS\tIDENTITY\tAGE\tBYTES\tWHY\t")
	for _, m := range page.Messages {
		fmt.Fprintf(table, "%s %s.%s\t%s\t%s\t%d\t%s\t\n", m.Kind, m.Source, m.Name, orDash(m.Identity), ageOf(now.Sub(m.Received)), m.Bytes, m.Reason)
	}
	return table.Flush()
}
