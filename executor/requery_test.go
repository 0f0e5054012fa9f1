package executor_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// bankAPI has what requeries are mistaken about: paths that begin alike, answers
// that wrap lists, and reads of what was there before.
const bankAPI = `
openapi: 3.1.0
info: {title: Bank, version: "1"}
servers: [{url: "http://127.0.0.1:1"}]
paths:
  /v1/transfers:
    post: {operationId: transfer, responses: {"201": {description: created}}}
    get: {operationId: listTransfers, parameters: [{name: ref, in: query, schema: {type: string}}], responses: {"200": {description: ok}}}
  /v1/transfers/{ref}:
    parameters: [{name: ref, in: path, required: true, schema: {type: string}}]
    get: {operationId: getTransfer, responses: {"200": {description: ok}}}
    delete: {operationId: cancelTransfer, responses: {"200": {description: ok}}}
    patch: {operationId: changeTransfer, responses: {"200": {description: ok}}}
  /v1/accounts:
    get: {operationId: listAccounts, parameters: [{name: ref, in: query, schema: {type: string}}], responses: {"200": {description: ok}}}
  /v1/accounts/{ref}:
    parameters: [{name: ref, in: path, required: true, schema: {type: string}}]
    get: {operationId: getAccount, responses: {"200": {description: ok}}}
  /v1/accounts/{ref}/fees:
    parameters: [{name: ref, in: path, required: true, schema: {type: string}}]
    post: {operationId: charge, responses: {"201": {description: created}}}
`

// TestStatement10OnlyAReadOfWhatWasMadeSettlesIt: another collection, a change, or
// what was there before says nothing of the outcome.
func TestStatement10OnlyAReadOfWhatWasMadeSettlesIt(t *testing.T) {
	tests := []struct {
		name, lost, lostIn, ask, askIn string
		want                           executor.Status
	}{
		{"a list of the same collection", "transfer", "", "listTransfers", "query", executor.Recovered},
		{"one of the same collection", "transfer", "", "getTransfer", "path", executor.Recovered},
		{"a collection whose path begins alike", "transfer", "", "listAccounts", "query", executor.Unknown},
		{"a deletion", "transfer", "", "cancelTransfer", "path", executor.Unknown},
		{"what the change was made to", "changeTransfer", "path", "getTransfer", "path", executor.Unknown},
		{"what it belongs to", "charge", "path", "getAccount", "path", executor.Unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			flow := `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: lost
    operationId: $sourceDescriptions.bank.LOST
    PARAMETERS
    onFailure: [{name: ask, type: goto, stepId: ask}]
  - stepId: ask
    operationId: $sourceDescriptions.bank.ASK
    parameters: [{name: ref, in: ASKIN, value: $inputs.ref}]
`
			sent := "requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}"
			if test.lostIn != "" {
				sent = "parameters: [{name: ref, in: path, value: $inputs.ref}]"
			}
			flow = strings.NewReplacer("LOST", test.lost, "PARAMETERS", sent, "ASKIN", test.askIn, "ASK", test.ask).Replace(flow)
			got := flowTest{
				flow: flow, more: map[string]string{"#sources": ", {name: bank, url: bank.yaml, type: openapi}", "bank.yaml": bankAPI},
				runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
					if call.Operation.ID == test.lost {
						return lost()
					}
					return respond(200, []map[string]string{{"ref": "r1"}})
				}},
			}.run(t)
			if got.Status != test.want {
				t.Errorf("ended as %s (%s), want %s", got.Status, got.Reason, test.want)
			}
		})
	}
}

// TestStatement12WhatARequeryFinds: nothing is no proof right away, and a list
// that is wrapped and empty is no proof of anything.
func TestStatement12WhatARequeryFinds(t *testing.T) {
	type answer = map[string]any
	tests := []struct {
		name, ask, in string
		status        int
		body          any
		soon, late    executor.Status
	}{
		{"one", "getTransfer", "path", 200, answer{"id": "t1", "parts": []int{}}, executor.Recovered, executor.Recovered},
		{"not found", "getTransfer", "path", 404, answer{"title": "not found"}, executor.Unknown, executor.Recovered},
		{"a list", "listTransfers", "query", 200, []int{1}, executor.Recovered, executor.Recovered},
		{"an empty list", "listTransfers", "query", 200, []int{}, executor.Unknown, executor.Recovered},
		{"nothing", "listTransfers", "query", 200, nil, executor.Unknown, executor.Recovered},
		{"a wrapped list", "listTransfers", "query", 200, answer{"data": []int{1}, "errors": []int{}}, executor.Recovered, executor.Recovered},
		{"a wrapped list that is empty", "listTransfers", "query", 200, answer{"data": []int{}, "more": false}, executor.Unknown, executor.Unknown},
		{"one that is wrapped twice", "listTransfers", "query", 200, answer{"result": answer{"items": []int{}}}, executor.Unknown, executor.Unknown},
	}
	for _, test := range tests {
		for after, want := range map[time.Duration]executor.Status{time.Second: test.soon, time.Minute: test.late} {
			t.Run(test.name+" after "+after.String(), func(t *testing.T) {
				flow := `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: lost
    operationId: transfer
    requestBody: {contentType: application/json, payload: {ref: $inputs.ref}}
    onFailure: [{name: ask, type: goto, stepId: ask}]
  - stepId: ask
    operationId: ASK
    parameters: [{name: ref, in: IN, value: $inputs.ref}]
    successCriteria: [{condition: $statusCode != 503}]
    onFailure: [{name: again, type: retry}]
`
				flow = strings.NewReplacer("ASK", "$sourceDescriptions.bank."+test.ask, "IN", test.in, "operationId: transfer", "operationId: $sourceDescriptions.bank.transfer").Replace(flow)
				got := flowTest{
					flow: flow, more: map[string]string{"#sources": ", {name: bank, url: bank.yaml, type: openapi}", "bank.yaml": bankAPI},
					runtime: &script{answer: func(call executor.Call, n int) executor.Exchange {
						switch {
						case call.Operation.ID == "transfer":
							return lost()
						case n == 1:
							return respond(503, nil, "Retry-After", strconv.Itoa(int(after.Seconds())))
						default:
							return respond(test.status, test.body)
						}
					}},
				}.run(t)
				if got.Status != want {
					t.Errorf("ended as %s (%s), want %s", got.Status, got.Reason, want)
				}
			})
		}
	}
}

// TestStatement10AReadThatTheConfigurationKnowsSettlesToo: a POST that searches.
func TestStatement10AReadThatTheConfigurationKnowsSettlesToo(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  inputs: {type: object, properties: {ref: {type: string, default: r1}}}
  steps:
  - stepId: pay
    operationId: pay
    requestBody: {payload: {ref: $inputs.ref}}
    onFailure: [{name: ask, type: goto, stepId: ask}]
  - {stepId: ask, operationId: $sourceDescriptions.shop.searchPayments, parameters: [{name: ref, in: query, value: $inputs.ref}]}
`
	api := strings.Replace(shopAPI, "  /tick:", "  /payments/search:\n    post: {operationId: searchPayments, responses: {\"200\": {description: ok}}}\n  /tick:", 1)
	for mark, want := range map[string]executor.Status{idempotency.MarkRead: executor.Recovered, idempotency.MarkIdempotent: executor.Unknown} {
		config := executor.Config{Sources: map[string]executor.SourceConfig{"shop": {Effects: map[string]string{"searchPayments": mark}}}}
		got := flowTest{flow: flow, more: map[string]string{"shop.yaml": api}, config: config, runtime: &script{answer: func(call executor.Call, _ int) executor.Exchange {
			if call.Operation.ID == "pay" {
				return lost()
			}
			return respond(200, []int{1})
		}}}.run(t)
		if got.Status != want {
			t.Errorf("%s: ended as %s (%s), want %s", mark, got.Status, got.Reason, want)
		}
	}
}
