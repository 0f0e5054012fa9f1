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
		writeOutlineWorkflow(&out, workflow, "", showKeys)
	}
	for _, workflow := range o.Others {
		writeOutlineWorkflow(&out, workflow, "", showKeys)
	}
	if o.Shortened {
		out.WriteString("\nThere are more calls than can be listed.\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeOutlineWorkflow(out *bytes.Buffer, w executor.OutlineWorkflow, indent string, showKeys bool) {
	switch {
	case indent == "" && w.Why != "":
		fmt.Fprintf(out, "\n%s (%s)\n", printable(w.ID), printable(w.Why))
	case indent == "":
		fmt.Fprintf(out, "\n%s\n", printable(w.ID))
	}
	for i, step := range w.Steps {
		writeOutlineStep(out, i+1, step, indent, showKeys)
	}
}

func writeOutlineStep(out *bytes.Buffer, number int, s executor.OutlineStep, indent string, showKeys bool) {
	calls := s.Calls
	if method, _, found := strings.Cut(s.Calls, " "); found && s.Target != "" {
		calls = method + " " + s.Target
	}
	fmt.Fprintf(out, "%s  %2d  %-16s %s\n", indent, number, printable(s.ID), printable(calls))
	tell := func(format string, args ...any) { fmt.Fprintf(out, indent+"      "+format+"\n", args...) }
	if s.Server != "" {
		tell("to %s: %s", printable(s.Server), outlineEffect(s))
	}
	if s.KeyHeader != "" {
		tell("key %s in %s: %s", outlineKey(s, showKeys), printable(s.KeyHeader), printable(s.KeyReason))
	}
	if len(s.Unresolved) > 0 {
		tell("known only in the run: %s", printable(strings.Join(s.Unresolved, ", ")))
	}
	if s.Problem != "" {
		tell("! would fail: %s", printable(s.Problem))
	}
	if s.Workflow != nil {
		writeOutlineWorkflow(out, *s.Workflow, indent+"    ", showKeys)
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
