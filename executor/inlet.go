package executor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/correlation"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

// inlet is what a receiving step takes messages from, and which of them.
type inlet struct {
	box      string  // the name of the mailbox
	label    string  // for people: "webhook paymentChanged"
	where    Locator // of the correlation value; the zero Locator: the address tells
	scoped   bool    // the run has an address of its own for it
	declared bool    // the document says where the correlation value stands
	identity Locator
	strict   bool // x-weft-on-duplicate: fail
	// owner is the operation whose requests name the address of a callback, and key
	// the expression for that address; nil: it is no callback.
	owner *source.Operation
	key   []expression.Segment
	// messages are what a channel of AsyncAPI has; of the OpenAPI operation the body is
	// described in step.operation.
	messages []*asyncapi.Message
}

// compileInlet finds what a receiving step takes its messages from.
func (c *compiler) compileInlet(w *workflow, s *step) *inlet {
	in := &inlet{strict: s.model.OnDuplicate.Value == "fail", identity: c.locator(w, s, s.model.MessageID)}
	box := Mailbox{Source: c.documents.namesOf(w.set, s.source)[1], Protocol: "http"}
	if s.channel != nil {
		c.describeChannel(s, in, &box)
	} else {
		c.describeOperation(s, in, &box)
		if s.operation.Kind == source.Callback && !strings.Contains(s.operation.Path, "{$") {
			c.refuse(w.set, s.model.Node, "step %q: callback %s is sent to %s, which is no address of this run; expected one that a request names",
				s.id, s.operation.Label(), s.operation.Path)
		}
	}
	in.scoped = box.Kind == CallbackBox || w.fillsCallback(s.id)
	if in.scoped {
		box.Scoped = true
		box.Name += "@" + w.label + "/" + value.EscapeToken(s.id)
	}
	in.box = box.Name
	c.labels[in.box] = in.label
	c.compileCorrelationPlace(w, s, in)
	c.addBox(box)
	return in
}

func (c *compiler) describeOperation(s *step, in *inlet, box *Mailbox) {
	o := s.operation
	box.Kind, box.Method, box.Operation = WebhookBox, o.Method, o.ID
	if o.ID == "" {
		box.Operation = o.Path
	}
	if o.Kind == source.Callback {
		box.Kind = CallbackBox
		in.owner = ownerOf(s.source, o)
		in.key, _ = expression.ParseEmbedded(o.Path, nil) // one that cannot be read is compared with nothing
	}
	in.label = string(box.Kind) + " " + box.Operation
	box.Name = string(box.Kind) + ":" + box.Source + "/" + box.Operation
	box.Status = acknowledgement(o)
	if o.Body != nil {
		for _, m := range o.Body.Content {
			box.ContentTypes = append(box.ContentTypes, m.Type)
		}
	}
}

func (c *compiler) describeChannel(s *step, in *inlet, box *Mailbox) {
	channel := s.channel
	box.Kind, box.Channel, box.Address, box.Method = ChannelBox, channel.Key, channel.HTTPPath(), channel.method
	in.messages = channel.messages
	in.label = "channel " + box.Channel
	box.Name = string(box.Kind) + ":" + box.Source + "/" + box.Channel
}

// acknowledgement gives the first exact 2xx that an operation documents; 0: none.
func acknowledgement(o *source.Operation) int {
	for _, r := range o.Responses {
		if status, err := strconv.Atoi(r.Status); err == nil && status >= 200 && status < 300 {
			return status
		}
	}
	return 0
}

// ownerOf gives the operation that a callback belongs to; nil where it is not known.
func ownerOf(d *source.Description, callback *source.Operation) *source.Operation {
	if d == nil || d.OpenAPI == nil {
		return nil
	}
	for _, o := range d.OpenAPI.Operations {
		if slices.Contains(o.Callbacks, callback) {
			return o
		}
	}
	return nil
}

// hasAddressParameter tells whether the address that messages for the step come to has a
// parameter: those of channels alone have any.
func (s *step) hasAddressParameter(name string) bool {
	return s.channel != nil && slices.ContainsFunc(s.channel.Parameters, func(p *asyncapi.Parameter) bool { return p.Name == name })
}

// addBox adds a mailbox that the plan does not have yet.
func (c *compiler) addBox(box Mailbox) {
	if !slices.ContainsFunc(c.boxes, func(known Mailbox) bool { return known.Name == box.Name }) {
		c.boxes = append(c.boxes, box)
	}
}

// receives tells whether a step of the workflow receives.
func (w *workflow) receives() bool {
	return slices.ContainsFunc(w.steps, func(s *step) bool { return s.inlet != nil })
}

// markAddressed marks the steps whose requests may name the address of a callback
// that another step waits for.
func (w *workflow) markAddressed() {
	for _, s := range w.steps {
		s.addressed = slices.ContainsFunc(w.steps, func(other *step) bool {
			return other.inlet != nil && other.inlet.owner != nil && other.inlet.owner == s.operation
		})
	}
}

// locator reads a place in a message that the document names.
func (c *compiler) locator(w *workflow, s *step, text arazzo.Text) Locator {
	if !text.Present() {
		return Locator{}
	}
	l, err := ParseLocator(text.Value)
	if err != nil {
		c.refuse(w.set, text.Node, "step %q: %v", s.id, err)
	}
	if l.part == "path" && !s.hasAddressParameter(l.name) {
		c.refuse(w.set, text.Node, "step %q: the address of the message has no parameter %q", s.id, l.name)
	}
	return l
}

// compileCorrelationPlace finds where messages have the correlation value: where the
// step says it, else where their description does, else where something has the
// name of what the value is taken from. Without a correlation id an address parameter
// with a value of the run does the same.
func (c *compiler) compileCorrelationPlace(w *workflow, s *step, in *inlet) {
	in.where = c.locator(w, s, s.model.Correlation)
	in.declared = s.model.Correlation.Present()
	if in.declared {
		if s.correlation == nil {
			c.refuse(w.set, s.model.Correlation.Node, "step %q: x-weft-correlation says where a message has the value of correlationId, which is missing", s.id)
		}
		return
	}
	if s.correlation == nil {
		if !in.scoped && !s.correlateByAddress(in) {
			c.refuse(w.set, s.model.Node, "step %q: it takes any message of %s, also that of another run; expected a correlationId, "+
				"or an input with x-weft-callback: %s, which is filled with an address of the run's own", s.id, in.label, s.id)
		}
		return
	}
	if p, ok := correlation.Described(in.messages); ok {
		in.where, in.declared = placeIn(p), true
		return
	}
	if p, ok := s.inferredPlace(in); ok {
		in.where = placeIn(p)
	}
	if in.where.IsZero() && !in.scoped {
		c.refuse(w.set, s.model.CorrelationID, "step %q: nothing says where in a message of %s the correlation id stands; "+
			"say it with x-weft-correlation: $message.payload#/…", s.id, in.label)
	}
}

// correlateByAddress recognises messages by a value of the run that is part of the
// address that they come to; false where the address has none.
func (s *step) correlateByAddress(in *inlet) bool {
	if s.channel == nil {
		return false
	}
	for _, a := range s.arguments {
		if a.in == "path" && len(a.value.Uses()) > 0 {
			s.correlation, in.declared = a.value, true
			in.where = placeIn(correlation.Place{Name: a.name, Expression: "$message.path." + a.name})
			return true
		}
	}
	return false
}

// inferredPlace looks for a declared header, an address parameter or a member of the
// payload that has the name of what the correlation value is taken from.
func (s *step) inferredPlace(in *inlet) (correlation.Place, bool) {
	var expressions []*expression.Expression
	for _, use := range s.correlation.Uses() {
		expressions = append(expressions, use.Expression)
	}
	if s.channel != nil {
		return correlation.Inferred(expressions, correlation.OfChannel(s.channel.Channel, in.messages))
	}
	return correlation.Inferred(expressions, correlation.OfOperation(s.operation))
}

// placeIn gives the Locator of a place, which is known to be readable.
func placeIn(p correlation.Place) Locator {
	l, _ := ParseLocator(p.Expression)
	return l
}

// fillsCallback tells whether an input of the workflow is filled with an address for
// the step (x-weft-callback).
func (w *workflow) fillsCallback(step string) bool {
	return slices.ContainsFunc(w.callbacks, func(c callbackInput) bool { return c.step == step })
}

// callbackInput is an input that is filled with the address for a step.
type callbackInput struct {
	name, step string
	place      *arazzo.Node
}

// compileCallbacks finds the inputs that are filled with addresses.
func (c *compiler) compileCallbacks(w *workflow) {
	for _, input := range w.set.Document.Callbacks(w.model) {
		filled := input.Step
		if filled.Kind != value.KindString || !w.receivesIn(filled.Text) {
			c.refuse(w.set, filled, "x-weft-callback: %s; expected the stepId of a step of workflow %q that receives", shownNode(filled), w.id)
			continue
		}
		w.callbacks = append(w.callbacks, callbackInput{name: input.Input, step: filled.Text, place: filled})
	}
}

func shownNode(n *arazzo.Node) string {
	if n.Kind == value.KindString {
		return fmt.Sprintf("there is no such step %q", n.Text)
	}
	return "this is " + n.Kind.String()
}

// receivesIn tells whether the workflow has a step of that id that is no call of a
// workflow: whether it receives shows when it is compiled.
func (w *workflow) receivesIn(id string) bool {
	return slices.ContainsFunc(w.model.Steps, func(s *arazzo.Step) bool {
		return s.StepID.Value == id && !s.WorkflowID.Present()
	})
}

// checkCallbacks refuses inputs that would be filled with the address for a step that
// waits for nothing.
func (c *compiler) checkCallbacks(w *workflow) {
	for _, input := range w.callbacks {
		if s := w.steps[w.position[input.step]]; s.kind == callsOperation && s.operation != nil {
			c.refuse(w.set, input.place, "x-weft-callback: step %q of workflow %q receives nothing, it calls %s", s.id, w.id, s.description)
		}
	}
}

// unopened stands for an address as long as the run has none.
const unopened = "http://127.0.0.1/callbacks/not-open-yet"

// fillCallbacks gives the inputs with the addresses that the document asks for. One
// that the user gave stays.
func (w *workflow) fillCallbacks(given value.Value, addresses map[string]string) value.Value {
	if len(w.callbacks) == 0 {
		return given
	}
	members := slices.Clone(given.Members())
	for _, c := range w.callbacks {
		if !given.Get(c.name).IsAbsent() {
			continue
		}
		address := unopened
		if at, ok := w.position[c.step]; ok && addresses != nil {
			if in := w.steps[at].inlet; in != nil && addresses[in.box] != "" {
				address = addresses[in.box]
			}
		}
		members = append(members, value.Member{Name: c.name, Value: value.String(address)})
	}
	return value.Object(members...)
}

// openBoxes gives the mailboxes with what is known already of the messages that
// belong to a run with these inputs: those of the workflows that it is asked for.
func (p *Plan) openBoxes(bound bindings) []Mailbox {
	boxes := slices.Clone(p.boxes)
	for _, w := range p.order {
		f := &frame{run: &run{plan: p, ended: map[*workflow]*endedWorkflow{}}, w: w, inputs: bound[w], steps: make([]stepState, len(w.steps))}
		for _, s := range w.steps {
			if s.inlet == nil {
				continue
			}
			e, reason := f.expectation(s)
			if reason != "" || e.Value.IsAbsent() {
				continue
			}
			at := slices.IndexFunc(boxes, func(b Mailbox) bool { return b.Name == s.inlet.box })
			boxes[at].Expect = append(boxes[at].Expect, e)
		}
	}
	return boxes
}
