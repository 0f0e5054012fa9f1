package cli

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

// parseStates reads what runs are asked for.
func parseStates(state, status string) (idempotency.RunState, executor.Status, error) {
	states := []idempotency.RunState{"", idempotency.Accepted, idempotency.Running, idempotency.Ended}
	if !slices.Contains(states, idempotency.RunState(state)) {
		return "", "", usage("--state %s: expected accepted, running or ended", state)
	}
	statuses := []executor.Status{"", executor.Succeeded, executor.Recovered, executor.Failed, executor.Cancelled, executor.Unknown}
	if !slices.Contains(statuses, executor.Status(status)) {
		return "", "", usage("--status %s: expected succeeded, recovered, failed, cancelled or unknown", status)
	}
	return idempotency.RunState(state), executor.Status(status), nil
}

// writeRun writes for people what an operator needs to know of a run.
func writeRun(w io.Writer, d durable.Detail) error {
	out := bufio.NewWriter(w)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("run", "%s", d.Run)
	line("document", "%s", d.Document)
	line("workflow", "%s", d.Workflow)
	if d.Tenant != "" {
		line("tenant", "%s", d.Tenant)
	}
	if d.Token != "" {
		line("token", "%s%s", d.Token, retained(d.Summary))
	}
	line("state", "%s", stateOf(d.Summary))
	for _, reason := range []string{d.Reason, d.Parked} {
		if reason != "" {
			line("reason", "%s", reason)
		}
	}
	for _, b := range d.States {
		line("business", "%s (%s) since %s", b.State, b.Workflow, moment(b.Moved))
	}
	if d.Waiting != nil {
		line("waits", "%s until %s", d.Waiting.Name, moment(d.Waiting.Until))
	}
	for _, at := range []struct {
		name string
		time time.Time
	}{{"accepted", d.Created}, {"began", d.Began}, {"cancel asked", d.Cancelled}, {"ended", d.Ended}} {
		if !at.time.IsZero() {
			line(at.name, "%s", moment(at.time))
		}
	}
	for _, s := range d.Steps {
		line("step", "%s", describeStep(s))
	}
	if d.Sealed {
		line("steps", "%s", "are not shown: they are encrypted under a key that this process does not have ("+keyVariable+")")
	}
	for _, m := range d.Messages {
		line("message", "%s of %s at %s%s", numberOf(m.Number), m.Box, moment(m.Received), repeated(m))
	}
	for _, s := range d.Settlements {
		taken := ""
		if s.TakenUp {
			taken = "; the run has taken it up"
		} else if s.Void {
			taken = "; the run has not taken it up: the outcome was known otherwise, or another request was sent since"
		}
		line("settled", "step %s: %s, says %s at %s%s", s.Step, s.Outcome, s.Operator, moment(s.Settled), taken)
	}
	return out.Flush()
}

// numberOf names a message of a run; one that came after the end has no number.
func numberOf(number int) string {
	if number == 0 {
		return "late"
	}
	return strconv.Itoa(number)
}

func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func retained(s durable.Summary) string {
	if s.HeldUntil.IsZero() {
		return ""
	}
	return ", held until " + moment(s.HeldUntil) + " at least"
}

func describeStep(s durable.StepView) string {
	text := fmt.Sprintf("%s#%d attempt %d at %s", s.Step, s.Activation, s.Attempt, moment(s.Requested))
	if s.KeyDigest != "" {
		text += ", key " + s.KeyDigest
	}
	switch {
	case s.Class == "":
		return text + ": in the air"
	case s.Class != s.Operation:
		text += fmt.Sprintf(": %s, the operation %s", s.Class, s.Operation)
	default:
		text += ": " + string(s.Class)
	}
	if s.Reason != "" {
		text += " (" + s.Reason + ")"
	}
	return text
}

func repeated(m durable.MessageView) string {
	text := ""
	if m.Identity != "" {
		text = ", id " + m.Identity
	}
	if m.Same > 0 {
		text += fmt.Sprintf(", %d duplicates", m.Same)
	}
	if m.Different > 0 {
		text += fmt.Sprintf(", %d times with other content", m.Different)
	}
	if m.Stray {
		text += ", fits no step so far"
	}
	return text
}
