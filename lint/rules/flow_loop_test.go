package rules_test

import "testing"

// TestLoopsOfWorkflows holds what is said of loops by jumps to a whole workflow and by
// the actions of a workflow.
func TestLoopsOfWorkflows(t *testing.T) {
	asked := func(fields string) string { return find + indent(fields, 2) }
	other := func(flow string) string { return "  - workflowId: v\n" + indent(flow, 4) }
	const (
		restart = "onSuccess: [{name: g, type: goto, workflowId: w}]\n"
		onward  = "onSuccess: [{name: g, type: goto, workflowId: v}]\n"
		key     = "- stepId: k\n  operationId: newKey\n"
	)
	for _, test := range []moneyTest{
		{name: "to itself", rules: "goto-loop", flow: steps(asked(restart)), want: []string{`error goto-loop: the loop back to workflow "w"`}},
		{name: "to itself, by an action of the workflow", rules: "goto-loop", flow: "successActions: [{name: g, type: goto, workflowId: w}]\n" + steps(find, key), want: []string{`the loop back to workflow "w"`}},
		{name: "to itself under a condition", rules: "goto-loop", flow: steps(asked("onSuccess: [{name: g, type: goto, workflowId: w, criteria: [{condition: $response.body#/0 == null}]}]\n"))},
		{name: "through another", rules: "goto-loop", flow: steps(asked(onward)), more: other(steps(key + indent(restart, 2))), want: []string{`back to workflow "v"`, `back to workflow "w"`}},
		{name: "to another that ends", rules: "goto-loop", flow: steps(asked(onward)), more: other(steps(key))},
		{name: "to another that loops", rules: "goto-loop", flow: steps(asked(onward)), more: other(steps(key + "  onSuccess: [{name: g, type: goto, stepId: k}]\n")), want: []string{`the loop back to "k"`}},
		{name: "after a success, by an action of the workflow", rules: "poll-bounded", flow: "successActions: [{name: g, type: goto, stepId: find, criteria: [{condition: $response.body#/0 == null}]}]\n" + steps(find), want: []string{`how often "find" is asked`}},
		{name: "after 503, by an action of the workflow", rules: "poll-bounded", flow: "failureActions: [{name: g, type: goto, stepId: find, criteria: [{condition: $statusCode == 503}]}]\n" + steps(find, key), want: []string{`how often "find" is asked`}},
		{name: "past what is not there, by an action of the workflow", rules: "poll-bounded", flow: "failureActions: [{name: g, type: goto, stepId: k, criteria: [{condition: $statusCode == 404}]}]\n" + steps(find, key)},
		{name: "the workflow anew", rules: "poll-bounded", flow: steps(asked("onSuccess: [{name: g, type: goto, workflowId: w, criteria: [{condition: $response.body#/0 == null}]}]\n")), want: []string{`how often "find" is asked`}},
		{name: "a loop that never ends", rules: "poll-bounded", flow: steps(asked(restart))},
		{name: "an action of the workflow that each step shadows", rules: "action-shadowed", flow: "failureActions: [{name: g, type: retry, retryAfter: 1, criteria: [{condition: $statusCode == 503}]}]\n" + steps(asked("onFailure: [{name: e, type: end}]\n"), key+"  onFailure: [{name: e, type: end}]\n"), want: []string{"warn action-shadowed"}},
		{name: "an action of the workflow that one step shadows", rules: "action-shadowed", flow: "failureActions: [{name: g, type: retry, retryAfter: 1, criteria: [{condition: $statusCode == 503}]}]\n" + steps(asked("onFailure: [{name: e, type: end}]\n"), key)},
		{name: "an action of the workflow that a step has otherwise", rules: "action-shadowed", flow: "failureActions: [{name: g, type: retry, retryAfter: 1, criteria: [{condition: $statusCode == 503}]}]\n" + steps(asked("onFailure: [{name: e, type: end}]\n"), key+"  onFailure: [{name: g, type: end}]\n")},
	} {
		t.Run(test.rules+": "+test.name, test.run)
	}
}
