package executor

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/idempotency"
)

func (c *compiler) compileStep(w *workflow, model *arazzo.Step, names *expression.Names) *step {
	s := &step{id: model.StepID.Value, model: model, place: placeOf(w.set, model.Node)}
	c.compileTarget(w, s)
	s.arguments = c.compileArguments(w, s, model.Parameters, names)
	s.body = c.compileBody(w, s, names)
	s.correlation = c.compileCorrelation(w, model, names)
	s.criteria = c.compileCriteria(w.set, model.SuccessCriteria, names)
	s.onSuccess = c.compileActions(w, model.OnSuccess, w.model.SuccessActions, "successActions", names)
	s.onFailure = c.compileActions(w, model.OnFailure, w.model.FailureActions, "failureActions", names)
	s.outputs = c.compileOutputs(w.set, model.Outputs, names)
	s.state = c.compileState(w, model.State, names)
	s.timeout = c.milliseconds(w.set, model.Timeout)
	s.dependsOn = c.compileDependsOn(w, model)
	switch {
	case s.kind == callsOperation && s.operation != nil:
		c.compileEffect(w, s)
		s.key = c.compileKey(w, s, names)
	case s.kind == receives:
		s.inlet = c.compileInlet(w, s)
		s.address, s.arguments = s.arguments, nil
	}
	return s
}

// compileTarget finds what the step calls.
func (c *compiler) compileTarget(w *workflow, s *step) {
	model := s.model
	switch {
	case model.WorkflowID.Present():
		s.kind, s.description = callsWorkflow, "workflow "+model.WorkflowID.Value
		s.target = c.findWorkflow(w.set, model.WorkflowID)
	case model.ChannelPath.Present():
		c.compileChannel(w, s)
	case model.OperationID.Present():
		description, operation, err := w.set.FindOperation(model.OperationID.Value)
		c.targetFound(w, s, model.OperationID, description, operation, err)
	case model.OperationPath.Present():
		description, operation, err := w.set.FindOperationPath(model.OperationPath.Value)
		c.targetFound(w, s, model.OperationPath, description, operation, err)
	default:
		c.refuse(w.set, model.Node, "step %q names nothing to call: expected operationId, operationPath or workflowId", s.id)
	}
}

func (c *compiler) targetFound(w *workflow, s *step, ref arazzo.Text, d *source.Description, o *source.Operation, err error) {
	var async *source.AsyncOperationError
	switch {
	case errors.As(err, &async):
		c.compileAsyncOperation(w, s, ref, async.Description, async.Operation)
	case err != nil:
		c.refuse(w.set, ref.Node, "step %q: %v", s.id, err)
	case o.Kind != source.Request:
		s.kind, s.operation, s.source = receives, o, d
		s.description = "receive " + o.Path
	case s.model.Action.Value == "receive":
		c.refuse(w.set, s.model.Action.Node, "step %q: action is receive, but %s %s is an operation that the client calls; only webhooks and callbacks are received", s.id, o.Method, o.Path)
	default:
		s.operation, s.source = o, d
		s.description = o.Method + " " + o.Path
	}
}

// compileEffect decides what the call does to the server, where it goes, and
// whether it may go there.
func (c *compiler) compileEffect(w *workflow, s *step) {
	names := c.documents.namesOf(w.set, s.source)
	known := c.config.source(names)
	mark := s.model.Effect.Value
	if mark == "" && s.channel != nil {
		mark = idempotency.MarkEffect
	}
	if mark == "" {
		mark = known.Effects[s.operation.ID]
	}
	s.effectful, s.profile = idempotency.Effectful(s.operation.Method, mark), known.Profile
	s.readOnly = !s.effectful && (isSafe(s.operation.Method) || mark == idempotency.MarkRead)
	target, err := chooseServer(c.config, names, s.operation)
	if err != nil {
		c.refuse(w.set, s.model.Node, "step %q: %v", s.id, err)
		return
	}
	s.server = target.base
	c.origins[target.origin] = true
	if target.allowed || isSafe(s.operation.Method) || s.readOnly {
		return
	}
	c.refuse(w.set, s.model.Node, "step %q: %s may change something on %s, a server that was not named; "+
		"to allow it say --server %s=%s", s.id, s.description, target.origin, names[1], target.base)
}

// isSafe tells whether a method changes nothing (RFC 9110, section 9.2.1).
func isSafe(method string) bool {
	return method == "GET" || method == "HEAD" || method == "OPTIONS"
}

// compileArguments merges the workflow's parameters with the step's: one of the
// same name and place overrides (specification, Workflow Object).
func (c *compiler) compileArguments(w *workflow, s *step, own []*arazzo.Parameter, names *expression.Names) []argument {
	var arguments []argument
	for _, p := range w.model.Parameters {
		if a, ok := c.compileArgument(w, p, names); ok && s.takes(a) {
			a.shared = true
			arguments = append(arguments, a)
		}
	}
	for _, p := range own {
		a, ok := c.compileArgument(w, p, names)
		if !ok {
			continue
		}
		if s.kind == receives && s.channel == nil {
			c.refuse(w.set, p.Node, "step %q: parameter %q in %s; a step that receives a webhook or callback sends nothing, expected no parameters", s.id, a.name, a.in)
			continue
		}
		c.refuseTwice(w, s, arguments, a, p)
		arguments = overrideArgument(arguments, a, s.kind == callsWorkflow)
	}
	if s.channel != nil {
		arguments = c.channelArguments(w, s, arguments)
	}
	if s.kind == callsOperation && s.operation != nil {
		for i := range arguments {
			a := &arguments[i]
			if a.in == "" {
				c.refuse(w.set, s.model.Node, "step %q: parameter %q needs in: path, query, querystring, header or cookie", s.id, a.name)
			}
			a.declared = s.operation.Parameter(a.name, a.in)
			if a.declared != nil && !source.KnownStyle(a.declared.Style) {
				c.refuse(w.set, s.model.Node, "step %q: the %s parameter %q cannot be written: nothing is known of its style, %s", s.id, a.in, a.name, a.declared.Style)
			}
		}
		c.refuseUnsendable(w, s, arguments)
		c.refuseFields(w, s, arguments)
	}
	return arguments
}

// takes tells whether a parameter of the workflow is for this step: a called
// workflow takes those that it declares, an operation those with a place, and in
// its path those that the path has; a channel those of its address, and what sends
// to it header and query too.
func (s *step) takes(a argument) bool {
	switch {
	case s.kind == callsWorkflow:
		return s.target.declares(a.name)
	case s.channel != nil && (a.in == "path" || a.in == "channel"):
		return slices.ContainsFunc(s.channel.Parameters, func(p *asyncapi.Parameter) bool { return p.Name == a.name })
	case s.kind == receives:
		return false
	case s.channel != nil:
		return a.in == "header" || a.in == "query"
	case a.in == "path" && s.operation != nil:
		return strings.Contains(s.operation.Path, "{"+a.name+"}")
	default:
		return a.in != ""
	}
}

func overrideArgument(arguments []argument, a argument, byNameAlone bool) []argument {
	for i := range arguments {
		same := arguments[i].in == a.in && (arguments[i].name == a.name || a.in == "header" && strings.EqualFold(arguments[i].name, a.name))
		if same || byNameAlone && arguments[i].name == a.name {
			arguments[i] = a
			return arguments
		}
	}
	return append(arguments, a)
}

func (c *compiler) compileArgument(w *workflow, p *arazzo.Parameter, names *expression.Names) (argument, bool) {
	resolved, err := w.set.Document.ResolveParameter(p)
	if err != nil {
		c.refuse(w.set, p.Node, "%v", err)
		return argument{}, false
	}
	v, faults := dynamic.CompileValue(resolved.Value, w.set.Document.Version, names)
	c.faults(w.set, faults, false)
	return argument{name: resolved.Name.Value, in: resolved.In.Value, node: p.Node, value: v}, len(faults) == 0
}

// compileCorrelation compiles what a message must bear; nil where nothing is asked.
func (c *compiler) compileCorrelation(w *workflow, model *arazzo.Step, names *expression.Names) *dynamic.Value {
	if model.CorrelationID == nil {
		return nil
	}
	v, faults := dynamic.CompileValue(model.CorrelationID, w.set.Document.Version, names)
	c.faults(w.set, faults, false)
	return v
}

func (c *compiler) compileDependsOn(w *workflow, model *arazzo.Step) []dependency {
	var dependencies []dependency
	for _, ref := range model.DependsOn {
		d, err := stepReference(w, ref.Value)
		if err != nil {
			c.refuse(w.set, ref.Node, "step %q: %v", model.StepID.Value, err)
			continue
		}
		dependencies = append(dependencies, d)
	}
	return dependencies
}

// milliseconds reads a step's timeout.
func (c *compiler) milliseconds(set *source.Set, n arazzo.Number) time.Duration {
	if !n.Present() {
		return 0
	}
	const limit = math.MaxInt64 / int64(time.Millisecond)
	ms, ok := wholeNumber(n, limit)
	if !ok || ms == 0 {
		c.refuse(set, n.Node, "timeout is a whole count of milliseconds from 1 to %d, this is %s", limit, n.Raw)
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}
