package rules_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSentMessages holds that what a step sends over a channel is held against the
// headers, the payload and the address that are described, of the leg that it takes.
func TestSentMessages(t *testing.T) {
	const desk = `asyncapi: 3.0.0
info: {title: Desk, version: 1.0.0}
servers: {main: {host: mq.example, protocol: amqp}}
channels:
  jobs:
    address: 'jobs.{shop}'
    parameters: {shop: {enum: [north, south]}}
    messages: {job: {$ref: '#/components/messages/job'}}
  answers: {address: null, messages: {answer: {$ref: '#/components/messages/answer'}}}
operations:
  doJob:
    action: send
    channel: {$ref: '#/channels/jobs'}
    reply: {channel: {$ref: '#/channels/answers'}}
components:
  messages:
    job:
      correlationId: {location: '$message.header#/ref'}
      headers: {type: object, required: [ref, Content-Type], properties: {ref: {type: string}, level: {type: integer}, kind: {enum: [fast, slow]}}}
      payload: {type: object, required: [task], properties: {task: {type: string, enum: [scan, print]}}}
    answer:
      correlationId: {location: '$message.header#/ref'}
      headers: {type: object, properties: {ref: {type: string}}}
      payload: {type: object, additionalProperties: false, properties: {ok: {type: boolean}}}
`
	const shop = "parameters:\n  - {name: shop, in: channel, value: north}\n"
	const ref = "  - {name: ref, in: header, value: $inputs.b}\n"
	send := func(fields string) string {
		return "- stepId: send\n  operationId: doJob\n  action: send\n  timeout: 1000\n" + indent(fields, 2)
	}
	receive := func(condition string) string {
		return "- stepId: receive\n  operationId: doJob\n  action: receive\n  timeout: 1000\n  correlationId: $inputs.b\n  successCriteria: [{condition: " + condition + "}]\n"
	}
	const scan = "requestBody: {payload: {task: scan}}\n"
	for _, test := range []struct {
		name, steps string
		want        []string
	}{
		{"as described", send(shop+ref+"  - {name: level, in: header, value: '2'}\n  - {name: kind, in: header, value: slow}\n"+scan) + receive("$message.payload#/ok == true"), nil},
		{"a header that is missing", send(shop + scan), []string{`parameter-required: the message of operation "doJob" needs the header "ref", which the step does not give`}},
		{"a header that is none of those listed", send(shop + ref + "  - {name: kind, in: header, value: quick}\n" + scan),
			[]string{`parameter-schema: the header "kind" of the message of operation "doJob" is never "quick"; it is one of: fast, slow`}},
		{"a header that is no number", send(shop + ref + "  - {name: level, in: header, value: high}\n" + scan),
			[]string{`parameter-schema: the header "level" of the message of operation "doJob" is an integer, not "high"`}},
		{"a place that a message has not", send(shop + ref + "  - {name: level, in: query, value: 2}\n" + scan),
			[]string{`parameter-location: the message of operation "doJob" has no query; write header, or channel for a part of the address`}},
		{"a part of the address that is none of those listed", send("parameters:\n  - {name: shop, in: channel, value: west}\n" + ref + scan),
			[]string{`parameter-schema: the parameter "shop" of the channel of operation "doJob" is never "west"; it is one of: north, south`}},
		{"no payload", send(shop + ref), []string{`body-required: the message of operation "doJob" needs a payload, which the step does not send`}},
		{"a payload of the request", send(shop + ref + "requestBody: {payload: {task: fax}}\n"),
			[]string{`payload-schema: the body of operation "doJob": expected one of scan, print`}},
		{"a payload of the answer", send(shop+ref+scan) + receive("$message.payload#/okay == true"),
			[]string{`response-path: the message of operation "doJob" has no "okay"; it has: ok`}},
		{"a leg that is not known", receive("$message.payload#/task == 'fax'"), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			document := "arazzo: 1.1.0\ninfo: {title: T, version: 1.0.0}\nsourceDescriptions: [{name: desk, url: desk.yaml, type: asyncapi}]\n" +
				"workflows:\n  - workflowId: w\n    inputs: {type: object, properties: {b: {type: string}}}\n    steps:\n" + indent(test.steps, 6)
			for name, text := range map[string]string{"w.arazzo.yaml": document, "desk.yaml": desk} {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, d := range lintFile(t, filepath.Join(folder, "w.arazzo.yaml")).Files[0].Diagnostics {
				if slices.Contains(aroundAPI, d.Rule) || d.Rule == "schema" || d.Rule == "source-loads" {
					got = append(got, fmt.Sprintf("%s: %s", d.Rule, d.Message))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s\n%s", diff, document)
			}
		})
	}
}
