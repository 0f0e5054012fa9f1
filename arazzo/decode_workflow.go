package arazzo

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

var workflowShape = shape[Workflow]{name: "a workflow", fields: []field[Workflow]{
	{name: "workflowId", required: true, read: str(func(w *Workflow) *Text { return &w.WorkflowID })},
	{name: "summary", read: str(func(w *Workflow) *Text { return &w.Summary })},
	{name: "description", read: str(func(w *Workflow) *Text { return &w.Description })},
	{name: "inputs", read: func(d *decoder, n *Node, into *Workflow) { into.Inputs = d.schema(n) }},
	{name: "dependsOn", read: texts(list{"workflow ids", 0}, func(w *Workflow) *[]Text { return &w.DependsOn })},
	{name: "steps", required: true, read: objects(list{"steps", 1}, (*decoder).step,
		func(w *Workflow) *[]*Step { return &w.Steps })},
	{name: "successActions", read: objects(list{"success actions", 0}, (*decoder).successAction,
		func(w *Workflow) *[]*Action { return &w.SuccessActions })},
	{name: "failureActions", read: objects(list{"failure actions", 0}, (*decoder).failureAction,
		func(w *Workflow) *[]*Action { return &w.FailureActions })},
	{name: "outputs", read: outputs(func(w *Workflow) *[]*Output { return &w.Outputs })},
	{name: "parameters", read: objects(list{"parameters", 0}, (*decoder).parameter,
		func(w *Workflow) *[]*Parameter { return &w.Parameters })},
	{name: "x-weft-states", read: func(d *decoder, n *Node, into *Workflow) { into.States = d.states(n) }},
	{name: "x-weft-idempotency", read: func(d *decoder, n *Node, into *Workflow) { into.Idempotency = d.idempotency(n) }},
	{name: "x-weft-on-cancel", read: objects(list{"failure actions", 0}, (*decoder).failureAction,
		func(w *Workflow) *[]*Action { return &w.OnCancel })},
}}

func (d *decoder) workflow(n *Node) *Workflow {
	w := &Workflow{Node: n}
	if !workflowShape.read(d, n, w) {
		return nil
	}
	return w
}

var stepShape = shape[Step]{name: "a step", hints: stepHints, fields: []field[Step]{
	{name: "stepId", required: true, read: str(func(s *Step) *Text { return &s.StepID })},
	{name: "description", read: str(func(s *Step) *Text { return &s.Description })},
	{name: "operationId", read: str(func(s *Step) *Text { return &s.OperationID })},
	{name: "operationPath", read: str(func(s *Step) *Text { return &s.OperationPath })},
	{name: "channelPath", since: Version11, read: str(func(s *Step) *Text { return &s.ChannelPath })},
	{name: "workflowId", read: str(func(s *Step) *Text { return &s.WorkflowID })},
	{name: "parameters", read: objects(list{"parameters", 0}, (*decoder).parameter,
		func(s *Step) *[]*Parameter { return &s.Parameters })},
	{name: "requestBody", read: func(d *decoder, n *Node, into *Step) { into.RequestBody = d.requestBody(n) }},
	{name: "successCriteria", read: objects(list{"criteria", 1}, (*decoder).criterion,
		func(s *Step) *[]*Criterion { return &s.SuccessCriteria })},
	{name: "onSuccess", read: objects(list{"success actions", 0}, (*decoder).successAction,
		func(s *Step) *[]*Action { return &s.OnSuccess })},
	{name: "onFailure", read: objects(list{"failure actions", 0}, (*decoder).failureAction,
		func(s *Step) *[]*Action { return &s.OnFailure })},
	{name: "outputs", read: outputs(func(s *Step) *[]*Output { return &s.Outputs })},
	{name: "timeout", since: Version11, read: number("timeout-range", "a whole number of milliseconds, 1 or more", isPositiveCount,
		func(s *Step) *Number { return &s.Timeout })},
	{name: "correlationId", since: Version11, read: anything(func(s *Step) **Node { return &s.CorrelationID })},
	{name: "action", since: Version11, read: oneOf("schema", words("send", "receive"), func(s *Step) *Text { return &s.Action })},
	{name: "dependsOn", since: Version11, read: (*decoder).stepDependsOn},
	{name: "x-weft-state", read: func(d *decoder, n *Node, into *Step) { into.State = d.state(n) }},
	{name: "x-weft-idempotency", read: func(d *decoder, n *Node, into *Step) { into.Idempotency = d.idempotency(n) }},
	{name: "x-weft-effect", read: oneOf("schema", words("read", "idempotent", "effect"), func(s *Step) *Text { return &s.Effect })},
	{name: "x-weft-requery-of", read: str(func(s *Step) *Text { return &s.RequeryOf })},
	{name: "x-weft-owner", read: str(func(s *Step) *Text { return &s.Owner })},
	{name: "x-weft-correlation", read: str(func(s *Step) *Text { return &s.Correlation })},
	{name: "x-weft-message-id", read: str(func(s *Step) *Text { return &s.MessageID })},
	{name: "x-weft-on-duplicate", read: oneOf("schema", words("ignore", "fail"), func(s *Step) *Text { return &s.OnDuplicate })},
}}

// stepHints are for what authors of steps write by mistake.
var stepHints = map[string]string{
	"summary": "write description",
	"inputs":  "what a workflow is given stands under parameters",
}

func (d *decoder) step(n *Node) *Step {
	s := &Step{Node: n}
	if !stepShape.read(d, n, s) {
		return nil
	}
	d.checkTarget(s)
	d.checkAsync(s)
	if !s.WorkflowID.Present() {
		d.checkLocations(s.Parameters, "a parameter of a step that calls an operation")
	}
	return s
}

// checkTarget reports a step that calls nothing, or more than one thing.
func (d *decoder) checkTarget(s *Step) {
	var present []Text
	for _, target := range []Text{s.OperationID, s.OperationPath, s.ChannelPath, s.WorkflowID} {
		if target.Present() {
			present = append(present, target)
		}
	}
	if len(present) == 0 {
		choices := "operationId, operationPath or workflowId"
		if d.version == Version11 {
			choices = "operationId, operationPath, channelPath or workflowId"
		}
		d.fault("schema", s.Node, "a step needs one of %s: this one calls nothing", choices)
		return
	}
	for _, other := range present[1:] {
		d.fault("schema", other.Node, "a step has one target only: %s excludes %s", present[0].Node.token, other.Node.token)
	}
}

// checkAsync reports fields of messages on steps that have none.
func (d *decoder) checkAsync(s *Step) {
	target := s.WorkflowID
	if !target.Present() {
		target = s.OperationPath
	}
	if target.Present() {
		for _, n := range []*Node{s.Action.Node, s.CorrelationID} {
			if n != nil {
				d.fault("schema", n, "%s goes with operationId or channelPath, this step has %s", n.token, target.Node.token)
			}
		}
		return
	}
	if s.ChannelPath.Present() && !s.Action.Present() {
		d.fault("async-action-required", s.ChannelPath.Node, "a step with channelPath needs action: send or receive")
	}
	if s.CorrelationID == nil {
		return
	}
	switch {
	case s.CorrelationID.Kind == value.KindNull:
		d.fault("schema", s.CorrelationID, "correlationId: null correlates nothing; give a value or leave the field out")
	case s.Action.Value != "receive":
		d.fault("schema", s.CorrelationID, "correlationId goes with action: receive%s", actionSaid(s.Action))
	}
}

func actionSaid(action Text) string {
	if !action.Present() {
		return ", this step has no action"
	}
	return ", this step says " + quote(action.Value)
}

func (d *decoder) stepDependsOn(n *Node, into *Step) {
	for _, item := range d.items(n, list{"step ids", 1}) {
		into.DependsOn = append(into.DependsOn, d.text(item))
		if item.Kind == value.KindString && !isStepReference(item.Text) {
			d.fault("schema", item, "expected a stepId of this workflow, $workflows.<workflowId>.steps.<stepId> or "+
				"$sourceDescriptions.<name>.<workflowId>.steps.<stepId>, this is %s", quote(item.Text))
		}
	}
}

// isStepReference tells whether s has the form of an entry of a step's dependsOn.
func isStepReference(s string) bool {
	if !strings.HasPrefix(s, "$") {
		return s != ""
	}
	parts := strings.Split(s, ".")
	for _, part := range parts {
		if part == "" {
			return false
		}
	}
	return len(parts) == 4 && parts[0] == "$workflows" && parts[2] == "steps" ||
		len(parts) == 5 && parts[0] == "$sourceDescriptions" && parts[3] == "steps"
}

// outputs reads a map of outputs.
func outputs[T any](at func(*T) *[]*Output) func(*decoder, *Node, *T) {
	return func(d *decoder, n *Node, into *T) {
		for _, m := range d.members(n, "output-name-pattern", "outputs") {
			d.checkOutput(m.Value)
			*at(into) = append(*at(into), &Output{Name: Text{Node: m.Key, Value: m.Key.Text}, Value: m.Value})
		}
	}
}

// checkOutput reports an output that is neither an expression nor a selector.
func (d *decoder) checkOutput(n *Node) {
	switch {
	case n.Kind == value.KindString:
	case n.Kind != value.KindObject:
		d.isKind(n, value.KindString, "schema", "a runtime expression (a string)")
	case d.version < Version11:
		d.fault("schema", n, "%sa Selector Object needs Arazzo 1.1; this document says %s", subject(n), d.written)
	default:
		selectorShape.read(d, n, &selector{})
	}
}
