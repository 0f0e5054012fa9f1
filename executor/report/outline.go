package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/weft-flow/weft/executor"
)

// WriteOutline writes what a run would do: the order of its steps, where they
// would go, the keys that would be sent, and what only the run itself can know.
// Keys are shown as digests unless showKeys.
func WriteOutline(w io.Writer, document string, o executor.Outline, showKeys bool) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s: nothing is sent\n", printable(document))
	if len(o.Origins) > 0 {
		fmt.Fprintf(&out, "requests would go to %s\n", printable(strings.Join(o.Origins, ", ")))
	}
	for _, workflow := range o.Workflows {
		fmt.Fprintf(&out, "\n%s\n", printable(workflow.ID))
		for i, step := range workflow.Steps {
			writeOutlineStep(&out, i+1, step, showKeys)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeOutlineStep(out *bytes.Buffer, number int, s executor.OutlineStep, showKeys bool) {
	calls := s.Calls
	if method, _, found := strings.Cut(s.Calls, " "); found && s.Target != "" {
		calls = method + " " + s.Target
	}
	fmt.Fprintf(out, "  %2d  %-16s %s\n", number, printable(s.ID), printable(calls))
	if s.Server != "" {
		fmt.Fprintf(out, "      to %s: %s\n", printable(s.Server), outlineEffect(s))
	}
	if s.KeyHeader != "" {
		fmt.Fprintf(out, "      key %s in %s: %s\n", outlineKey(s, showKeys), printable(s.KeyHeader), printable(s.KeyReason))
	}
	if len(s.Unresolved) > 0 {
		fmt.Fprintf(out, "      known only in the run: %s\n", printable(strings.Join(s.Unresolved, ", ")))
	}
}

func outlineEffect(s executor.OutlineStep) string {
	switch {
	case !s.Effectful:
		return "safe to repeat"
	case s.Contract:
		return "effectful, safe to repeat under its key"
	default:
		return "effectful, unsafe to repeat"
	}
}

func outlineKey(s executor.OutlineStep, showKeys bool) string {
	switch {
	case s.Key == "":
		return "made from the run's id"
	case showKeys:
		return printable(s.Key)
	default:
		return s.KeyDigest
	}
}
