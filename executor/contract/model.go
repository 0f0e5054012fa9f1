package contract

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// stepID names a step of the document.
type stepID struct{ workflow, step string }

// stepModel is a step as the explorer sees it: what it calls, and by what its answers
// are judged.
type stepModel struct {
	stepID
	set       *source.Set
	model     *arazzo.Step
	operation *source.Operation // nil: it calls none
	asked     mock.Asked        // how the mock names the operation
	receives  bool
	channel   bool // it is on a channel of AsyncAPI
	uncaused  bool // it waits for a webhook that no request is known to lead to
	marked    bool // to repeat it does no harm: x-weft-effect says so, or it gives tokens
	success   []*criterionModel
	told      []toldValue    // what else of an answer decides later
	needs     []need         // outputs of other steps that it sends
	origins   origins        // what it sends is made from
	actions   []*actionModel // success actions, then failure actions; in the order in which they are tried
	states    []statePlace   // where an answer, or a message, says how something stands
}

// criterionModel is one criterion with its place.
type criterionModel struct {
	model    *arazzo.Criterion
	compiled *dynamic.Criterion
	pointer  string
}

// actionModel is one action of a step.
type actionModel struct {
	name, kind string
	trigger    string // onSuccess or onFailure
	pointer    string // of where the step or the workflow names it
	span       arazzo.Span
	waits      time.Duration // of a retry: all of them together
	// step or otherWorkflow is where it leads; both are empty where it ends.
	step, otherWorkflow string
	criteria            []*criterionModel
}

// toldValue is a value of an answer that decides something later: the state of the
// business, or an output that another step is judged by.
type toldValue struct {
	value *dynamic.Value
	place variable
	wants []value.Value
}

// need is an output of another step that a step sends.
type need struct {
	step, output string
	header       string // the header that it is sent in; empty: elsewhere
	isKey        bool   // the key is made of it (x-weft-idempotency)
	source       string // the expression as it is written
}

// stepReader reads the steps of one workflow.
type stepReader struct {
	set      *source.Set
	workflow *arazzo.Workflow
	names    *expression.Names
	sources  map[string]string // the mock's names of sources, by their identities
	channels map[string][]*source.Operation
}

func (r stepReader) read(model *arazzo.Step) *stepModel {
	s := &stepModel{stepID: stepID{r.workflow.WorkflowID.Value, model.StepID.Value}, set: r.set, model: model}
	s.marked = model.Effect.Value == "read" || model.Effect.Value == "idempotent"
	if r.findOperation(s); s.operation == nil {
		r.findChannel(s)
	}
	s.states = statesSaid(s.operation)
	s.success = r.criteria(model.SuccessCriteria)
	s.actions = append(
		r.actions(model.OnSuccess, r.workflow.SuccessActions, "onSuccess", arazzo.KindSuccessActions),
		r.actions(model.OnFailure, r.workflow.FailureActions, "onFailure", arazzo.KindFailureActions)...,
	)
	r.readNeeds(s)
	r.readOrigins(s)
	r.readState(s, model.State)
	for _, written := range append(model.OnSuccess[:len(model.OnSuccess):len(model.OnSuccess)], model.OnFailure...) {
		r.readState(s, written.State)
	}
	return s
}

// readNeeds notes which outputs of other steps a step sends.
func (r stepReader) readNeeds(s *stepModel) {
	add := func(written *arazzo.Node, header string, isKey bool) {
		if written == nil {
			return
		}
		compiled, _ := dynamic.CompileValue(written, r.set.Document.Version, r.names)
		for _, use := range compiled.Uses() {
			if e := use.Expression; e.Root == expression.Steps {
				s.needs = append(s.needs, need{step: e.Owner, output: e.Name, header: header, isKey: isKey, source: e.Source})
			}
		}
	}
	for _, written := range s.model.Parameters {
		p, err := r.set.Document.ResolveParameter(written)
		if err != nil {
			continue
		}
		header := ""
		if p.In.Value == "header" {
			header = p.Name.Value
		}
		add(p.Value, header, false)
	}
	if s.model.RequestBody != nil {
		add(s.model.RequestBody.Payload, "", false)
	}
	if s.model.Idempotency != nil {
		add(s.model.Idempotency.Key.Node, "", true)
	}
	add(s.model.CorrelationID, "", false)
}

// readState reads a state that depends on what an answer says.
func (r stepReader) readState(s *stepModel, state *arazzo.State) {
	if state == nil || !state.Value.Present() {
		return
	}
	var wants []value.Value
	for _, m := range state.Map {
		wants = append(wants, value.String(m.Name.Value))
	}
	r.tell(s, state.Value.Node, wants)
}

// tell notes that a value of the answer decides something.
func (r stepReader) tell(s *stepModel, written *arazzo.Node, wants []value.Value) {
	compiled, _ := dynamic.CompileValue(written, r.set.Document.Version, r.names)
	if uses := compiled.Uses(); len(uses) == 1 {
		if place, ok := placeOfExpression(uses[0].Expression); ok && len(wants) > 0 {
			s.told = append(s.told, toldValue{value: compiled, place: place, wants: wants})
		}
	}
}

// readOutputs notes with what the outputs of steps are compared in others.
func (r stepReader) readOutputs(steps map[stepID]*stepModel) {
	wants := map[stepID]map[string][]value.Value{}
	for _, model := range r.workflow.Steps {
		for _, c := range steps[stepID{r.workflow.WorkflowID.Value, model.StepID.Value}].judged() {
			if simple := c.compiled.Simple(); simple != nil {
				comparedOutputs(simple.Root(), func(step, output string, literal value.Value) {
					id := stepID{r.workflow.WorkflowID.Value, step}
					if wants[id] == nil {
						wants[id] = map[string][]value.Value{}
					}
					wants[id][output] = append(wants[id][output], beside(literal)...)
				})
			}
		}
	}
	for _, model := range r.workflow.Steps {
		id := stepID{r.workflow.WorkflowID.Value, model.StepID.Value}
		for _, output := range model.Outputs {
			r.tell(steps[id], output.Value, wants[id][output.Name.Value])
		}
	}
}

// comparedOutputs finds the outputs of steps that a condition compares with literals.
func comparedOutputs(root expression.Node, found func(step, output string, literal value.Value)) {
	expression.Walk(root, func(n expression.Node) bool {
		b, ok := n.(*expression.Binary)
		if !ok || !b.Operator.IsComparison() {
			return true
		}
		for _, sides := range [][2]expression.Node{{b.Left, b.Right}, {b.Right, b.Left}} {
			operand, isOperand := sides[0].(*expression.Operand)
			literal, isLiteral := sides[1].(*expression.Literal)
			if isOperand && isLiteral && operand.Expression.Root == expression.Steps {
				found(operand.Expression.Owner, operand.Expression.Name, literal.Value)
			}
		}
		return false
	})
}

func (r stepReader) findOperation(s *stepModel) {
	var from *source.Description
	var op *source.Operation
	var err error
	switch {
	case s.model.OperationID.Present():
		from, op, err = r.set.FindOperation(s.model.OperationID.Value)
	case s.model.OperationPath.Present():
		from, op, err = r.set.FindOperationPath(s.model.OperationPath.Value)
	default:
		return
	}
	if err != nil || op == nil {
		return
	}
	name := op.ID
	if name == "" {
		name = op.Method + " " + op.Path
	}
	s.marked = s.marked || issuesToken(op)
	s.operation, s.asked = op, mock.Asked{Source: r.sources[from.Identity], Operation: name}
	s.receives = op.Kind != source.Request
}

// tokenPaths are the last segments of paths at which a client shows who it is.
var tokenPaths = []string{"token", "tokens", "login", "logins", "signin", "sign-in", "authenticate", "authorize", "session", "sessions", "oauth"}

// issuesToken tells whether an operation only gives a token: to ask for another one does
// no harm.
func issuesToken(op *source.Operation) bool {
	if slices.Contains(tokenPaths, strings.ToLower(op.Path[strings.LastIndexByte(op.Path, '/')+1:])) {
		return true
	}
	for _, r := range op.Responses {
		for _, media := range r.Content {
			if strings.HasPrefix(r.Status, "2") && media.Schema != nil && media.Schema.Properties["access_token"] != nil {
				return true
			}
		}
	}
	return false
}

// actions gives a step's own actions and those of the workflow that they do not
// override.
func (r stepReader) actions(own, shared []*arazzo.Action, trigger, kind string) []*actionModel {
	var all []*actionModel
	taken := map[string]bool{}
	for i, written := range append(own[:len(own):len(own)], shared...) {
		model, err := r.set.Document.ResolveAction(written, kind)
		if err != nil || i >= len(own) && taken[model.Name.Value] {
			continue
		}
		taken[model.Name.Value] = true
		all = append(all, &actionModel{
			name: model.Name.Value, kind: model.Type.Value, trigger: trigger,
			pointer: written.Node.Pointer(), span: written.Node.Span, criteria: r.criteria(model.Criteria), waits: waitsOf(model),
			step: model.StepID.Value, otherWorkflow: model.WorkflowID.Value,
		})
	}
	return all
}

// waitsOf gives how long the waits of a retry are together, as the document writes them.
func waitsOf(model *arazzo.Action) time.Duration {
	after, err := strconv.ParseFloat(model.RetryAfter.Raw, 64)
	times, limited := strconv.ParseFloat(model.RetryLimit.Raw, 64)
	if err != nil || limited != nil || !(after > 0 && times > 0) {
		return 0
	}
	return time.Duration(min(after*times, math.MaxInt32)) * time.Second
}

func (r stepReader) criteria(models []*arazzo.Criterion) []*criterionModel {
	all := make([]*criterionModel, 0, len(models))
	for _, model := range models {
		compiled, _ := dynamic.CompileCriterion(model, r.set.Document.Version, r.names) // one that is wrong fails
		all = append(all, &criterionModel{model: model, compiled: compiled, pointer: model.Node.Pointer()})
	}
	return all
}

// judged lists all criteria that an answer to the step is held against.
func (s *stepModel) judged() []*criterionModel {
	all := s.success[:len(s.success):len(s.success)]
	for _, a := range s.actions {
		all = append(all, a.criteria...)
	}
	return all
}

// workflowOf gives the id of the workflow that a call path ends in.
func workflowOf(path string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	if strings.IndexByte(last, '~') < 0 {
		return last
	}
	if p, err := value.ParsePointer("/" + last); err == nil && len(p) == 1 {
		return p[0]
	}
	return last
}
