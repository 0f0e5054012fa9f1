package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/report"
)

// longReplay is from when on it is said beforehand how long a run takes.
const longReplay = 5 * time.Second

// foretell says how long a run takes that is about to be made over real connections, where it
// mostly waits.
func foretell(to io.Writer, takes, endedAfter time.Duration) {
	if takes < longReplay {
		return
	}
	fmt.Fprintf(to, "over real connections the run takes %v", takes.Round(time.Second))
	if endedAfter > 0 {
		fmt.Fprintf(to, "; it is ended after %v (--limit)", endedAfter)
	}
	fmt.Fprintln(to)
}

// replayRun makes the run of a seed once more and shows it. The exit code is 1 where a
// check does not hold in it.
func (f *testFlags) replayRun(ctx context.Context, set *source.Set, o contract.Options, stdio Stdio) int {
	fmt.Fprintf(stdio.Err, "looking for the run of seed %d\n", f.replay)
	console := report.NewConsole(stdio.Out, report.Options{Color: wantsColor(stdio.Out)})
	o.Foretell = func(takes, endedAfter time.Duration) { foretell(stdio.Err, takes, endedAfter) }
	done, err := contract.Replay(ctx, set, o, f.replay, console)
	if closing := console.Close(); err == nil {
		err = closing
	}
	switch {
	case errors.Is(err, contract.ErrNoSeed):
		return exitOK // another file may have it
	case errors.Is(err, contract.ErrNoWorkflow):
		err = usage("%w", err)
		fallthrough
	case err != nil:
		fmt.Fprintf(stdio.Err, "weft: %v\n", err)
		return codeOf(err)
	}
	f.replayed = true
	for _, c := range done.Conditions {
		fmt.Fprintf(stdio.Out, "  - %s\n", c)
	}
	fmt.Fprintln(stdio.Out, "\nEffects on the played servers")
	for _, e := range done.Effects {
		key := ""
		if e.Key != "" {
			key = "  key " + e.Key
		}
		fmt.Fprintf(stdio.Out, "  %-28s %d%s\n", e.Source+"."+e.Operation, e.Count, key)
	}
	if len(done.Effects) == 0 {
		fmt.Fprintln(stdio.Out, "  none")
	}
	if done.Cut {
		fmt.Fprintf(stdio.Out, "ended after %v, before its end (--limit); in memory this does not hold in it:\n", o.Limit)
	}
	for _, p := range done.Problems {
		fmt.Fprintf(stdio.Out, "✗ %s  %s\n", p.Check, p.Message)
	}
	if len(done.Problems) > 0 {
		return exitFailed
	}
	return exitOK
}
