package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/correlation"
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
			Why: "A webhook, a topic or a queue carries the messages of all orders. Without a correlation id, an address of its " +
				"own (x-weft-callback) or a value of the run in the address, the run would take the first that comes for its own; Weft " +
				"does not run such a step. A criterion chooses no message: it judges the first that comes.",
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
			Why: "Weft looks for a header, an address parameter or a member of the payload of the same name, and does not run the " +
				"step where there is none (then this is an error); another tool looks elsewhere, or not at all. x-weft-correlation " +
				"says it, or a correlationId with its location in the AsyncAPI description.",
			Avoid:  "correlationId: $inputs.reference\n",
			Prefer: "correlationId: $inputs.reference\nx-weft-correlation: $message.payload#/reference\n",
			Check:  checkCorrelationInferred,
		},
		{
			Name: "receive-opened-late", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "The address of a receiver needs an output of a step.",
			Why: "Receivers are open before the first step runs, so that no message is missed. Where the address is known only " +
				"later, a message that comes before belongs to no run: over HTTP it is kept until the address is known, over other " +
				"protocols the receiver is opened then, and the message is lost.",
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
		if s.Model.Node.Get("correlationId") != nil {
			return
		}
		if place := s.Model.Correlation; place.Present() && (isScoped(p, s) || hasOwnChannel(s)) {
			p.Reportf(lint.At(place.Node), "x-weft-correlation says where a message has the value of correlationId, which is missing")
			return
		}
		if isScoped(p, s) || hasOwnChannel(s) {
			return
		}
		message := fmt.Sprintf("step %s takes any message of %s, also that of another run; give a correlationId", quote(s.ID()), waitsFor(s))
		if tellsMessagesApart(s) {
			message += "; its criteria judge the first message, they choose none"
		}
		p.Report(lint.Finding{At: placeOfTarget(s), Message: message})
	})
}

// isScoped tells whether a receiving step has an address of its own for each run:
// that of a callback, which a request names, or one that an input is filled with
// (x-weft-callback).
func isScoped(p *lint.Pass, s *lint.Step) bool {
	if o := s.Target.Operation; o != nil && o.Kind == source.Callback {
		return true
	}
	return slices.ContainsFunc(p.Model.Callbacks(s.Workflow.Model), func(c arazzo.Callback) bool { return c.Step.Text == s.ID() })
}

// hasOwnChannel tells whether what a step receives over a channel of AsyncAPI may be
// meant for it alone: by a value of the run in the address, or as a reply over a
// protocol that answers each request by itself, as HTTP does not.
func hasOwnChannel(s *lint.Step) bool {
	if s.Target.Kind != lint.ChannelTarget {
		return false
	}
	if s.Target.Async != nil && s.Target.Async.Reply != nil && !isOverHTTP(s.Target.Async.Reply.Channel) && !isOverHTTP(s.Target.Channel) {
		return true
	}
	return slices.ContainsFunc(addressParameters(s), func(parameter *lint.Parameter) bool {
		return parameter.Value != nil && !isConstant(parameter.Value)
	})
}

func isOverHTTP(channel *asyncapi.Channel) bool {
	return channel != nil && slices.ContainsFunc(channel.Servers, func(s *asyncapi.Server) bool {
		return strings.EqualFold(s.Protocol, "http") || strings.EqualFold(s.Protocol, "https")
	})
}

// tellsMessagesApart tells whether a criterion of a step holds a message against a
// value of the run.
func tellsMessagesApart(s *lint.Step) bool {
	return slices.ContainsFunc(s.Criteria, func(c *lint.Criterion) bool {
		if len(c.Faults) > 0 {
			return false
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
		if isScoped(p, s) || hasOwnChannel(s) {
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
		if s.Correlation == nil || len(s.Correlation.Faults) > 0 || s.Model.Node.Get("x-weft-correlation") != nil || isScoped(p, s) {
			return
		}
		described, places := placesOf(s)
		if described {
			return
		}
		f := lint.Finding{
			At: lint.At(s.Correlation.Node), Message: "nothing says where in the message the correlation id stands",
			Help: "x-weft-correlation: $message.payload#/… says it",
		}
		switch place, ok := correlation.Inferred(s.Correlation.Uses(), places); {
		case ok:
			f.Message += fmt.Sprintf(": %s is taken, since it has the same name", place.Expression)
		case s.Target.Operation != nil || isOverHTTP(s.Target.Channel):
			f.Severity = lint.Error
			f.Message += ", and nothing has the same name"
		}
		p.Report(f)
	})
}

// placesOf gives the parts of the messages that a step may receive that have a name,
// in the order in which the correlation id is looked for. described tells that the
// description says where it stands. Of an operation that is answered by a reply, the
// step may receive either.
func placesOf(s *lint.Step) (described bool, places []correlation.Place) {
	if s.Target.Operation != nil {
		return false, correlation.OfOperation(s.Target.Operation)
	}
	add := func(channel *asyncapi.Channel, messages []*asyncapi.Message) {
		if channel == nil {
			return
		}
		_, found := correlation.Described(messages)
		described = described || found
		places = append(places, correlation.OfChannel(channel, messages)...)
	}
	if o := s.Target.Async; o != nil {
		add(s.Target.Channel, o.Messages)
		if r := o.Reply; r != nil && r.Channel != nil {
			messages := r.Messages
			if len(messages) == 0 {
				messages = r.Channel.Messages
			}
			add(r.Channel, messages)
		}
	} else if s.Target.Channel != nil {
		add(s.Target.Channel, s.Target.Channel.Messages)
	}
	return described, places
}

func checkOpenedLate(p *lint.Pass) {
	eachReceiver(p, func(s *lint.Step) {
		if s.Target.Kind != lint.ChannelTarget {
			return
		}
		for _, parameter := range addressParameters(s) {
			for _, e := range parameter.Value.Uses() {
				if e.Root == expression.Steps || e.Root == expression.Workflows {
					what := "the receiver is opened then, and what came before is lost"
					if isOverHTTP(s.Target.Channel) {
						what = "what came before belongs to no run until then"
					}
					p.Reportf(lint.At(parameter.Model.Value), "the address of %s is known only when %s has run: %s", waitsFor(s), quote(e.Owner), what)
					break
				}
			}
		}
	})
}

func checkCallbackURL(p *lint.Pass) {
	eachUnusedInput(p, func(w *lint.Workflow, property *arazzo.Node) {
		step := property.Get("x-weft-callback")
		if step == nil || step.Kind != value.KindString {
			return
		}
		if s := w.Step(step.Text); s != nil && callbackOwner(s) == nil { // else the request is looked at
			p.Reportf(lint.Name(property), "the input %s is filled with the address at which step %s waits, and nothing sends it: no message can come there",
				quote(property.Token()), quote(step.Text))
		}
	})
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
	body, _ := caller.Body()
	if body == nil || body.Node.Kind != value.KindObject {
		return ""
	}
	switch n := body.Node.Lookup(e.Pointer); {
	case n == nil && !leadsIntoDynamic(body, e):
		return "its body has no " + at
	case n != nil && n.Kind == value.KindString && !lint.LooksDynamic(n.Text):
		return fmt.Sprintf("%s of its body is a fixed address", at)
	}
	return ""
}

// leadsIntoDynamic tells whether the way to a member leads into a value that is
// known only in a run.
func leadsIntoDynamic(body *lint.Value, e *expression.Expression) bool {
	for length := range e.Pointer {
		if n := body.Node.Lookup(e.Pointer[:length]); n != nil && n.Kind == value.KindString {
			return true
		}
	}
	return body.Compiled.IsWhole()
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
