package cli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor/durable"
)

// nodePage is what weft runs nodes writes.
type nodePage struct {
	Nodes []durable.NodeView `json:"nodes"`
}

func (r runsCommand) nodes() *cobra.Command {
	return &cobra.Command{
		Use:   "nodes",
		Short: "List the processes that execute the runs of the store",
		Long: "Lists the processes that execute the runs of the store: live; lost, which have not said\n" +
			"for 15 seconds that they live; left, which were stopped as planned; and for a day those\n" +
			"that are gone, of which others have taken over the runs. RUNS is how many runs that\n" +
			"have not ended each executed last.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return r.flags.use(cmd, func(ctx context.Context, store *durable.Store) error {
				nodes, err := store.Nodes(ctx)
				if err != nil {
					return err
				}
				if r.flags.json {
					return writeJSON(r.stdio.Out, nodePage{nodes})
				}
				return writeNodes(r.stdio.Out, nodes, time.Now())
			})
		},
	}
}

// writeNodes writes nodes for people.
func writeNodes(w io.Writer, nodes []durable.NodeView, now time.Time) error {
	if len(nodes) == 0 {
		_, err := fmt.Fprintln(w, "no nodes: nothing executes the runs of this store")
		return err
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NODE\tSTATE\tSEEN\tAGE\tRUNS\tENGINE\tTAKEN BY\t")
	for _, n := range nodes {
		seen := "-"
		if !n.Seen.IsZero() {
			seen = ageOf(now.Sub(n.Seen)) + " ago"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\t\n", n.Node, n.State, seen, ageOf(now.Sub(n.Began)), n.Runs, n.Engine, orDash(n.TakenBy))
	}
	return table.Flush()
}
