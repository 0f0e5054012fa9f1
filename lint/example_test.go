package lint_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// A document from memory is linted under all rules. Its path says where its sources
// are looked for, and need not exist.
func ExampleRun() {
	document := []byte(`arazzo: 1.0.1
info: {title: Orders, version: 1.0.0}
sourceDescriptions: [{name: orders, url: testdata/shop.openapi.yaml, type: openapi}]
workflows:
  - workflowId: placeOrder
    steps:
      - stepId: create
        operationId: createOrder
        successCriteria: [{condition: $statusCode == 201}]
        onFailure:
          - name: again
            type: retry
            retryAfter: 2
            retryLimit: 3
            criteria: [{condition: $statusCode == 503}]
        outputs: {id: $response.body.id}
`)
	result, err := lint.Run(context.Background(),
		[]lint.Input{{Path: "orders.arazzo.yaml", Data: document}},
		lint.Options{Rules: rules.All(), Loader: source.NewLoader(source.Options{Offline: true})},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, file := range result.AtLeast(lint.Warn).Files {
		for _, d := range file.Diagnostics {
			fmt.Printf("%s:%d:%d %s %s: %s\n", d.File, d.Span.Start.Line, d.Span.Start.Column, d.Severity, d.Rule, d.Message)
		}
		for _, missing := range file.Incomplete {
			fmt.Printf("%s: not checked: %s\n", file.Path, missing.What)
		}
	}
	// Output:
	// orders.arazzo.yaml:11:19 error retry-safe: createOrder is sent again after 503, when nobody knows whether it was done; no key that the API honours prevents a second effect
	// orders.arazzo.yaml:16:23 warn dotted-body: $response.body.id is no runtime expression, write $response.body#/id
}

// A rule of one's own is a value like those of the list: it looks at the document,
// with everything resolved, and reports what it finds.
func ExampleRule() {
	described := lint.Rule{
		Name: "step-described", Layer: lint.Semantics, Severity: lint.Warn,
		Summary: "A step that changes something has no description.",
		Why:     "Whoever is woken at night reads it first.",
		Avoid:   "- stepId: pay\n  operationId: requestPayment\n",
		Prefer:  "- stepId: pay\n  description: Asks the provider for the whole sum.\n  operationId: requestPayment\n",
		Check: func(p *lint.Pass) {
			for _, s := range p.Steps() {
				if e := s.Effect(); e != nil && e.Effectful && s.Model.Node.Get("description") == nil {
					p.Reportf(lint.At(s.Model.StepID.Node), "step %s changes something and says nothing about it", s.ID())
				}
			}
		},
	}
	all := append(slices.Clone(rules.All()), described)
	if err := lint.CheckRules(all); err != nil {
		fmt.Println(err)
		return
	}
	document := []byte(`arazzo: 1.0.1
info: {title: Orders, version: 1.0.0}
sourceDescriptions: [{name: orders, url: testdata/shop.openapi.yaml, type: openapi}]
workflows:
  - workflowId: placeOrder
    steps:
      - stepId: create
        operationId: createOrder
`)
	result, err := lint.Run(context.Background(), []lint.Input{{Path: "orders.arazzo.yaml", Data: document}}, lint.Options{
		Rules:  all,
		Loader: source.NewLoader(source.Options{Offline: true}),
		Config: lint.Config{Rules: map[string]lint.RuleConfig{"step-described": {Severity: lint.Error}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range result.Files[0].Diagnostics {
		if d.Rule == described.Name {
			fmt.Printf("%d:%d %s: %s\n", d.Span.Start.Line, d.Span.Start.Column, d.Severity, d.Message)
		}
	}
	// Output:
	// 7:17 error: step create changes something and says nothing about it
}
