package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/executor"
)

// statuses in the order in which the summary counts them.
var statuses = [...]executor.Status{
	executor.Succeeded, executor.Recovered, executor.Failed, executor.Cancelled, executor.Unknown,
}

func statusStyle(s executor.Status) style {
	switch s {
	case executor.Succeeded:
		return green
	case executor.Recovered, executor.Unknown:
		return yellow
	default:
		return red
	}
}

func (c *Console) runFinished(e executor.Event, d executor.RunFinished) {
	c.writeReasons(d.Result)
	c.line("")
	counts := d.Result.Counts
	parts := []string{
		c.workflowCounts(d.Result),
		counted(counts.Steps, "step", "steps"),
		counted(counts.Requests, "request", "requests"),
		c.paint(careIf(counts.UnsafeRepeats), counted(counts.UnsafeRepeats, "unsafe repeat", "unsafe repeats")),
	}
	if counts.Withheld > 0 {
		parts = append(parts, c.paint(yellow, counted(counts.Withheld, "retry withheld", "retries withheld")))
	}
	parts = append(parts, c.messageCounts(counts)...)
	parts = append(parts, c.paint(careIf(counts.Findings), counted(counts.Findings, "contract finding", "contract findings")))
	c.line(strings.Join(parts, " · ") + "   " + c.paint(dim, elapsed(e.Time.Sub(c.began))))
}

// messageCounts counts messages and what became of them, as far as there are any, and
// the moves of the state that were refused.
func (c *Console) messageCounts(counts executor.Counts) []string {
	var parts []string
	add := func(look style, n int, one, many string) {
		if n > 0 {
			parts = append(parts, c.paint(look, counted(n, one, many)))
		}
	}
	add(plain, counts.Messages, "message", "messages")
	add(plain, counts.Duplicates, "duplicate", "duplicates")
	add(red, counts.Conflicts, "conflicting message", "conflicting messages")
	add(yellow, counts.SetAside-counts.Duplicates-counts.Conflicts, "message set aside", "messages set aside")
	add(yellow, c.refused, "refused move", "refused moves")
	return parts
}

// writeReasons writes why a workflow or the run ended as it did, where no line
// said so yet.
func (c *Console) writeReasons(r executor.Result) {
	for _, w := range r.Workflows {
		c.writeReason(w.ID+" ", w.Status, w.Reason)
	}
	c.writeReason("", r.Status, r.Reason)
	if reason := verdictOnMessages(r.Counts); reason != "" {
		c.line(c.paint(red, "failed: "+reason))
	}
}

func (c *Console) writeReason(what string, s executor.Status, reason string) {
	if reason == "" || s == executor.Succeeded || slices.Contains(c.told, reason) {
		return
	}
	c.tell(reason)
	c.line(c.paint(statusStyle(s), printable(what)+string(s)+": "+printable(reason)))
}

// workflowCounts counts the workflows by how they ended; without any it says how
// the run did.
func (c *Console) workflowCounts(r executor.Result) string {
	if len(r.Workflows) == 0 {
		return c.paint(statusStyle(r.Status), "run "+string(r.Status))
	}
	var parts []string
	for _, status := range statuses {
		n := 0
		for _, w := range r.Workflows {
			if w.Status == status {
				n++
			}
		}
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", n, status)
		if len(parts) == 0 {
			text = counted(n, "workflow", "workflows") + " " + string(status)
		}
		parts = append(parts, c.paint(statusStyle(status), text))
	}
	return strings.Join(parts, ", ")
}

func careIf(n int) style {
	if n > 0 {
		return yellow
	}
	return plain
}
