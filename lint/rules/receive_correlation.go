package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// correlationRules are about which message is meant, and about where it comes to.
func correlationRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "receive-correlated", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "Any message would do for a step, also that of another run.",
			Why: "A webhook, a topic or a queue carries the messages of all orders. Without a correlation id, or an address of its " +
				"own (x-weft-callback), the run takes the first that comes for its own.",
			Avoid:  "- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n",
			Prefer: "- stepId: awaitPayment\n  operationId: paymentChanged\n  action: receive\n  correlationId: $inputs.reference\n  x-weft-correlation: $message.payload#/reference\n",
			Check:  checkCorrelated,
		},
		{
			Name: "correlation-early", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The correlation id of a message is known only from the answer of the call that triggers it.",
			Why: "The message may be here before the answer is: it is kept, but nobody can say whose it is until then, and " +
				"where the answer is lost, never. Let the request bear a reference of your own, and recognise the message by it.",
			Avoid:  "correlationId: $steps.pay.outputs.paymentId\n",
			Prefer: "correlationId: $inputs.reference # that pay has sent\n",
			Check:  checkCorrelationEarly,
		},
		{
			Name: "correlation-inferred", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "Nothing says where in the message the correlation id stands.",
			Why: "Weft looks for something of the same name; another tool looks elsewhere, or not at all. x-weft-correlation says " +
				"it, or a correlationId with its location in the AsyncAPI description.",
			Avoid:  "correlationId: $inputs.reference\n",
			Prefer: "correlationId: $inputs.reference\nx-weft-correlation: $message.payload#/reference\n",
			Check:  checkCorrelationInferred,
		},
		{
			Name: "receive-opened-late", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The address of a receiver needs an output of a step.",
			Why: "Receivers are open before the first step runs, so that no message is missed. One whose address is known only " +
				"later is opened later, and what came before is lost.",
			Avoid:  "- stepId: awaitUpdate\n  action: receive\n  parameters:\n    - {name: orderId, in: channel, value: $steps.createOrder.outputs.orderId}\n",
			Prefer: "- stepId: awaitUpdate\n  action: receive\n  parameters:\n    - {name: reference, in: channel, value: $inputs.reference}\n",
			Check:  checkOpenedLate,
		},
		{
			Name: "callback-url-not-sent", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A step waits for a callback, but the request does not tell the API where to send it.",
			Why: "The description says in which part of the request the address stands. An input with x-weft-callback is filled " +
				"with the address of the run; the request has to bear it.",
			Avoid:  "payload:\n  amount: $inputs.amount # the API sends to {$request.body#/callbackUrl}\n",
			Prefer: "payload:\n  amount: $inputs.amount\n  callbackUrl: $inputs.callbackUrl # x-weft-callback: awaitPayment\n",
			Check:  checkCallbackURL,
		},
	}
}

func checkCorrelated(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if s.Model.Node.Get("correlationId") != nil || hasOwnAddress(s) || hasOwnChannel(s) || tellsMessagesApart(s) {
			return
		}
		p.Report(lint.Finding{
			At:      placeOfTarget(s),
			Message: fmt.Sprintf("step %s takes any message of %s, also that of another run; give a correlationId", quote(s.ID()), waitsFor(s)),
		})
	})
}

// hasOwnChannel tells whether what a step receives may be meant for it alone: a
// callback, whose address a request has named; a reply; an address with a value of
// the run in it.
func hasOwnChannel(s *lint.Step) bool {
	switch {
	case s.Target.Operation != nil && s.Target.Operation.Kind == source.Callback:
		return true
	case s.Target.Async != nil && s.Target.Async.Reply != nil:
		return true
	}
	return slices.ContainsFunc(addressParameters(s), func(parameter *lint.Parameter) bool {
		return parameter.Value != nil && !isConstant(parameter.Value)
	})
}

// tellsMessagesApart tells whether a criterion of a step holds a message against a
// value of the run.
func tellsMessagesApart(s *lint.Step) bool {
	return slices.ContainsFunc(s.Criteria, func(c *lint.Criterion) bool {
		if len(c.Faults) > 0 {
			return true
		}
		message, own := false, false
		for _, use := range c.Compiled.Uses() {
			switch use.Expression.Root {
			case expression.Message:
				message = true
			case expression.Inputs, expression.Steps, expression.Workflows:
				own = true
			}
		}
		return message && own
	})
}

func checkCorrelationEarly(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if hasOwnAddress(s) || hasOwnChannel(s) {
			return
		}
		for _, e := range s.Correlation.Uses() {
			trigger := s.Workflow.Step(e.Owner)
			if e.Root != expression.Steps || trigger == nil || !isAnswer(trigger, e.Name) || !slices.Contains(triggers(s.Workflow.Flow(), s), trigger) {
				continue
			}
			p.Report(lint.Finding{
				At: lint.At(s.Correlation.Node),
				Message: fmt.Sprintf("the correlation id comes from the answer of %s, which triggers the message: one that is quicker waits unmatched, and where the answer is lost it stays so",
					does(trigger)),
				Related: []lint.Related{lint.See(trigger.Model.StepID.Node, "this step triggers the message")},
			})
			return
		}
	})
}

// isAnswer tells whether an output of an effectful step is taken from its answer.
func isAnswer(s *lint.Step, name string) bool {
	o := s.Output(name)
	if o == nil || s.Target.Kind != lint.CallTarget || !s.Effect().Effectful {
		return false
	}
	return slices.ContainsFunc(o.Value.Uses(), func(e *expression.Expression) bool { return e.Root == expression.Response })
}

func checkCorrelationInferred(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if s.Correlation == nil || s.Model.Node.Get("x-weft-correlation") != nil || hasOwnAddress(s) || hasOwnChannel(s) {
			return
		}
		if slices.ContainsFunc(messagesOf(s), func(m *asyncapi.Message) bool { return m.Correlation != nil }) {
			return
		}
		message := "nothing says where in the message the correlation id stands"
		if name := sameNamed(s); name != "" {
			message += fmt.Sprintf(": member %s of the payload is taken, since it has the same name", quote(name))
		}
		p.Report(lint.Finding{
			At: lint.At(s.Correlation.Node), Message: message,
			Help: "x-weft-correlation: $message.payload#/… says it",
		})
	})
}

// sameNamed gives the member of a message that has the name of what the correlation
// id is taken from.
func sameNamed(s *lint.Step) string {
	for _, e := range s.Correlation.Uses() {
		wanted, _ := lastName(e)
		for _, payload := range payloadsOf(s) {
			for _, name := range payload.names() {
				if lint.PlainName(name) == lint.PlainName(wanted) {
					return name
				}
			}
		}
	}
	return ""
}

func checkOpenedLate(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if s.Target.Kind != lint.ChannelTarget {
			return
		}
		for _, parameter := range addressParameters(s) {
			for _, e := range parameter.Value.Uses() {
				if e.Root == expression.Steps || e.Root == expression.Workflows {
					p.Reportf(lint.At(parameter.Model.Value), "the address of %s is known only when %s has run: the receiver is opened then, and what came before is lost",
						waitsFor(s), quote(e.Owner))
					break
				}
			}
		}
	})
}

func checkCallbackURL(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		owner := callbackOwner(s)
		if owner == nil {
			return
		}
		called := false
		for _, caller := range s.Workflow.Steps {
			called = called || caller.Target.Kind == lint.WorkflowTarget || caller.Target.Kind == lint.NoTarget
			if caller.Target.Operation != owner {
				continue
			}
			called = true
			if fault := addressFault(caller, s.Target.Operation); fault != "" {
				p.Report(lint.Finding{
					At:      lint.At(caller.Target.Ref.Node),
					Message: fmt.Sprintf("%s is told no address for the callback that step %s waits for: %s", does(caller), quote(s.ID()), fault),
					Related: []lint.Related{lint.See(s.Model.StepID.Node, "this step waits for it")},
				})
			}
		}
		if !called {
			p.Reportf(placeOfTarget(s), "no step calls %s, which sends this callback", owner.Label())
		}
	})
}

// addressFault says why a step's request does not name an address of ours for a
// callback; empty where it may.
func addressFault(caller *lint.Step, callback *source.Operation) string {
	segments, err := expression.ParseEmbedded(callback.Path, nil)
	if err != nil {
		return ""
	}
	for _, segment := range segments {
		e := segment.Expression
		if e == nil || e.Root != expression.Request {
			continue
		}
		switch e.Part {
		case expression.BodyPart:
			return bodyFault(caller, e)
		case expression.QueryPart, expression.HeaderPart:
			return parameterFault(caller, e)
		}
	}
	return ""
}

func bodyFault(caller *lint.Step, e *expression.Expression) string {
	at := e.Pointer.String()
	if caller.Payload == nil {
		return "it sends no body with " + at
	}
	for _, r := range caller.Model.RequestBody.Replacements {
		if target := r.Target.Value; !strings.HasPrefix(target, "/") || target == at || strings.HasPrefix(at, target+"/") {
			return ""
		}
	}
	if caller.Payload.Node.Kind != value.KindObject {
		return ""
	}
	switch n := caller.Payload.Node.Lookup(e.Pointer); {
	case n == nil && !leadsIntoDynamic(caller, e):
		return "its body has no " + at
	case n != nil && n.Kind == value.KindString && !lint.LooksDynamic(n.Text):
		return fmt.Sprintf("%s of its body is a fixed address", at)
	}
	return ""
}

// leadsIntoDynamic tells whether the way to a member leads into a value that is
// known only in a run.
func leadsIntoDynamic(caller *lint.Step, e *expression.Expression) bool {
	for length := range e.Pointer {
		if n := caller.Payload.Node.Lookup(e.Pointer[:length]); n != nil && n.Kind == value.KindString {
			return true
		}
	}
	return caller.Payload.Compiled.IsWhole()
}

func parameterFault(caller *lint.Step, e *expression.Expression) string {
	in := "query"
	if e.Part == expression.HeaderPart {
		in = "header"
	}
	for _, parameter := range caller.Parameters {
		name := parameter.Model.Name.Value
		if parameter.Model.In.Value != in && parameter.Model.In.Value != "querystring" || name != e.Name && !(in == "header" && strings.EqualFold(name, e.Name)) && parameter.Model.In.Value != "querystring" {
			continue
		}
		if text := constantOf(parameter.Value); text != "" {
			return fmt.Sprintf("its %s %s is a fixed address", in, quote(e.Name))
		}
		return ""
	}
	return fmt.Sprintf("it sends no %s %s", in, quote(e.Name))
}

// constantOf gives the text of a value that is the same in every run.
func constantOf(v *lint.Value) string {
	if v == nil || !isConstant(v) {
		return ""
	}
	return v.Node.Text
}
