package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// retryActionRules are about when, how often and how fast a retry is made.
func retryActionRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "retry-transient-only", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A retry repeats a request after a refusal that will not change.",
			Why: "400, 401, 403, 405, 410, 415 and 422 say that the request itself is wrong, and so does 404 of an operation that makes " +
				"or changes something: sent again as it is, it is refused again. A retry that runs a step or workflow first, " +
				"to renew a token say, is not reported.",
			Avoid:  "- name: again\n  type: retry\n  criteria:\n    - condition: $statusCode >= 400\n",
			Prefer: "- name: again\n  type: retry\n  criteria:\n    - condition: $statusCode == 429 || $statusCode >= 500\n",
			Check:  checkTransientOnly,
		},
		{
			Name: "retry-criteria", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A retry has no criteria.",
			Why:     "It repeats whatever failed, refusals too, that will only be refused again.",
			Avoid:   "- {name: again, type: retry, retryAfter: 1, retryLimit: 3}\n",
			Prefer:  "- name: again\n  type: retry\n  retryAfter: 1\n  retryLimit: 3\n  criteria:\n    - condition: $statusCode == 429 || $statusCode == 503\n",
			Check:   checkRetryCriteria,
		},
		{
			Name: "retry-bounded", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A retry is made very often.",
			Why: "What has not helped ten times rarely helps the eleventh, and a service in trouble is held there by those who " +
				"keep asking. For a long wait ask less often, or receive a message.",
			Avoid:   "- {name: again, type: retry, retryAfter: 1, retryLimit: 100}\n",
			Prefer:  "- {name: again, type: retry, retryAfter: 10, retryLimit: 10}\n",
			Options: []lint.Option{{Name: "most", Default: 10, Meaning: "the greatest retryLimit that is not reported"}},
			Check:   checkRetryBounded,
		},
		{
			Name: "retry-delay", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A retry waits not at all after 429 or 503, or for very long.",
			Why: "429 and 503 ask to come later. Where the answer does not say when, retryAfter does. It counts seconds: a " +
				"large number is often meant as milliseconds, as timeout counts them.",
			Avoid:   "- name: again\n  type: retry\n  retryAfter: 1000\n  criteria:\n    - condition: $statusCode == 503\n",
			Prefer:  "- name: again\n  type: retry\n  retryAfter: 1\n  criteria:\n    - condition: $statusCode == 503\n",
			Options: []lint.Option{{Name: "longest", Default: 300, Meaning: "the greatest retryAfter, in seconds, that is not reported"}},
			Check:   checkRetryDelay,
		},
		{
			Name: "retry-amplification", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Retries within retries multiply to many.",
			Why: "A workflow that is retried five times, and retries a request in it five times, sends thirty-six requests to a " +
				"service that is in trouble already; so does what a retry runs first. Retry in one place.",
			Avoid:   "- stepId: pay\n  workflowId: payOrder # retries its request 5 times\n  onFailure:\n    - {name: again, type: retry, retryLimit: 5}\n",
			Prefer:  "- stepId: pay\n  workflowId: payOrder # retries its request 5 times\n",
			Options: []lint.Option{{Name: "most", Default: 20, Meaning: "the greatest product of limits that is not reported"}},
			Check:   checkAmplification,
		},
	}
}

// lastingRefusals are the statuses that a repeat does not change.
var lastingRefusals = []int{400, 401, 403, 405, 410, 415, 422}

func checkTransientOnly(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Target.Kind != lint.CallTarget {
			continue
		}
		lasting := lastingRefusals
		if s.Effect().Effectful {
			lasting = append([]int{404}, lastingRefusals...)
			slices.Sort(lasting)
		}
		for _, e := range retriesOf(s) {
			if len(e.Action.Criteria) == 0 || e.Helper() != nil || e.Action.Model.StepID.Present() || e.Action.Model.WorkflowID.Present() {
				continue
			}
			var repeated []string
			chosen := chosenRefusals(e)
			for _, status := range lasting {
				if e.When.Must.Has(status) || chosen.Has(status) {
					repeated = append(repeated, fmt.Sprint(status))
				}
			}
			if repeated != nil {
				p.Reportf(decidingPlace(e.Action), "%s is sent again after %s: the same request is refused again", does(s), strings.Join(repeated, ", "))
			}
		}
	}
}

// chosenRefusals gives the statuses that the criteria of a retry let through where
// these are lasting refusals alone: whatever else the criteria ask, the same request
// is refused again. Where they ask when to come again, it was no lasting refusal.
func chosenRefusals(e *lint.Edge) lint.Outcomes {
	refusals := lint.Never
	for _, status := range lastingRefusals {
		refusals = refusals.Union(lint.Status(status))
	}
	chosen := e.Lets()
	if !refusals.Contains(chosen) || slices.ContainsFunc(e.Action.Criteria, asksWhen) {
		return lint.Never
	}
	return chosen
}

// laterWords are in what criteria ask of a refusal that does not last.
var laterWords = []string{
	"retry", "retryable", "rate", "ratelimit", "limit", "limited", "limits", "throttle", "throttled", "throttling", "quota", "later",
	"transient", "temporary", "temporarily", "busy", "slow", "again", "wait", "not", "yet", "pending", "lock", "locked", "propagation", "reset", "remaining",
}

func asksWhen(c *lint.Criterion) bool {
	return len(c.Faults) > 0 || slices.ContainsFunc(lint.Words(c.Model.Condition.Value), func(word string) bool { return slices.Contains(laterWords, word) })
}

func checkRetryCriteria(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Target.Kind != lint.CallTarget {
			continue
		}
		for _, e := range retriesOf(s) {
			if len(e.Action.Model.Criteria) == 0 && e.When.Must.Meets(lint.Status(400).Union(lint.Status(422)).Union(lint.Status(403))) {
				p.Reportf(placeOf(e.Action), "without criteria %s is sent again after any failure, also where it was refused", does(s))
			}
		}
	}
}

func checkRetryBounded(p *lint.Pass) {
	most := p.Option("most")
	for _, a := range p.Actions() {
		if a.Model != nil && a.Type() == "retry" && limitOf(a) > most {
			p.Reportf(lint.At(a.Model.RetryLimit.Node), "up to %d retries: more than %d rarely help, and burden a service that is in trouble", limitOf(a), most)
		}
	}
}

func checkRetryDelay(p *lint.Pass) {
	for _, s := range p.Steps() {
		for _, e := range retriesOf(s) {
			later := e.When.Must.Intersect(lint.Status(429).Union(lint.Status(503)))
			if s.Target.Kind == lint.CallTarget && !later.IsEmpty() && givesNoDelay(e.Action) {
				p.Reportf(placeOf(e.Action), "%s is sent again at once after %s, which asks to come later; give a retryAfter, in seconds", does(s), told(later))
			}
		}
	}
	for _, a := range p.Actions() {
		if a.Model != nil && a.Type() == "retry" && secondsOf(a.Model.RetryAfter) > float64(p.Option("longest")) {
			p.Reportf(lint.At(a.Model.RetryAfter.Node), "retryAfter counts seconds: this waits for %s", inWords(waitOf(a)))
		}
	}
}

// givesNoDelay tells whether an action gives no time to wait, or none. One that is no
// number is told by itself.
func givesNoDelay(a *lint.Action) bool {
	after := a.Model.Node.Get("retryAfter")
	return secondsOf(a.Model.RetryAfter) == 0 && (after == nil || after.Kind == value.KindNumber)
}

func checkAmplification(p *lint.Pass) {
	known := make(amplification)
	for _, s := range p.Steps() {
		for _, e := range retriesOf(s) {
			inner := known.within(s, e)
			if inner.step == s {
				continue // a workflow that calls itself
			}
			if product := min(limitOf(e.Action), countedRetries) * inner.retries; inner.retries > 1 && product > p.Option("most") {
				p.Reportf(placeOf(e.Action), "%d retries here times %d of %s: up to %d", limitOf(e.Action), inner.retries, does(inner.step), product)
			}
		}
	}
}

// within gives the greatest product of the retries that each attempt of a step may
// make by itself: in the workflow that it calls, and in what a retry runs first.
func (known amplification) within(s *lint.Step, retry *lint.Edge) multiplied {
	most := known.of(s.Target.Workflow())
	if first := known.of(retry.Action.Target.Workflow()); first.retries > most.retries {
		most = first
	}
	if helper := retry.Helper(); helper != nil && helper != s {
		if first := known.at(helper); first.retries > most.retries {
			most = first
		}
	}
	return most
}

// mostRetries gives the greatest number of retries of one action of a step.
func mostRetries(s *lint.Step) int {
	greatest := 0
	for _, e := range retriesOf(s) {
		greatest = max(greatest, min(limitOf(e.Action), countedRetries))
	}
	return greatest
}

// countedRetries and countedProduct are numbers beyond which it does not matter how
// many there are.
const (
	countedRetries = 1000
	countedProduct = 1 << 20
)

// multiplied is a product of retries, with the step that makes the innermost.
type multiplied struct {
	retries int
	step    *lint.Step
}

// amplification holds the greatest product of retries in each workflow, those in
// the workflows that it calls included.
type amplification map[*lint.Workflow]multiplied

func (known amplification) of(w *lint.Workflow) multiplied {
	if w == nil {
		return multiplied{}
	}
	if m, ok := known[w]; ok {
		return m // of one that calls itself: nothing
	}
	known[w] = multiplied{}
	var greatest multiplied
	for _, s := range w.Steps {
		if m := known.at(s); m.retries > greatest.retries {
			greatest = m
		}
	}
	known[w] = greatest
	return greatest
}

// at gives the greatest product of the retries that one run of a step may make.
func (known amplification) at(s *lint.Step) multiplied {
	m := multiplied{mostRetries(s), s}
	if inner := known.of(s.Target.Workflow()); inner.retries > 0 {
		m = multiplied{max(m.retries, 1) * inner.retries, inner.step}
	}
	m.retries = min(m.retries, countedProduct)
	return m
}
