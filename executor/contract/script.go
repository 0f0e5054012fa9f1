package contract

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/executor/mock"
)

// script says what happens to a run: which answers are chosen, and what breaks down.
// The same script does the same.
type script struct {
	choices []choice
	faults  []mock.Fault
	// cancel cancels the run; the zero cancelPoint: it is not cancelled.
	cancel cancelPoint
}

// choice chooses the answer to one attempt of a step, or the message that it takes.
type choice struct {
	attempt string // stable name: workflow/step#activation/attempt
	// always has later attempts of the step answered so too, until another choice.
	always bool
	answer *candidate
}

// with gives the script with another choice.
func (s script) with(c choice) script {
	s.choices = append(s.choices[:len(s.choices):len(s.choices)], c)
	return s
}

// broken gives the script with further faults.
func (s script) broken(faults ...mock.Fault) script {
	s.faults = append(s.faults[:len(s.faults):len(s.faults)], faults...)
	return s
}

// cancelled gives the script with a cancel.
func (s script) cancelled(at cancelPoint) script {
	s.cancel = at
	return s
}

// size tells how much has to happen for it. That nothing is ever answered is one thing.
func (s script) size() int {
	n := len(s.choices)
	for i, f := range s.faults {
		if i == 0 || !follows(f, s.faults[i-1]) {
			n++
		}
	}
	if s.cancel.attempt != "" {
		n++
	}
	return n
}

// follows tells whether a fault is that of the request after the one of another fault.
func follows(f, before mock.Fault) bool {
	next := before
	next.Occurrence = f.Occurrence
	return f == next && f.Occurrence == before.Occurrence+1
}

// text writes the script down.
func (s script) text() string {
	var b strings.Builder
	for _, c := range s.choices {
		fmt.Fprintf(&b, "%s %t %s\n", c.attempt, c.always, c.answer)
	}
	for _, f := range s.faults {
		fmt.Fprintf(&b, "%s %v %d\n", f, f.Delay, f.Times)
	}
	if s.cancel.attempt != "" {
		fmt.Fprintf(&b, "cancel %s answered %t\n", s.cancel.attempt, s.cancel.answered)
	}
	return b.String()
}

// seed names the script, and with it the run of a workflow.
func (s script) seed(workflow string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%s", workflow, s.text())
	return h.Sum64() >> 16 // short enough to be typed, and exact in every JSON reader
}

// stepKey gives the name of a step within a run, without activation and attempt.
func stepKey(attempt string) string {
	if at := strings.LastIndexByte(attempt, '#'); at >= 0 {
		return attempt[:at]
	}
	return attempt
}

// inARow tells workflows that go on in the place of each other apart.
var inARow = regexp.MustCompile(`~([2-9]|[1-9]\d+)$`)

// callPath gives by which steps and workflows an attempt came about, each once: without what
// tells attempts and rounds of a loop apart, and depths of what calls itself.
func callPath(attempt string) string {
	var path []string
	afterStep := false // the next part counts attempts
	for part := range strings.SplitSeq(stepKey(attempt), "/") {
		name, _, isStep := strings.Cut(part, "#")
		name = inARow.ReplaceAllString(name, "")
		if !afterStep && !slices.Contains(path, name) {
			path = append(path, name)
		}
		afterStep = isStep
	}
	return strings.Join(path, "/")
}
