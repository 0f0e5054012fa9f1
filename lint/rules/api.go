package rules

import (
	"slices"

	"github.com/weft-flow/weft/lint"
)

// apiRules hold what a step sends and reads against the description of the API.
func apiRules() []lint.Rule {
	return slices.Concat(apiParameterRules(), apiBodyRules(), apiValueRules(), apiResponseRules())
}

// apiParameterRules are about which parameters a step gives an operation.
func apiParameterRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "parameter-known", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step gives a parameter that the operation does not declare.",
			Why: "The API ignores it, or refuses the request: mostly the name is misspelt. Never reported are headers " +
				"that HTTP itself gives a meaning, keys of idempotency, and what security schemes name.",
			Avoid:  "operationId: listItems\nparameters:\n  - {name: pgae, in: query, value: 2}\n",
			Prefer: "operationId: listItems\nparameters:\n  - {name: page, in: query, value: 2}\n",
			Check:  checkParametersKnown,
		},
		{
			Name: "parameter-location", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step gives a parameter in another place than the operation takes it from.",
			Why:     "The API looks for it in the place that it declares, and does not find it. A message has headers and an address; a query it has over HTTP and WebSocket alone.",
			Avoid:   "operationId: getOrder # /orders/{orderId}\nparameters:\n  - {name: orderId, in: query, value: $inputs.orderId}\n",
			Prefer:  "operationId: getOrder\nparameters:\n  - {name: orderId, in: path, value: $inputs.orderId}\n",
			Check:   checkParameterLocations,
		},
		{
			Name: "parameter-required", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step does not give a parameter that the operation requires.",
			Why: "The API refuses the request; without a path parameter there is no address to send it to. Where the " +
				"successCriteria expect a 4xx this may be what is tested: then it is a warning. The same holds for the " +
				"headers of a message.",
			Avoid:  "operationId: getOrder # /orders/{orderId}\n",
			Prefer: "operationId: getOrder\nparameters:\n  - {name: orderId, in: path, value: $inputs.orderId}\n",
			Check:  checkParametersRequired,
		},
	}
}

// apiBodyRules are about whether and as what a step sends a body.
func apiBodyRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "content-type-known", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step sends a body of a content type that the operation does not take.",
			Why: "The API cannot read it, and mostly answers 415. Without a contentType the only one that the operation " +
				"takes is sent, else JSON.",
			Avoid:  "operationId: createOrder # takes application/json\nrequestBody:\n  contentType: application/xml\n  payload: <order/>\n",
			Prefer: "operationId: createOrder\nrequestBody:\n  contentType: application/json\n  payload: {itemId: $inputs.itemId}\n",
			Check:  checkContentTypes,
		},
		{
			Name: "body-required", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "A step sends no body, and the operation requires one.",
			Why: "The API refuses the request. Where the successCriteria expect a 4xx this may be what is tested: then " +
				"it is a warning.",
			Avoid:  "operationId: createOrder\n",
			Prefer: "operationId: createOrder\nrequestBody:\n  contentType: application/json\n  payload: {itemId: $inputs.itemId}\n",
			Check:  checkBodiesRequired,
		},
		{
			Name: "body-not-allowed", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A step sends a body, and the operation describes none.",
			Why:     "The API ignores it, or refuses the request: mostly the body belongs to another step.",
			Avoid:   "operationId: getOrder\nrequestBody:\n  payload: {itemId: $inputs.itemId}\n",
			Prefer:  "operationId: getOrder\n",
			Check:   checkBodiesAllowed,
		},
	}
}

// apiValueRules are about the values that a step sends.
func apiValueRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "parameter-schema", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "The constant value of a parameter is none that the operation takes.",
			Why: "The API refuses it in every run. A value that can be written as one that fits, such as 5 for a text, " +
				"is not reported.",
			Avoid:  "operationId: listItems # sort is one of name, price\nparameters:\n  - {name: sort, in: query, value: weight}\n",
			Prefer: "operationId: listItems\nparameters:\n  - {name: sort, in: query, value: price}\n",
			Check:  checkParameterValues,
		},
		{
			Name: "payload-schema", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "What is constant in a payload breaks the schema of the operation's body.",
			Why: "The API refuses it in every run. Properties that an open schema does not name are not reported. " +
				"Expressions in the payload may become anything that their own schemas allow.",
			Avoid:  "requestBody:\n  payload:\n    itemId: $inputs.itemId\n    quantity: none # an integer\n",
			Prefer: "requestBody:\n  payload:\n    itemId: $inputs.itemId\n    quantity: 0\n",
			Check:  checkPayloads,
		},
		{
			Name: "type-flow", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression gives a value that cannot be what it is passed as.",
			Why: "By the schemas of both ends no value fits: a boolean is no integer, however it is written. A text may " +
				"write a number, so it can be given for the number of a parameter, but not within JSON.",
			Avoid:  "inputs: {type: object, properties: {all: {type: boolean}}}\n# …\nparameters:\n  - {name: limit, in: query, value: $inputs.all} # an integer\n",
			Prefer: "inputs: {type: object, properties: {limit: {type: integer}}}\n# …\nparameters:\n  - {name: limit, in: query, value: $inputs.limit}\n",
			Check:  checkTypeFlow,
		},
	}
}

// apiResponseRules are about what a step reads of the response.
func apiResponseRules() []lint.Rule {
	return []lint.Rule{
		{
			Name: "response-has-body", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression reads the body of a response that has none.",
			Why: "It never has a value. Where the status allows a body, and it is merely not described, this is a " +
				"warning. A step that receives has a message, $message, and no response.",
			Avoid:  "operationId: deleteOrder # answers 204\noutputs:\n  status: $response.body#/status\n",
			Prefer: "operationId: getOrder\noutputs:\n  status: $response.body#/status\n",
			Check:  checkBodiesRead,
		},
		{
			Name: "response-path", Layer: lint.Semantics, Severity: lint.Error,
			Summary: "An expression leads to a place that the response does not have.",
			Why: "It never has a value. Where the schema of the response is open, the place may be there without being " +
				"described, and this is a warning.",
			Avoid:  "operationId: getOrder\noutputs:\n  total: $response.body#/totl\n",
			Prefer: "operationId: getOrder\noutputs:\n  total: $response.body#/total\n",
			Check:  checkResponsePaths,
		},
		{
			Name: "response-header", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "An expression reads a header that the response is not described with.",
			Why: "It probably has no value: mostly the name is misspelt, or another status has the header. Headers that " +
				"HTTP itself gives a meaning are not reported.",
			Avoid:  "outputs:\n  next: $response.header.X-Next\n",
			Prefer: "outputs:\n  next: $response.header.X-Next-Page\n",
			Check:  checkHeadersRead,
		},
		{
			Name: "status-declared", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A criterion waits for a status that the operation does not describe.",
			Why: "It probably never comes. Statuses that any server or gateway may give, such as 401, 429 and 5xx, are " +
				"not reported.",
			Avoid:  "operationId: createOrder # answers 201\nsuccessCriteria:\n  - condition: $statusCode == 202\n",
			Prefer: "operationId: createOrder\nsuccessCriteria:\n  - condition: $statusCode == 201\n",
			Check:  checkStatuses,
		},
		{
			Name: "enum-value", Layer: lint.Semantics, Severity: lint.Warn,
			Summary: "A value is compared with one that it never has.",
			Why: "The schema lists the possible values, and this is none of them: the comparison is always the same. " +
				"Letters in upper or lower case make no difference.",
			Avoid:  "- condition: $response.body#/status == 'CANCELED'\n",
			Prefer: "- condition: $response.body#/status == 'CANCELLED'\n",
			Check:  checkEnumValues,
		},
	}
}
