package contract

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// errorf fails the test; the first time with the run.
func (r *Run) errorf(format string, args ...any) {
	r.t.Helper()
	text := fmt.Sprintf("%s: %s: %s", r.document, r.workflow, fmt.Sprintf(format, args...))
	if !r.shown {
		r.shown = true
		text += "\n" + indented(r.story)
	}
	r.t.Errorf("%s", text)
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "requests go to ") {
			b.WriteString("\t" + line)
		}
	}
	return b.String()
}

// Status claims how the run ended.
func (r *Run) Status(want executor.Status) {
	r.t.Helper()
	if got := r.Result.Status; got != want {
		why := ""
		if r.Result.Reason != "" {
			why = " (" + r.Result.Reason + ")"
		}
		r.errorf("status = %s%s, want %s", got, why, want)
	}
}

// State claims the state of the business at the end (x-weft-states).
func (r *Run) State(want string) {
	r.t.Helper()
	if got := r.asked().State; got != want {
		r.errorf("state = %q, want %q", got, want)
	}
}

// asked gives the result of the workflow that was asked for.
func (r *Run) asked() executor.WorkflowResult {
	for _, w := range r.Result.Workflows {
		if w.ID == r.workflow {
			return w
		}
	}
	return executor.WorkflowResult{}
}

// Output claims the value of an output of the workflow. want is of the types that
// encoding/json knows, or an int; nil claims that there is no such output, or null.
func (r *Run) Output(name string, want any) {
	r.t.Helper()
	wanted, err := value.Of(want)
	if err != nil {
		r.t.Fatalf("output %q: want: %v", name, err)
		return
	}
	got := r.asked().Outputs.Get(name)
	if value.Identical(got, wanted) || got.IsNothing() && wanted.IsNothing() {
		return
	}
	has := ""
	if got.IsAbsent() {
		has = suggestion(name, r.asked().Outputs.String(), memberNames(r.asked().Outputs))
	}
	r.errorf("output %q = %s, want %s%s", name, got, wanted, has)
}

// Calls claims which operations were called, repeated attempts included, in this order: what
// the APIs have received, not what was prepared and never came to them.
func (r *Run) Calls(want ...string) {
	r.t.Helper()
	got := make([]string, len(r.Received))
	for i, one := range r.Received {
		got[i] = one.Operation
	}
	if !slices.Equal(got, want) {
		r.errorf("calls:\n\t got %s\n\twant %s%s", listed(got), listed(want), r.unknown(want))
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// Called claims how often an operation was called, repeated attempts included: how often
// its API has received it. A name that the APIs do not have fails the test.
func (r *Run) Called(operation string, times int) {
	r.t.Helper()
	if !r.knows(operation) {
		return
	}
	if got := len(r.to(operation)); got != times {
		r.errorf("%s was called %d times, want %d%s", operation, got, times, r.lost(operation))
	}
}

// knows tells whether the APIs have an operation; if not it fails the test.
func (r *Run) knows(operation string) bool {
	r.t.Helper()
	if r.find == nil || len(r.to(operation)) > 0 || r.prepared(operation) > 0 {
		return true
	}
	if _, err := r.find(operation); err != nil {
		r.errorf("%v", err)
		return false
	}
	return true
}

// to gives the requests to an operation that were received.
func (r *Run) to(operation string) []Received {
	return slices.DeleteFunc(slices.Clone(r.Received), func(one Received) bool {
		return one.Operation != operation && one.Method+" "+one.URL != operation
	})
}

// prepared counts the attempts at an operation, whether they came to it or not.
func (r *Run) prepared(operation string) int {
	n := 0
	for _, one := range r.Requests {
		if one.Operation == operation || one.Method+" "+one.URL == operation {
			n++
		}
	}
	return n
}

// lost tells how many attempts at an operation did not come to it; empty: all did.
func (r *Run) lost(operation string) string {
	if n := r.prepared(operation) - len(r.to(operation)); n > 0 {
		return fmt.Sprintf(" (%d more did not come to it)", n)
	}
	return ""
}

// unknown asks after the names that the APIs do not have; empty: they have all.
func (r *Run) unknown(names []string) string {
	for _, name := range names {
		if r.find == nil {
			break
		}
		if _, err := r.find(name); errors.Is(err, errNoOperation) {
			return "\n\t" + err.Error()
		}
	}
	return ""
}

func memberNames(v value.Value) []string {
	var names []string
	for _, m := range v.Members() {
		names = append(names, m.Name)
	}
	return names
}

// Key claims that every attempt at an operation bore this idempotency key.
func (r *Run) Key(operation, want string) {
	r.t.Helper()
	if !r.knows(operation) {
		return
	}
	attempts := r.to(operation)
	if len(attempts) == 0 {
		r.errorf("%s was not called, want its key to be %q%s", operation, want, r.lost(operation))
		return
	}
	for i, one := range attempts {
		if one.Key != want {
			r.errorf("attempt %d of %d at %s bore the key %q, want %q", i+1, len(attempts), operation, one.Key, want)
			return
		}
	}
}

// OneKey claims that every attempt at an operation bore an idempotency key, and all the
// same one.
func (r *Run) OneKey(operation string) {
	r.t.Helper()
	if !r.knows(operation) {
		return
	}
	attempts := r.to(operation)
	for i, one := range attempts {
		switch {
		case one.Key == "":
			r.errorf("attempt %d of %d at %s bore no key", i+1, len(attempts), operation)
			return
		case one.Key != attempts[0].Key:
			r.errorf("attempt %d of %d at %s bore the key %q, the first %q: it is other work to the server", i+1, len(attempts), operation, one.Key, attempts[0].Key)
			return
		}
	}
	if len(attempts) == 0 {
		r.errorf("%s was not called, want a key%s", operation, r.lost(operation))
	}
}

// Effects claims what the mocked servers were left with: how often each operation had its
// effect, by operationId. What is not named must have had none.
func (r *Run) Effects(want map[string]int) {
	r.t.Helper()
	got := map[string]int{}
	for _, e := range r.server.Effects() {
		got[e.Operation] += e.Count
	}
	for name, n := range want {
		if n == 0 {
			got[name] += 0
		}
	}
	if !maps.Equal(got, want) {
		r.errorf("effects:\n\t got %s\n\twant %s%s", counted(got), counted(want), r.unknown(slices.Sorted(maps.Keys(want))))
	}
}

func counted(counts map[string]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d×", name, counts[name]))
	}
	return listed(parts)
}

// Took claims that a step took an action, by its name.
func (r *Run) Took(step, action string) {
	r.t.Helper()
	if !r.hasStep(step) {
		return
	}
	var taken []string
	for _, e := range r.Events {
		switch d := e.Detail.(type) {
		case executor.ActionChosen:
			if e.Step == step {
				taken = append(taken, d.Name)
			}
		case executor.RetryScheduled:
			if e.Step == step {
				taken = append(taken, d.Action)
			}
		}
	}
	if !slices.Contains(taken, action) {
		hint := ""
		if has := r.actionsOf(step); len(has) > 0 && !slices.Contains(has, action) {
			hint = ", which it does not have; " + meant(action, has)
		}
		r.errorf("step %q took %s, want the action %s%s", step, listed(taken), action, hint)
	}
}

// NoFindings claims that all answers were as they are described.
func (r *Run) NoFindings() {
	r.t.Helper()
	for _, e := range r.Events {
		if d, ok := e.Detail.(executor.ContractFinding); ok && d.Of != "request" {
			r.errorf("the %s of step %q breaks its description: %s", d.Of, e.Step, d.Message)
		}
	}
}
