package rules

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// nameRules are about names that must be told apart.
func nameRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "source-name-unique", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "Two sources have the same name.",
			Why:     "A name leads to one source; which of the two is meant cannot be told.",
			Avoid:   "sourceDescriptions:\n  - {name: shop, url: orders.yaml}\n  - {name: shop, url: payments.yaml}\n",
			Prefer:  "sourceDescriptions:\n  - {name: orders, url: orders.yaml}\n  - {name: payments, url: payments.yaml}\n",
			Check:   checkSourceNames,
		},
		{
			Name: "workflow-id-unique", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "Two workflows of a document have the same id.",
			Why:     "Calls and dependencies name a workflow by its id; which of the two is meant cannot be told.",
			Avoid:   "workflows:\n  - workflowId: order\n  - workflowId: order\n",
			Prefer:  "workflows:\n  - workflowId: order\n  - workflowId: cancelOrder\n",
			Check:   checkWorkflowIDs,
		},
		{
			Name: "step-id-unique", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "Two steps of a workflow have the same id.",
			Why:     "Jumps and expressions name a step by its id; which of the two is meant cannot be told.",
			Avoid:   "steps:\n  - stepId: get\n  - stepId: get\n",
			Prefer:  "steps:\n  - stepId: getOrder\n  - stepId: getPayment\n",
			Check:   checkStepIDs,
		},
		{
			Name: "parameter-unique", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A list of parameters has the same name and place twice.",
			Why:     "One value is sent, and which of the two it is differs from tool to tool.",
			Avoid:   "parameters:\n  - {name: page, in: query, value: 1}\n  - {name: page, in: query, value: 2}\n",
			Prefer:  "parameters:\n  - {name: page, in: query, value: 1}\n",
			Check:   checkParameterNames,
		},
		{
			Name: "action-name-unique", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A list of actions has the same name twice.",
			Why: "A step's action takes the place of the workflow's of the same name, and reports name an action by it. " +
				"With one name for two, neither is sure.",
			Avoid:  "onFailure:\n  - {name: again, type: retry}\n  - {name: again, type: end}\n",
			Prefer: "onFailure:\n  - {name: again, type: retry}\n  - {name: giveUp, type: end}\n",
			Check:  checkActionNames,
		},
		{
			Name: "criteria-unique", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A list of criteria says the same twice in different words.",
			Why:     "The second adds nothing. Often it was copied to ask for something else and never changed.",
			Avoid:   "successCriteria:\n  - condition: $statusCode == 200\n  - condition: ($statusCode  ==  200)\n",
			Prefer:  "successCriteria:\n  - condition: $statusCode == 200\n",
			Check:   checkCriteriaOnce,
		},
	}
}

// repeated calls found for each text that stood before, with the first of it.
// Texts that are missing, or no strings, are somebody else's to report.
func repeated(texts []arazzo.Text, found func(first, again arazzo.Text)) {
	seen := make(map[string]arazzo.Text, len(texts))
	for _, text := range texts {
		if !isText(text) {
			continue
		}
		if first, ok := seen[text.Value]; ok {
			found(first, text)
			continue
		}
		seen[text.Value] = text
	}
}

// isText tells whether a field is there and is a string, as it should be.
func isText(t arazzo.Text) bool { return t.Present() && t.Node.Kind == value.KindString }

func checkSourceNames(p *lint.Pass) {
	var names []arazzo.Text
	for _, s := range p.Model.Sources {
		names = append(names, s.Name)
	}
	repeated(names, func(first, again arazzo.Text) {
		p.Report(lint.Finding{
			At:      lint.At(again.Node),
			Message: "there is a source " + quote(again.Value) + " already",
			Related: []lint.Related{lint.See(first.Node, "the first one")},
		})
	})
}

func checkWorkflowIDs(p *lint.Pass) {
	var ids []arazzo.Text
	for _, w := range p.Model.Workflows {
		ids = append(ids, w.WorkflowID)
	}
	repeated(ids, func(first, again arazzo.Text) {
		p.Report(lint.Finding{
			At:      lint.At(again.Node),
			Message: "there is a workflow " + quote(again.Value) + " already",
			Related: []lint.Related{lint.See(first.Node, "the first one")},
		})
	})
}

func checkStepIDs(p *lint.Pass) {
	for _, w := range p.Workflows {
		var ids []arazzo.Text
		for _, s := range w.Steps {
			ids = append(ids, s.Model.StepID)
		}
		repeated(ids, func(first, again arazzo.Text) {
			p.Report(lint.Finding{
				At:      lint.At(again.Node),
				Message: "the workflow has a step " + quote(again.Value) + " already",
				Related: []lint.Related{lint.See(first.Node, "the first one")},
			})
		})
	}
}

func checkParameterNames(p *lint.Pass) {
	for _, w := range p.Workflows {
		checkParameterList(p, w.Parameters, false)
		for _, s := range w.Steps {
			checkParameterList(p, s.Own.Parameters, s.Model.WorkflowID.Present())
		}
	}
	for _, a := range p.Actions() {
		checkParameterList(p, a.Parameters, true)
	}
}

// checkParameterList reports a parameter that the list has already. byName tells
// that they are inputs of a workflow, which have no place.
func checkParameterList(p *lint.Pass, list []*lint.Parameter, byName bool) {
	seen := make(map[string]*lint.Parameter, len(list))
	for _, parameter := range list {
		if parameter.Model == nil || !isText(parameter.Model.Name) {
			continue
		}
		key, in := parameter.Model.Name.Value, parameter.Model.In.Value
		if in == "header" {
			key = strings.ToLower(key)
		}
		if !byName {
			key = in + " " + key
		}
		first := seen[key]
		if first == nil {
			seen[key] = parameter
			continue
		}
		p.Report(lint.Finding{
			At:      lint.At(parameter.Written.Node),
			Message: "the list has the " + label(parameter.Model, byName) + " already",
			Related: []lint.Related{lint.See(first.Written.Node, "the first one")},
		})
	}
}

func label(p *arazzo.Parameter, byName bool) string {
	if byName || p.In.Value == "" {
		return "parameter " + quote(p.Name.Value)
	}
	return p.In.Value + " parameter " + quote(p.Name.Value)
}

func checkActionNames(p *lint.Pass) {
	for _, list := range actionLists(p.Document) {
		seen := make(map[string]*lint.Action, len(list))
		for _, a := range list {
			if a.Model == nil || !isText(a.Model.Name) {
				continue
			}
			name := a.Model.Name.Value
			first := seen[name]
			if first == nil {
				seen[name] = a
				continue
			}
			p.Report(lint.Finding{
				At:      lint.At(nameOf(a), a.Written.Node),
				Message: "the list has an action " + quote(name) + " already",
				Related: []lint.Related{lint.See(first.Written.Node, "the first one")},
			})
		}
	}
}

// actionLists gives all lists of actions of a document as they are written.
func actionLists(d *lint.Document) [][]*lint.Action {
	var all [][]*lint.Action
	for _, w := range d.Workflows {
		all = append(all, w.SuccessActions, w.FailureActions, w.OnCancel)
		for _, s := range w.Steps {
			all = append(all, s.Own.OnSuccess, s.Own.OnFailure)
		}
	}
	return all
}

// nameOf gives the node that names an action in its list; nil for a reference.
func nameOf(a *lint.Action) *arazzo.Node {
	if a.Written.Reference.Present() {
		return a.Written.Reference.Node
	}
	return a.Written.Name.Node
}

func checkCriteriaOnce(p *lint.Pass) {
	for _, w := range p.Workflows {
		for _, s := range w.Steps {
			checkCriteriaList(p, s.Criteria)
		}
	}
	for _, a := range p.Actions() {
		checkCriteriaList(p, a.Criteria)
	}
}

func checkCriteriaList(p *lint.Pass, list []*lint.Criterion) {
	for i, c := range list {
		for _, first := range list[:i] {
			if !lint.SameCriterion(first, c) || value.Identical(first.Model.Node.Value(), c.Model.Node.Value()) {
				continue
			}
			p.Report(lint.Finding{
				At:      lint.At(c.Model.Condition.Node, c.Model.Node),
				Message: "the same is demanded above in other words",
				Related: []lint.Related{lint.See(first.Model.Condition.Node, "here")},
			})
			break
		}
	}
}
