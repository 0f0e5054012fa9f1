package rules

import (
	"regexp"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// meaningRules are about the shape of a document where it depends on what a step
// calls, or where the schema allows what the text does not.
func meaningRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "step-id-pattern", Layer: lint.Schema, Severity: lint.Warn,
			Summary: "The id of a step has a character other than letters, digits, _ and -.",
			Why:     "Expressions name steps, and other tools end the name at the first other character.",
			Avoid:   "- stepId: create order\n",
			Prefer:  "- stepId: createOrder\n",
			Check:   checkStepIDPattern,
		},
		{
			Name: "channel-parameter", Layer: lint.Schema, Severity: lint.Error,
			Summary: "A parameter says in: channel, and the step's operation is of OpenAPI.",
			Why:     "Channels are of AsyncAPI. An operation of OpenAPI has path, query, header and cookie parameters.",
			Avoid:   "operationId: getOrder\nparameters:\n  - {name: orderId, in: channel, value: $inputs.orderId}\n",
			Prefer:  "operationId: getOrder\nparameters:\n  - {name: orderId, in: path, value: $inputs.orderId}\n",
			Check:   checkChannelParameters,
		},
		{
			Name: "openapi-action", Layer: lint.Schema, Severity: lint.Warn,
			Summary: "A step on an OpenAPI description uses channelPath, or an action that its operation does not have.",
			Why: "An operation of OpenAPI is called, and needs no action. A webhook or callback is received: " +
				"operationId with action: receive.",
			Avoid:  "operationId: createOrder\naction: send\n",
			Prefer: "operationId: createOrder\n",
			Check:  checkOpenAPIActions,
		},
		{
			Name: "body-on-workflow-step", Layer: lint.Schema, Severity: lint.Warn,
			Summary: "A step that calls a workflow has a requestBody.",
			Why:     "A workflow takes inputs, which are given as parameters; the body is not sent anywhere.",
			Avoid:   "workflowId: pay\nrequestBody:\n  payload: {orderId: $inputs.orderId}\n",
			Prefer:  "workflowId: pay\nparameters:\n  - {name: orderId, value: $inputs.orderId}\n",
			Check:   checkWorkflowBodies,
		},
		{
			Name: "schema-stricter-than-text", Layer: lint.Schema, Severity: lint.Hint,
			Summary: "A value is legal by the text of the specification, and refused by its JSON Schema.",
			Why: "In Arazzo 1.1 the schema takes no object as the value of a parameter, and nothing but a string as " +
				"the value of a replacement. Tools that check by the schema refuse the document.",
			Avoid:  "parameters:\n  - {name: filter, in: query, value: {status: OPEN}}\n",
			Prefer: "parameters:\n  - {name: filter, in: query, value: $inputs.filter}\n",
			Check:  checkStricterSchema,
		},
	}
}

func checkLocationsOfInputs(p *lint.Pass) {
	for _, s := range p.Steps() {
		if !s.Model.WorkflowID.Present() {
			continue
		}
		for _, parameter := range s.Own.Parameters {
			if parameter.Model == nil || !parameter.Model.In.Present() {
				continue
			}
			f := lint.Finding{
				At:       lint.At(parameter.Model.In.Node),
				Severity: lint.Warn,
				Message:  "in: a parameter of a step that calls a workflow is an input of it and has no location",
			}
			if parameter.Written.Reference.Present() {
				f.At = lint.At(parameter.Written.Reference.Node)
				f.Related = []lint.Related{lint.See(parameter.Model.In.Node, "the component says where it goes")}
			}
			p.Report(f)
		}
	}
}

// stepID is the form that the specification recommends (Step Object).
var stepID = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func checkStepIDPattern(p *lint.Pass) {
	for _, s := range p.Steps() {
		if id := s.Model.StepID; isText(id) && id.Value != "" && !stepID.MatchString(id.Value) {
			p.Reportf(lint.At(id.Node), "stepId: expected letters, digits, _ and -, this is %s", quote(id.Value))
		}
	}
}

func checkChannelParameters(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Target.Operation == nil {
			continue
		}
		for _, parameter := range s.Own.Parameters {
			if parameter.Model != nil && parameter.Model.In.Value == "channel" {
				p.Reportf(lint.At(parameter.Model.In.Node), "in: an operation of OpenAPI has no channel; source %s is of type openapi", quote(s.Target.Source.Name))
			}
		}
	}
}

func checkOpenAPIActions(p *lint.Pass) {
	for _, s := range p.Steps() {
		action, path := s.Model.Action, s.Model.ChannelPath
		switch {
		case isText(path) && s.Target.Source != nil && s.Target.Source.OpenAPI != nil:
			p.Reportf(lint.At(path.Node), "channelPath leads to a channel of AsyncAPI; source %s is of type openapi", quote(s.Target.Source.Name))
		case !isText(action) || s.Target.Operation == nil:
		case action.Value == "receive" && s.Target.Kind == lint.CallTarget:
			p.Reportf(lint.At(action.Node), "action: %s is called, only webhooks and callbacks are received", s.Target.Operation.Label())
		case action.Value != "receive":
			p.Report(lint.Finding{
				At:      lint.At(action.Node),
				Message: "action: an operation of OpenAPI needs none, it is not " + quote(action.Value),
			})
		}
	}
}

func checkWorkflowBodies(p *lint.Pass) {
	for _, s := range p.Steps() {
		if s.Model.WorkflowID.Present() && s.Model.RequestBody != nil {
			p.Reportf(lint.Name(s.Model.RequestBody.Node), "a step that calls a workflow sends no body; give the workflow its inputs as parameters")
		}
	}
}

func checkStricterSchema(p *lint.Pass) {
	if p.Model.Version != arazzo.Version11 {
		return
	}
	for _, v := range p.Values() {
		switch v.Kind {
		case lint.InParameter, lint.InActionParameter:
			if v.Node.Kind == value.KindObject && !v.Compiled.IsWhole() && len(v.Faults) == 0 && v.Node.Parent() != nil && v.Node.Parent().Get("reference") == nil {
				p.Reportf(lint.At(v.Node), "the specification takes an object as value, its JSON Schema does not")
			}
		case lint.InReplacement:
			if v.Node.Kind != value.KindString && !v.Compiled.IsWhole() && len(v.Faults) == 0 {
				p.Reportf(lint.At(v.Node), "the specification takes any value here, its JSON Schema a string or a Selector Object alone")
			}
		}
	}
}
