package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// receiveRules are about steps that wait for a message.
func receiveRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "receive-timeout", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A step that waits for a message has no timeout.",
			Why:     "A message may never come. Without a timeout the step waits until the whole run is given up.",
			Avoid:   "- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n  correlationId: $inputs.reference\n",
			Prefer:  "- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n  correlationId: $inputs.reference\n  timeout: 30000\n",
			Check:   checkReceiveTimeouts,
		},
		{
			Name: "receive-criteria", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A step takes any message for good, although messages tell of failure too.",
			Why: "Where the payload has a status or an error, a message that comes is not yet a success: the payment may have " +
				"failed.",
			Avoid:  "- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n",
			Prefer: "- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n  successCriteria:\n    - condition: $message.payload#/status == 'SUCCEEDED'\n",
			Check:  checkReceiveCriteria,
		},
		{
			Name: "receive-requery", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "When no message comes in time, the workflow ends without asking, although it could.",
			Why: "A message may be lost, late, or sent to an address that nobody listens at. That none came says nothing of what " +
				"happened.",
			Avoid:  "- stepId: awaitPayment\n  timeout: 30000 # and then the workflow fails\n",
			Prefer: "- stepId: awaitPayment\n  timeout: 30000\n  onFailure:\n    - {name: askInstead, type: goto, stepId: findPayment}\n",
			Check:  checkReceiveRequery,
		},
		{
			Name: "duplicate-callback", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "Nothing says what a second message does.",
			Why: "Senders deliver at least once: the same message comes again. x-weft-on-duplicate says whether that is ignored, as " +
				"it is where nothing is said, or fails the verdict on the run. One with the same identity and other content always does.",
			Avoid:  "- stepId: awaitPayment\n  action: receive\n",
			Prefer: "- stepId: awaitPayment\n  action: receive\n  x-weft-on-duplicate: ignore\n",
			Check:  checkDuplicates,
		},
	}
}

// eachReceiver calls visit for each step that waits for a message.
func eachReceiver(p *lint.Pass, visit func(*lint.Step)) {
	for _, s := range p.Steps() {
		if s.Receives() {
			visit(s)
		}
	}
}

// placeOfTarget is where a step names what it calls.
func placeOfTarget(s *lint.Step) lint.Place { return lint.At(s.Target.Ref.Node, s.Model.Node) }

func checkReceiveTimeouts(p *lint.Pass) {
	if p.Model.Version == arazzo.Version10 {
		return
	}
	eachReceiver(p, func(s *lint.Step) {
		if s.Model.Node.Get("timeout") == nil {
			p.Reportf(placeOfTarget(s), "step %s waits for a message without a timeout, in milliseconds", quote(s.ID()))
		}
	})
}

func checkDuplicates(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if s.Model.Node.Get("x-weft-on-duplicate") == nil {
			p.Reportf(placeOfTarget(s), "nothing says what a second message does to step %s; x-weft-on-duplicate: ignore or fail", quote(s.ID()))
		}
	})
}

// outcomeFields are the members of messages that say how something went.
var outcomeFields = []string{
	"status", "state", "outcome", "error", "errors", "errorcode", "errormessage", "success", "failure", "failurereason", "failed",
}

func checkReceiveCriteria(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if s.Model.Node.Get("successCriteria") != nil || judgesMessage(s.OnSuccess) {
			return
		}
		for _, payload := range payloadsOf(s) {
			for _, name := range payload.names() {
				if slices.Contains(outcomeFields, lint.PlainName(name)) && !payload.isFixed(name) {
					p.Reportf(placeOfTarget(s), "step %s takes any message for good, although messages have %s; judge it by successCriteria",
						quote(s.ID()), quote(name))
					return
				}
			}
		}
	})
}

// judgesMessage tells whether actions tell messages apart.
func judgesMessage(actions []*lint.Action) bool {
	return slices.ContainsFunc(actions, func(a *lint.Action) bool { return slices.ContainsFunc(a.Criteria, usesMessage) })
}

func usesMessage(c *lint.Criterion) bool {
	if len(c.Faults) > 0 {
		return true
	}
	for _, use := range c.Compiled.Uses() {
		if use.Expression.Root == expression.Message {
			return true
		}
	}
	return false
}

// payload is what is described of the payload of a message: by OpenAPI, or by
// AsyncAPI.
type payload struct {
	schema reason.Schema
	async  *asyncapi.Schema
}

// payloadsOf gives what is described of the messages that a step receives.
func payloadsOf(s *lint.Step) []payload {
	var all []payload
	if o := s.Target.Operation; o != nil && o.Body != nil {
		for _, m := range o.Body.Content {
			all = append(all, payload{schema: lint.DescribedSchema(check.RequestSchema(o, m))})
		}
	}
	for _, m := range s.Messages() {
		if m.Payload != nil && m.Payload.IsJSON() {
			all = append(all, payload{async: m.Payload})
		}
	}
	return all
}

// names lists the members that the payload is described to have.
func (p payload) names() []string {
	if p.async == nil {
		return p.schema.Names()
	}
	var names []string
	for _, m := range properties(p.async.Node, 0) {
		names = append(names, m.Key.Text)
	}
	return names
}

// isFixed tells whether a member has one value alone.
func (p payload) isFixed(name string) bool {
	if p.async == nil {
		found, _ := p.schema.Step(name)
		values, listed := found.Values()
		return listed && len(values) == 1
	}
	for _, m := range properties(p.async.Node, 0) {
		if m.Key.Text == name {
			list := m.Value.Get("enum")
			return m.Value.Get("const") != nil || list != nil && len(list.Items) == 1
		}
	}
	return false
}

// properties gives the properties that a schema itself names.
func properties(schema *arazzo.Node, depth int) []arazzo.Member {
	const deepest = 5
	if schema == nil || schema.Kind != value.KindObject || depth > deepest {
		return nil
	}
	var all []arazzo.Member
	if named := schema.Get("properties"); named != nil {
		all = append(all, named.Members...)
	}
	if parts := schema.Get("allOf"); parts != nil {
		for _, part := range parts.Items {
			all = append(all, properties(part, depth+1)...)
		}
	}
	return all
}

func checkReceiveRequery(p *lint.Pass) {
	looked := make(looks)
	eachReceiver(p, func(s *lint.Step) {
		flow := s.Workflow.Flow()
		if flow.Broken || !looked.more(s.Workflow) {
			return
		}
		how := ""
		for _, before := range triggers(flow, s) {
			if how == "" {
				how = askableBy(before, (*lint.Step).Receives) // a message that does not come is no question
			}
		}
		if asks := askedAfter(flow, s); how == "" && asks != nil {
			how = fmt.Sprintf("step %s could ask", quote(asks.ID()))
		}
		if how == "" {
			return
		}
		for _, e := range flow.Edges(s) {
			if !e.WithoutMessage() || !endsBlind(flow, e) {
				continue
			}
			p.Reportf(placeOfTarget(s), "when no message comes in time, the workflow ends without asking; %s", how)
			return
		}
	})
}

// askedAfter gives the step by which a workflow asks for what a message should have
// told: it says so, it asks by the correlation id after a failure to receive it, or it
// reads what the correlation id names once the message is there, or never.
func askedAfter(flow *lint.Flow, s *lint.Step) *lint.Step {
	for _, other := range flow.Order {
		if other != s && other.Model.RequeryOf.Present() && other.Model.RequeryOf.Value == s.ID() {
			return other
		}
	}
	for _, e := range flow.Edges(s) {
		if isJump(e) && !e.Success && e.To != nil && e.To != s && e.To.Effect().Reads() && sendsOneOf(e.To, s.Correlation.Uses()) {
			return e.To
		}
	}
	after := flow.Reach(s, func(e *lint.Edge) bool { return e.From != s || e.Success })
	reachable := flow.Reachable()
	for _, other := range flow.Order {
		if (after[other] || !reachable[other]) && other != s && other.Target.Kind == lint.CallTarget && other.Effect().Reads() && readsBy(other, s.Correlation.Uses()) {
			return other
		}
	}
	return nil
}

// readsBy tells whether a step reads what one of some values names: it sends nothing
// else in its path and query.
func readsBy(s *lint.Step, values []*expression.Expression) bool {
	named := false
	for _, parameter := range s.Parameters {
		if in := parameter.Model.In.Value; in != "path" && in != "query" {
			continue
		}
		for _, e := range parameter.Value.Uses() {
			if !slices.ContainsFunc(values, func(v *expression.Expression) bool { return v.String() == e.String() }) {
				return false
			}
			named = true
		}
	}
	return named
}

// sendsOneOf tells whether a step sends one of some values.
func sendsOneOf(s *lint.Step, values []*expression.Expression) bool {
	return slices.ContainsFunc(s.SentUses(), func(sent *expression.Expression) bool {
		return slices.ContainsFunc(values, func(e *expression.Expression) bool { return e.String() == sent.String() })
	})
}

// triggers gives the effectful steps that may have set off what a receiving step
// waits for: each the last one before it on some way.
func triggers(flow *lint.Flow, s *lint.Step) []*lint.Step {
	before := flow.ReachBack(s, func(e *lint.Edge) bool { return e.To == s || !isEffectful(e.To) })
	var all []*lint.Step
	for _, step := range flow.Order {
		if before[step] && step != s && isEffectful(step) {
			all = append(all, step)
		}
	}
	return all
}

func isEffectful(s *lint.Step) bool { return s.Effect() != nil && s.Effect().Effectful }

// endsBlind tells whether the workflow can come to its end along an edge without a
// step that reads, receives, or calls a workflow.
func endsBlind(flow *lint.Flow, e *lint.Edge) bool {
	looks := func(s *lint.Step) bool {
		return s.Receives() || s.Effect().Reads() || s.Target.Kind == lint.WorkflowTarget || s.Target.Kind == lint.NoTarget
	}
	if e.To == nil {
		return e.Exit == lint.ExitFailure || e.Exit == lint.ExitSuccess
	}
	if looks(e.To) {
		return false
	}
	return flow.CanEnd(e.To, func(next *lint.Edge) bool {
		return next.Kind != lint.Retry && (next.To == nil || !looks(next.To))
	}, lint.ExitFailure, lint.ExitSuccess)
}

// callbackOwner gives the operation that describes a callback; nil where it is a
// webhook, or none is known.
func callbackOwner(s *lint.Step) *source.Operation {
	o := s.Target.Operation
	if o == nil || o.Kind != source.Callback || s.Target.Source.OpenAPI == nil {
		return nil
	}
	for _, owner := range s.Target.Source.OpenAPI.Operations {
		if slices.Contains(owner.Callbacks, o) {
			return owner
		}
	}
	return nil
}

// addressParameters gives the parameters of a step that are part of a channel's
// address.
func addressParameters(s *lint.Step) []*lint.Parameter {
	var all []*lint.Parameter
	for _, parameter := range s.Parameters {
		if in := parameter.Model.In.Value; in == "path" || in == "channel" {
			all = append(all, parameter)
		}
	}
	return all
}

// label names for a message what a step waits for.
func waitsFor(s *lint.Step) string {
	switch {
	case s.Target.Operation != nil:
		return s.Target.Operation.Label()
	case s.Target.Async != nil:
		return s.Target.Async.ID
	default:
		return fmt.Sprintf("channel %s", quote(s.Target.Channel.Key))
	}
}
