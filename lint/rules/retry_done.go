package rules

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// doneRules are about what is begun and not done yet.
func doneRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "accepted-is-not-done", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "What was only accepted is taken for done.",
			Why: "202, and a status such as PENDING, say that the work goes on and may still fail. What is done next rests on " +
				"it: receive the message that tells the end, or ask until it is there.",
			Avoid: "- stepId: pay # answers PENDING\n- stepId: ship\n",
			Prefer: "- stepId: pay\n- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n  correlationId: $inputs.reference\n  timeout: 30000\n" +
				"  successCriteria:\n    - condition: $message.payload#/status == 'SUCCEEDED'\n- stepId: ship\n",
			Check: checkAccepted,
		},
	}
}

func checkAccepted(p *lint.Pass) {
	eachEffect(p, func(s *lint.Step, _ *lint.Effect) {
		flow := s.Workflow.Flow()
		if s.Target.Kind != lint.CallTarget || flow.Broken {
			return
		}
		why, looks := acceptedOnly(s), looksAtStatus(s)
		if why == "" {
			return
		}
		for _, e := range flow.Edges(s) {
			if looks && !letsPending(e) {
				continue
			}
			next := actsAfter(flow, e, s)
			if next != nil && !(looks && actsOn(next, s)) {
				p.Report(lint.Finding{
					At: lint.At(next.Model.StepID.Node, next.Model.Node),
					Message: fmt.Sprintf("this runs before %s is known to be done: %s; receive its end, or ask for it, first",
						does(s), why),
					Related: []lint.Related{lint.See(s.Model.StepID.Node, "it is begun here")},
				})
				return
			}
		}
	})
}

// acceptedOnly says why a step that succeeded is not known to be done; empty where
// it is, or nothing is known.
func acceptedOnly(s *lint.Step) string {
	success := s.Workflow.Flow().Success(s).May.Intersect(lint.Statuses(200, 299))
	responses := lint.ResponsesUnder(s.Target.Operation, success)
	for _, r := range responses {
		if r.Status == "202" {
			return "202 says that it was accepted"
		}
	}
	for _, body := range s.Workflow.Document.Bodies(s.Target.Operation, responses) {
		for _, name := range statusFields {
			found, presence := body.Schema.Step(name)
			if pending := pendingOf(found); presence == reason.Declared && pending != "" {
				return fmt.Sprintf("its %s may be %s", name, pending)
			}
		}
	}
	return ""
}

// statusFields are the members that say how something stands.
var statusFields = []string{"status", "state"}

var (
	pendingWords = []string{"pending", "processing", "in progress", "inprogress", "queued", "submitted", "initiated", "running", "requested", "accepted"}
	failedWords  = []string{"failed", "failure", "declined", "rejected", "refused", "error", "denied", "aborted", "unsuccessful"}
)

// pendingOf gives the value of a status by which something is not done yet; empty
// where there is none, or where none says that it may fail: an order that waits for
// its payment is no work in progress.
func pendingOf(s reason.Schema) string {
	values, listed := s.Values()
	if !listed {
		return ""
	}
	pending, alone, mayFail := "", true, false
	for _, v := range values {
		word := strings.Join(lint.Words(strings.ToLower(v.Text())), " ")
		switch {
		case slices.Contains(pendingWords, word):
			pending = v.Text()
		case slices.Contains(failedWords, word):
			mayFail = true
			fallthrough
		default:
			alone = false
		}
	}
	if mayFail || alone {
		return pending
	}
	return ""
}

// looksAtStatus tells whether the step itself judges by its status: in its
// criteria, or in those of the actions after its success.
func looksAtStatus(s *lint.Step) bool {
	criteria := slices.Clone(s.Criteria)
	for _, a := range s.OnSuccess {
		criteria = append(criteria, a.Criteria...)
	}
	return slices.ContainsFunc(criteria, func(c *lint.Criterion) bool {
		return len(c.Faults) > 0 || slices.ContainsFunc(c.Compiled.Uses(), func(use dynamic.Use) bool {
			e := use.Expression
			return e.Root == expression.Response && e.Part == expression.BodyPart
		})
	})
}

// letsPending tells whether an edge is taken for certain by an answer which says that
// something goes on: the criteria look at it, and let it through.
func letsPending(e *lint.Edge) bool {
	s := e.From
	success := s.Workflow.Flow().Success(s).May.Intersect(lint.Statuses(200, 299))
	for _, r := range lint.ResponsesUnder(s.Target.Operation, success) {
		status, err := strconv.Atoi(r.Status)
		if err != nil {
			continue
		}
		for _, body := range s.Workflow.Document.Bodies(s.Target.Operation, []*source.Response{r}) {
			for _, name := range statusFields {
				found, presence := body.Schema.Step(name)
				if presence == reason.Declared && slices.ContainsFunc(pendingValues(found, status), func(v value.Value) bool { return e.TakenWith(status, name, v) }) {
					return true
				}
			}
		}
	}
	return false
}

// pendingValues gives the values of a status by which something is not done yet.
func pendingValues(s reason.Schema, status int) []value.Value {
	if status != http.StatusAccepted && pendingOf(s) == "" {
		return nil
	}
	values, _ := s.Values()
	return slices.DeleteFunc(slices.Clone(values), func(v value.Value) bool {
		return !slices.Contains(pendingWords, strings.Join(lint.Words(strings.ToLower(v.Text())), " "))
	})
}

// actsOn tells whether a step acts on what another has begun: it goes on with it.
func actsOn(s, begun *lint.Step) bool {
	return s.Target.Kind != lint.CallTarget || s.Target.Source == begun.Target.Source &&
		strings.HasPrefix(s.Target.Operation.Path, begun.Target.Operation.Path+"/")
}

// judges tells whether a step succeeds, or goes on, by what another has answered.
func judges(s, answered *lint.Step) bool {
	criteria := slices.Clone(s.Criteria)
	for _, a := range s.OnSuccess {
		criteria = append(criteria, a.Criteria...)
	}
	return slices.ContainsFunc(criteria, func(c *lint.Criterion) bool {
		return len(c.Faults) > 0 || slices.ContainsFunc(c.Compiled.Uses(), func(use dynamic.Use) bool {
			return use.Expression.Root == expression.Steps && use.Expression.Owner == answered.ID()
		})
	})
}

// actsAfter gives the first effectful step that runs after another along an edge of
// its success, before anything receives or asks; nil where there is none.
func actsAfter(flow *lint.Flow, e *lint.Edge, begun *lint.Step) *lint.Step {
	if !e.Success || e.To == nil || e.To == begun {
		return nil
	}
	learns := func(s *lint.Step) bool {
		return s.Receives() || s.MayAsk(begun) || readsFrom(s, begun) || judges(s, begun)
	}
	if learns(e.To) {
		return nil
	}
	reached := flow.Reach(e.To, func(next *lint.Edge) bool {
		return next.Success && next.To != begun && (next.To == nil || !learns(next.To))
	})
	reached[e.To] = true
	for _, s := range flow.Order {
		if reached[s] && s != begun && s.Effect() != nil && s.Effect().Effectful && !stepUndoes(s) {
			return s
		}
	}
	return nil
}

// readsFrom tells whether a step reads, by what another answered.
func readsFrom(s, answered *lint.Step) bool {
	return s.Effect().Reads() && slices.ContainsFunc(s.SentUses(), func(e *expression.Expression) bool {
		return e.Root == expression.Steps && e.Owner == answered.ID()
	})
}
