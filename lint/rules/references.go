package rules

import (
	"slices"

	"github.com/weft-flow/weft/lint"
)

// referenceRules are about what a document refers to: sources, operations,
// workflows, steps, outputs, inputs, components.
func referenceRules() []lint.Rule {
	return slices.Concat(sourceRules(), operationRules(), channelRules(), workflowRules(), stepReferenceRules(), outputRules(), componentRules())
}

// sourceRules are about the sources of a document.
func sourceRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "source-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A reference names a source that the document does not declare.",
			Why:     "Nothing can be found under that name.",
			Avoid:   "sourceDescriptions:\n  - {name: shop, url: shop.yaml}\n# …\noperationId: $sourceDescriptions.shpo.getOrder\n",
			Prefer:  "sourceDescriptions:\n  - {name: shop, url: shop.yaml}\n# …\noperationId: $sourceDescriptions.shop.getOrder\n",
			Check:   checkSourcesExist,
		},
		{
			Name: "source-loads", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A source cannot be read where its url leads.",
			Why: "Without it nothing can run, and whatever depends on it is not checked. Offline, a source of the " +
				"network is no finding; the result is then incomplete.",
			Avoid:  "sourceDescriptions:\n  - {name: shop, url: ./no-such-file.yaml, type: openapi}\n",
			Prefer: "sourceDescriptions:\n  - {name: shop, url: ./shop.yaml, type: openapi}\n",
			Check:  checkSourcesLoad,
		},
	}
}

// operationRules are about the operations that steps call.
func operationRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "operation-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An operationId names an operation that no source describes.",
			Why:     "The step has nothing to call.",
			Avoid:   "operationId: getOrders # the API calls it findOrders\n",
			Prefer:  "operationId: findOrders\n",
			Check:   checkOperationsExist,
		},
		{
			Name: "operation-ambiguous", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An operationId is described more than once.",
			Why: "Where several sources have an operation of that name, the step must say which one it means: " +
				"$sourceDescriptions.NAME.OPERATION.",
			Avoid:  "operationId: getOrder\n",
			Prefer: "operationId: $sourceDescriptions.shop.getOrder\n",
			Check:  checkOperationsAmbiguous,
		},
		{
			Name: "operation-path-resolves", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An operationPath leads to nothing in its source.",
			Why:     "The step has nothing to call. In the pointer, a / within a path is written ~1.",
			Avoid:   "operationPath: '{$sourceDescriptions.shop.url}#/paths/~1order~1{orderId}/get'\n",
			Prefer:  "operationPath: '{$sourceDescriptions.shop.url}#/paths/~1orders~1{orderId}/get'\n",
			Check:   checkOperationPaths,
		},
		{
			Name: "operation-path-is-operation", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An operationPath leads to something that is no operation.",
			Why:     "A path has several operations; the pointer goes on to the method. A schema, a response and the rest cannot be called.",
			Avoid:   "operationPath: '{$sourceDescriptions.shop.url}#/paths/~1orders~1{orderId}'\n",
			Prefer:  "operationPath: '{$sourceDescriptions.shop.url}#/paths/~1orders~1{orderId}/get'\n",
			Check:   checkOperationPathsEnd,
		},
		{
			Name: "prefer-operation-id", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "An operationPath leads to an operation that has an operationId.",
			Why:     "The id is easier to read, and stays when the path of the API changes.",
			Avoid:   "operationPath: '{$sourceDescriptions.shop.url}#/paths/~1orders~1{orderId}/get'\n",
			Prefer:  "operationId: getOrder\n",
			Check:   checkPreferID,
		},
	}
}

// channelRules are about operations and channels of AsyncAPI.
func channelRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "channel-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A channelPath names a channel that no source describes.",
			Why:     "There is nothing to send to, or to receive from. In the pointer, a / within a key is written ~1.",
			Avoid:   "channelPath: '{$sourceDescriptions.events.url}#/channels/paymnts'\naction: receive\n",
			Prefer:  "channelPath: '{$sourceDescriptions.events.url}#/channels/payments'\naction: receive\n",
			Check:   checkChannelsExist,
		},
		{
			Name: "async-action-required", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step on an operation of AsyncAPI does not say whether it sends or receives.",
			Why: "The action is what the step does. The description's own action says what the application does, " +
				"which may be either side; nothing may be guessed.",
			Avoid:  "- stepId: paid\n  operationId: paymentChanged\n",
			Prefer: "- stepId: paid\n  operationId: paymentChanged\n  action: receive\n",
			Check:  checkAsyncActions,
		},
		{
			Name: "async-role-mixed", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A workflow both agrees with and opposes the actions of a description.",
			Why: "A description of AsyncAPI speaks for one application. A workflow that does what it does at one step, and " +
				"the opposite at another, plays both sides; most often one of the actions is a mistake.",
			Avoid:  "# the description: orderPlaced sends, orderRefused sends\n- {stepId: placed, operationId: orderPlaced, action: receive}\n- {stepId: refused, operationId: orderRefused, action: send}\n",
			Prefer: "- {stepId: placed, operationId: orderPlaced, action: receive}\n- {stepId: refused, operationId: orderRefused, action: receive}\n",
			Check:  checkAsyncRoles,
		},
	}
}

// workflowRules are about workflows that are called and depended on.
func workflowRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "workflow-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step or an expression names a workflow that is not there.",
			Why:     "There is nothing to call.",
			Avoid:   "- stepId: pay\n  workflowId: payOrdr\n",
			Prefer:  "- stepId: pay\n  workflowId: payOrder\n",
			Check:   checkWorkflowsExist,
		},
		{
			Name: "depends-on-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A workflow depends on one that is not there.",
			Why:     "It waits for what never runs.",
			Avoid:   "workflowId: order\ndependsOn: [logn]\n",
			Prefer:  "workflowId: order\ndependsOn: [login]\n",
			Check:   checkDependsOnExists,
		},
		{
			Name: "depends-on-acyclic", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "Workflows depend on each other in a circle, or one on itself.",
			Why:     "None of them could be the first to run.",
			Avoid:   "- workflowId: order\n  dependsOn: [login]\n- workflowId: login\n  dependsOn: [order]\n",
			Prefer:  "- workflowId: order\n  dependsOn: [login]\n- workflowId: login\n",
			Check:   checkDependsOnCircle,
		},
		{
			Name: "no-workflow-recursion", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A workflow calls itself, directly or through others, whatever happens.",
			Why: "Each call begins another one, and none ends. Where the flow can succeed without the call, " +
				"nothing is reported; nor are jumps to a workflow, which do not come back.",
			Avoid:  "- workflowId: order\n  steps:\n    - {stepId: pay, workflowId: payOrder}\n- workflowId: payOrder\n  steps:\n    - {stepId: order, workflowId: order}\n",
			Prefer: "- workflowId: order\n  steps:\n    - {stepId: pay, workflowId: payOrder}\n- workflowId: payOrder\n  steps:\n    - {stepId: pay, operationId: createPayment}\n",
			Check:  checkRecursion,
		},
		{
			Name: "workflow-name-clash", Layer: lint.Semantics, Severity: lint.Hint,
			Summary: "A workflow has the id of one in a source.",
			Why:     "workflowId: order means that of this document; a reader may think of the other.",
			Avoid:   "sourceDescriptions:\n  - {name: shared, url: shared.arazzo.yaml, type: arazzo} # has a workflow login\nworkflows:\n  - workflowId: login\n",
			Prefer:  "sourceDescriptions:\n  - {name: shared, url: shared.arazzo.yaml, type: arazzo}\nworkflows:\n  - workflowId: loginAsGuest\n",
			Check:   checkWorkflowClash,
		},
	}
}

// stepReferenceRules are about steps that are named elsewhere.
func stepReferenceRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "step-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression, x-weft-requery-of or x-weft-callback names a step that its workflow does not have.",
			Why:     "Steps are known within their workflow alone; the expression never has a value. The step of x-weft-callback must receive: the input is filled with its address.",
			Avoid:   "value: $steps.creteOrder.outputs.id\n",
			Prefer:  "value: $steps.createOrder.outputs.id\n",
			Check:   checkStepsExist,
		},
		{
			Name: "goto-target-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An action leads to a step that its workflow does not have, or to a workflow that is not there.",
			Why:     "The jump has no target. To go to another workflow, give its workflowId.",
			Avoid:   "- {name: ask, type: goto, stepId: requry}\n",
			Prefer:  "- {name: ask, type: goto, stepId: requery}\n",
			Check:   checkGotoTargets,
		},
		{
			Name: "step-depends-on-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step depends on one that is not there.",
			Why:     "It waits for what never runs.",
			Avoid:   "- stepId: pay\n  dependsOn: [creteOrder]\n",
			Prefer:  "- stepId: pay\n  dependsOn: [createOrder]\n",
			Check:   checkStepDependencies,
		},
		{
			Name: "step-depends-on-acyclic", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "Steps depend on each other in a circle, or one on itself.",
			Why:     "None of them could be the first to run. A step also depends on those whose outputs it uses.",
			Avoid:   "- stepId: create\n  dependsOn: [pay]\n- stepId: pay\n  dependsOn: [create]\n",
			Prefer:  "- stepId: create\n- stepId: pay\n  dependsOn: [create]\n",
			Check:   checkStepCircle,
		},
	}
}

// outputRules are about outputs and inputs that expressions name.
func outputRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "output-declared", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression names an output that its step does not declare.",
			Why:     "It never has a value. What a step gives on must stand among its outputs.",
			Avoid:   "- stepId: create\n  outputs: {id: $response.body#/id}\n- stepId: get\n  parameters: [{name: orderId, in: path, value: $steps.create.outputs.orderId}]\n",
			Prefer:  "- stepId: create\n  outputs: {id: $response.body#/id}\n- stepId: get\n  parameters: [{name: orderId, in: path, value: $steps.create.outputs.id}]\n",
			Check:   checkOutputsDeclared,
		},
		{
			Name: "output-available", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step uses an output of one that runs later, or sends what its own answer is to give.",
			Why: "There is no value yet. Nothing is reported where a jump leads back, so that a later round " +
				"has the output, nor where dependsOn gives the order. $response and $statusCode are those of the step " +
				"in hand, never of the one before, and what a step sends is made before it is answered.",
			Avoid:  "- stepId: pay\n  parameters: [{name: orderId, in: query, value: $steps.create.outputs.id}]\n- stepId: create\n",
			Prefer: "- stepId: create\n- stepId: pay\n  parameters: [{name: orderId, in: query, value: $steps.create.outputs.id}]\n",
			Check:  checkOutputsAvailable,
		},
		{
			Name: "workflow-output-declared", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression names an output that the workflow does not declare.",
			Why:     "It never has a value. What a workflow gives on must stand among its outputs. $outputs is what the workflow gives that the step calls.",
			Avoid:   "workflowId: login\noutputs: {token: $steps.login.outputs.token}\n# …\nvalue: $workflows.login.outputs.accessToken\n",
			Prefer:  "workflowId: login\noutputs: {token: $steps.login.outputs.token}\n# …\nvalue: $workflows.login.outputs.token\n",
			Check:   checkWorkflowOutputs,
		},
		{
			Name: "input-declared", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression names an input that the workflow does not declare.",
			Why: "Nothing says that a caller has to give it: a misspelt input is silently left out. References and allOf of " +
				"the inputs' schema are followed; where a part of it cannot be known, nothing is reported.",
			Avoid:  "inputs: {type: object, properties: {orderId: {type: string}}}\n# …\nvalue: $inputs.orderID\n",
			Prefer: "inputs: {type: object, properties: {orderId: {type: string}}}\n# …\nvalue: $inputs.orderId\n",
			Check:  checkInputsDeclared,
		},
	}
}

// componentRules are about what is shared within a document.
func componentRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "component-exists", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A reference names a component that is not there.",
			Why:     "What should stand there is missing.",
			Avoid:   "- reference: $components.failureActions.agian\n",
			Prefer:  "- reference: $components.failureActions.again\n",
			Check:   checkComponentsExist,
		},
		{
			Name: "component-kind", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A reference names a component that cannot stand there.",
			Why:     "A parameter is no action, and what to do after a success is not what to do after a failure.",
			Avoid:   "onFailure:\n  - reference: $components.successActions.done\n",
			Prefer:  "onFailure:\n  - reference: $components.failureActions.giveUp\n",
			Check:   checkComponentKinds,
		},
		{
			Name: "ref-resolves", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A $ref in the schema of inputs leads to nothing in the document.",
			Why:     "What the inputs have to be is not known, so nothing checks them.",
			Avoid:   "inputs: {$ref: '#/components/inputs/paeg'}\n",
			Prefer:  "inputs: {$ref: '#/components/inputs/page'}\n",
			Check:   checkRefs,
		},
	}
}
