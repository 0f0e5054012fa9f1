package arazzo

import "github.com/weft-flow/weft/arazzo/value"

var (
	successTypes = words("end", "goto")
	failureTypes = words("end", "goto", "retry")
)

// actionHints are for what authors of actions write by mistake.
var actionHints = map[string]string{
	"condition": "conditions stand under criteria",
	"goto":      "write type: goto, and stepId or workflowId",
	"step":      "write stepId",
	"workflow":  "write workflowId",
}

var successActionShape = shape[Action]{name: "a success action", hints: actionHints, fields: append(commonActionFields(),
	field[Action]{name: "type", required: true, read: oneOf("success-action-type", successTypes, func(a *Action) *Text { return &a.Type })},
	field[Action]{name: "criteria", read: objects(list{"criteria", 1}, (*decoder).criterion, func(a *Action) *[]*Criterion { return &a.Criteria })},
)}

var failureActionShape = shape[Action]{name: "a failure action", hints: actionHints, fields: append(commonActionFields(),
	field[Action]{name: "type", required: true, read: oneOf("schema", failureTypes, func(a *Action) *Text { return &a.Type })},
	field[Action]{name: "criteria", read: objects(list{"criteria", 0}, (*decoder).criterion, func(a *Action) *[]*Criterion { return &a.Criteria })},
	field[Action]{name: "retryAfter", read: number("retry-after-range", "a number of seconds, 0 or more",
		func(s string) bool { return !isNegative(s) }, func(a *Action) *Number { return &a.RetryAfter })},
	field[Action]{name: "retryLimit", read: number("retry-limit-integer", "a whole number of attempts, 0 or more",
		isCount, func(a *Action) *Number { return &a.RetryLimit })},
	field[Action]{name: "x-weft-backoff", read: func(d *decoder, n *Node, into *Action) { into.Backoff = d.backoff(n) }},
	field[Action]{name: "x-weft-unsafe-retry", read: (*decoder).unsafeRetry},
)}

func commonActionFields() []field[Action] {
	return []field[Action]{
		{name: "name", required: true, read: str(func(a *Action) *Text { return &a.Name })},
		{name: "workflowId", read: str(func(a *Action) *Text { return &a.WorkflowID })},
		{name: "stepId", read: str(func(a *Action) *Text { return &a.StepID })},
		{name: "parameters", since: Version11, read: objects(list{"parameters", 0}, (*decoder).parameter,
			func(a *Action) *[]*Parameter { return &a.Parameters })},
		{name: "x-weft-state", read: func(d *decoder, n *Node, into *Action) { into.State = d.state(n) }},
	}
}

// reusableActionShape is a Reusable Object among actions. Its value means
// nothing there, but the shape allows it.
var reusableActionShape = shape[Action]{name: "a reference to a component", closed: true, fields: []field[Action]{
	{name: "reference", required: true, read: str(func(a *Action) *Text { return &a.Reference })},
	{name: "value", read: func(*decoder, *Node, *Action) {}},
}}

func (d *decoder) successAction(n *Node) *Action { return d.action(n, &successActionShape) }

func (d *decoder) failureAction(n *Node) *Action { return d.action(n, &failureActionShape) }

// action reads an action or a reference to one.
func (d *decoder) action(n *Node, s *shape[Action]) *Action {
	if n.Get("reference") == nil {
		return d.plainAction(n, s)
	}
	a := &Action{Node: n}
	reusableActionShape.read(d, n, a)
	return a
}

func (d *decoder) plainSuccessAction(n *Node) *Action { return d.plainAction(n, &successActionShape) }

func (d *decoder) plainFailureAction(n *Node) *Action { return d.plainAction(n, &failureActionShape) }

// plainAction reads an action where a reference is not allowed.
func (d *decoder) plainAction(n *Node, s *shape[Action]) *Action {
	a := &Action{Node: n}
	if !s.read(d, n, a) {
		return nil
	}
	d.checkActionTarget(a)
	d.checkActionParameters(a)
	return a
}

// checkActionTarget reports a jump that leads nowhere, or to two places.
func (d *decoder) checkActionTarget(a *Action) {
	jumps := a.Type.Value == "goto" || a.Type.Value == "retry"
	switch {
	case a.StepID.Present() && a.WorkflowID.Present() && jumps:
		d.fault("action-target-exclusive", later(a.StepID.Node, a.WorkflowID.Node),
			"%s has one target: keep either stepId or workflowId", a.Type.Value)
	case a.Type.Value == "goto" && !a.StepID.Present() && !a.WorkflowID.Present():
		d.fault("action-target-required", a.Node, "goto needs stepId or workflowId to say where")
	}
}

// later gives the node that stands further down.
func later(a, b *Node) *Node {
	if a.Span.Start.Offset > b.Span.Start.Offset {
		return a
	}
	return b
}

// checkActionParameters reports parameters of an action that calls no workflow,
// and a location of one that does: there they are the workflow's inputs.
func (d *decoder) checkActionParameters(a *Action) {
	parameters := a.Node.Get("parameters")
	if parameters == nil || d.version < Version11 {
		return
	}
	if !a.WorkflowID.Present() {
		d.fault("schema", parameters, "parameters of an action are inputs of a workflow: workflowId is missing")
	}
	for _, p := range a.Parameters {
		if p.In.Present() {
			d.fault("parameter-in-forbidden", p.In.Node, "in: a parameter of an action is an input of its workflow and has no location")
		}
	}
}

func (d *decoder) unsafeRetry(n *Node, into *Action) {
	if d.isKind(n, value.KindBool, "schema", "true or false") {
		into.UnsafeRetry = Flag{Node: n, Value: n.Text == "true"}
	}
}

var parameterLocations = []word{
	{name: "path"}, {name: "query"}, {name: "header"}, {name: "cookie"},
	{name: "querystring", since: Version11}, {name: "channel", since: Version11},
}

var parameterShape = shape[Parameter]{name: "a parameter", fields: []field[Parameter]{
	{name: "name", required: true, read: str(func(p *Parameter) *Text { return &p.Name })},
	{name: "in", read: oneOf("schema", parameterLocations, func(p *Parameter) *Text { return &p.In })},
	{name: "value", required: true, read: anything(func(p *Parameter) **Node { return &p.Value })},
}}

var reusableParameterShape = shape[Parameter]{name: "a reference to a component", closed: true, fields: []field[Parameter]{
	{name: "reference", required: true, read: str(func(p *Parameter) *Text { return &p.Reference })},
	{name: "value", read: anything(func(p *Parameter) **Node { return &p.Value })},
}}

// parameter reads a parameter or a reference to one.
func (d *decoder) parameter(n *Node) *Parameter {
	if n.Get("reference") == nil {
		return d.plainParameter(n)
	}
	p := &Parameter{Node: n}
	reusableParameterShape.read(d, n, p)
	return p
}

func (d *decoder) plainParameter(n *Node) *Parameter {
	p := &Parameter{Node: n}
	if !parameterShape.read(d, n, p) {
		return nil
	}
	return p
}

// checkLocations reports parameters that do not say where they go.
func (d *decoder) checkLocations(parameters []*Parameter, what string) {
	for _, p := range parameters {
		if !p.Reference.Present() && !p.In.Present() {
			d.fault("parameter-in-required", p.Node, "%s needs in: where it goes (%s)", what, d.locations())
		}
	}
}

// locations lists where a parameter may go in the document's version.
func (d *decoder) locations() string {
	var names []string
	for _, w := range parameterLocations {
		if w.since <= d.version {
			names = append(names, w.name)
		}
	}
	return choice(names)
}
