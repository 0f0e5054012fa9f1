package lint

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
)

// compiler compiles the parts of one workflow, or of the components that belong
// to none: then workflow and names are nil.
type compiler struct {
	document *Document
	workflow *Workflow
	names    *expression.Names
	into     *Parts
}

// step resolves everything of a step but its id.
func (c *compiler) step(s *Step) {
	model, site := s.Model, Site{Workflow: c.workflow, Step: s}
	s.Target = c.document.stepTarget(model)
	s.Own.Parameters = c.parameters(model.Parameters, site.of(InParameter))
	s.Parameters = s.mergeParameters()
	if body := model.RequestBody; body != nil {
		s.Payload = c.value(body.Payload, site.of(InPayload))
		for _, r := range body.Replacements {
			if v := c.value(r.Value, site.of(InReplacement)); v != nil {
				s.Replacements = append(s.Replacements, v)
			}
		}
	}
	s.Correlation = c.value(model.CorrelationID, site.of(InCorrelation))
	s.Key = c.key(model.Idempotency, site)
	s.Criteria = c.criteria(model.SuccessCriteria, site.of(InCriterion))
	s.Outputs = c.outputs(model.Outputs, site.of(InOutput))
	for _, text := range []arazzo.Text{model.Correlation, model.MessageID} {
		c.value(text.Node, site.of(InMessage))
	}
	s.State = c.state(model.State, site)
	s.Own.OnSuccess = c.actions(model.OnSuccess, arazzo.KindSuccessActions, site)
	s.Own.OnFailure = c.actions(model.OnFailure, arazzo.KindFailureActions, site)
	s.OnSuccess = mergeActions(s.Own.OnSuccess, c.workflow.SuccessActions)
	s.OnFailure = mergeActions(s.Own.OnFailure, c.workflow.FailureActions)
	for _, text := range model.DependsOn {
		s.DependsOn = append(s.DependsOn, c.dependency(text))
	}
}

// value compiles a value; nil where there is none.
func (c *compiler) value(node *arazzo.Node, site Site) *Value {
	if node == nil {
		return nil
	}
	v := &Value{Site: site, Node: node}
	v.Compiled, v.Faults = dynamic.CompileValue(node, c.document.Model.Version, c.names)
	c.into.Values = append(c.into.Values, v)
	c.keep(v.Compiled.Uses(), site)
	return v
}

func (c *compiler) keep(uses []dynamic.Use, site Site) {
	for _, use := range uses {
		c.into.Uses = append(c.into.Uses, &Use{Site: site, Use: use})
	}
}

func (c *compiler) criteria(models []*arazzo.Criterion, site Site) []*Criterion {
	var all []*Criterion
	for _, model := range models {
		k := &Criterion{Site: site, Model: model}
		k.Compiled, k.Faults = dynamic.CompileCriterion(model, c.document.Model.Version, c.names)
		c.into.Criteria = append(c.into.Criteria, k)
		c.keep(k.Compiled.Uses(), site)
		all = append(all, k)
	}
	return all
}

func (c *compiler) outputs(models []*arazzo.Output, site Site) []*Output {
	var all []*Output
	for _, model := range models {
		all = append(all, &Output{Model: model, Value: c.value(model.Value, site)})
	}
	return all
}

func (c *compiler) key(model *arazzo.Idempotency, site Site) *Value {
	if model == nil {
		return nil
	}
	return c.value(model.Key.Node, site.of(InKey))
}

func (c *compiler) state(model *arazzo.State, site Site) *Value {
	if model == nil {
		return nil
	}
	return c.value(model.Value.Node, site.of(InState))
}

func (c *compiler) parameters(models []*arazzo.Parameter, site Site) []*Parameter {
	var all []*Parameter
	for _, written := range models {
		p := &Parameter{Written: written}
		p.Model, p.Err = c.document.Model.ResolveParameter(written)
		c.refer(written.Reference)
		if p.Model != nil {
			p.Value = c.value(p.Model.Value, site)
		}
		all = append(all, p)
	}
	return all
}

func (c *compiler) actions(models []*arazzo.Action, kind string, site Site) []*Action {
	var all []*Action
	for _, written := range models {
		all = append(all, c.action(written, kind, site))
	}
	return all
}

func (c *compiler) action(written *arazzo.Action, kind string, site Site) *Action {
	a := &Action{Written: written, Kind: kind}
	a.Model, a.Err = c.document.Model.ResolveAction(written, kind)
	c.refer(written.Reference)
	if a.Model == nil {
		return a
	}
	site.Action = a
	a.Criteria = c.criteria(a.Model.Criteria, site.of(InActionCriteria))
	a.Parameters = c.parameters(a.Model.Parameters, site.of(InActionParameter))
	a.State = c.state(a.Model.State, site)
	if a.Model.StepID.Present() && c.workflow != nil {
		a.Step = c.workflow.Step(a.Model.StepID.Value)
	}
	a.Target = c.document.workflowTarget(a.Model.WorkflowID)
	return a
}

// refer notes that something refers to a component, also where it is of a kind
// that cannot stand there.
func (c *compiler) refer(reference arazzo.Text) {
	if !reference.Present() {
		return
	}
	if n := c.document.Component(reference.Value); n != nil {
		c.document.referred[n] = true
	}
}

// Component gives the node of the component that a reference such as
// $components.parameters.page names, whatever its kind; nil where there is none.
func (d *Document) Component(reference string) *arazzo.Node {
	path, ok := strings.CutPrefix(reference, "$components.")
	kind, name, dotted := strings.Cut(path, ".")
	if !ok || !dotted {
		return nil
	}
	return d.Model.Components.Node.Get(kind).Get(name)
}

// mergeActions puts the workflow's actions behind the step's; an action of the
// step overrides the workflow's of the same name (specification, Step Object).
func mergeActions(own, shared []*Action) []*Action {
	var all []*Action
	taken := make(map[string]bool)
	for _, a := range own {
		if a.Model != nil {
			taken[a.Model.Name.Value] = true
			all = append(all, a)
		}
	}
	for _, a := range shared {
		if a.Model != nil && !taken[a.Model.Name.Value] {
			all = append(all, a)
		}
	}
	return all
}

// mergeParameters puts together what the step's call is given: a parameter of the
// step overrides the workflow's of the same name and place (specification,
// Workflow Object).
func (s *Step) mergeParameters() []*Parameter {
	var all []*Parameter
	for _, p := range s.Workflow.Parameters {
		if p.Model != nil && s.takes(p.Model) {
			all = append(all, p)
		}
	}
	for _, p := range s.Own.Parameters {
		if p.Model == nil {
			continue
		}
		replaced := false
		for i, other := range all {
			if sameParameter(other.Model, p.Model, s.Model.WorkflowID.Present()) && other.Shared {
				all[i], replaced = p, true
			}
		}
		if !replaced {
			all = append(all, p)
		}
	}
	return all
}

// takes tells whether a parameter of the workflow is for this step: a workflow
// that it calls takes those that it declares, an operation those with a place.
func (s *Step) takes(p *arazzo.Parameter) bool {
	if !s.Model.WorkflowID.Present() {
		return p.In.Present()
	}
	called := s.Target.Workflow()
	return called != nil && contains(called.Names.Inputs, p.Name.Value)
}

func sameParameter(a, b *arazzo.Parameter, byNameAlone bool) bool {
	if byNameAlone {
		return a.Name.Value == b.Name.Value
	}
	return a.In.Value == b.In.Value && (a.Name.Value == b.Name.Value ||
		a.In.Value == "header" && strings.EqualFold(a.Name.Value, b.Name.Value))
}
