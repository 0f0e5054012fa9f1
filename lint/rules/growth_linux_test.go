package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// growthShapes are documents of which one thing is there n times.
var growthShapes = []struct {
	name string
	make func(n int) growing
}{
	{"steps", growSteps},
	{"steps that refer to what is not there", growLostSteps},
	{"jumps", growJumps},
	{"jumps back", growJumpsBack},
	{"actions of a step", growActions},
	{"actions of a workflow", growSharedActions},
	{"criteria", growCriteria},
	{"operands of a condition", growCondition},
	{"expressions in a text", growText},
	{"workflows", growWorkflows},
	{"calls of workflows", growCalls},
	{"chains of calls", growChains},
	{"inputs", growInputs},
	{"inputs by reference", growInputReferences},
	{"schemas in schemas", growAllOf},
	{"properties of a payload", growPayload},
	{"operations", growOperations},
	{"channels", growChannels},
	{"components", growComponents},
	{"parameters", growParameters},
	{"outputs", growOutputs},
	{"sources", growSources},
	{"comments", growComments},
	{"states", growStates},
}

// growing is a document, and what it has for source.
type growing struct{ document, api string }

// few is how many things the smaller document has, and growth how many times as many
// the larger one.
const few, growth = 400, 4

// BenchmarkGrowth tells of each shape how many times as long the rule takes over four
// times as much for which that is most: about 4 is well, 16 is a rule that holds each
// thing against each other.
func BenchmarkGrowth(b *testing.B) {
	for _, shape := range growthShapes {
		b.Run(shape.name, func(b *testing.B) {
			small, large := newDocumentOf(b, shape.make(few)), newDocumentOf(b, shape.make(growth*few))
			for b.Loop() {
				small.measure(b)
				large.measure(b)
			}
			rule, most := small.against(large)
			b.ReportMetric(most, "times-as-long")
			b.Logf("%s: %v and %v", rule, small.took[rule], large.took[rule])
		})
	}
}

// TestGrownDocumentsCanBeRead holds that the benchmark measures the rules, and not a
// document that is refused.
func TestGrownDocumentsCanBeRead(t *testing.T) {
	for _, shape := range growthShapes {
		t.Run(shape.name, func(t *testing.T) { newDocumentOf(t, shape.make(growth)).measure(t) })
	}
}

// measured is a document with the least time that each rule has taken over it.
type measured struct {
	input lint.Input
	took  map[string]time.Duration
}

func newDocumentOf(t testing.TB, g growing) *measured {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "api.yaml"), []byte(g.api), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "grown.arazzo.yaml")
	return &measured{lint.Input{Path: path, Data: []byte(g.document)}, make(map[string]time.Duration)}
}

// measure lints the document once more. The time is that of the processor.
func (m *measured) measure(t testing.TB) {
	t.Helper()
	took := make(map[string]time.Duration)
	all := rules.All()
	for i := range all {
		name, check := all[i].Name, all[i].Check
		if check == nil {
			continue
		}
		all[i].Check = func(p *lint.Pass) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			start := processorTime(t)
			check(p)
			took[name] += processorTime(t) - start
		}
	}
	linter := lint.New(lint.Options{Rules: all, Loader: source.NewLoader(source.Options{Offline: true})})
	result, err := linter.Run(context.Background(), []lint.Input{m.input})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Files[0].Diagnostics {
		if d.Layer == lint.Schema || d.Rule == "source-loads" {
			t.Fatalf("%v: %s: %s", d.Span.Start, d.Rule, d.Message)
		}
	}
	for name, d := range took {
		if before, known := m.took[name]; !known || d < before {
			m.took[name] = d
		}
	}
}

// against tells which rule takes most times as long over a larger document, and how
// many times. What is short is not judged.
func (m *measured) against(larger *measured) (rule string, most float64) {
	const short = 5 * time.Millisecond
	for name, took := range larger.took {
		if ratio := float64(took) / float64(max(m.took[name], short)); ratio > most {
			rule, most = name, ratio
		}
	}
	return rule, most
}

// processorTime gives how long the thread has had the processor.
func processorTime(t testing.TB) time.Duration {
	const ofThread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(ofThread, &used); err != nil {
		t.Error(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

const growHead = "arazzo: 1.1.0\ninfo: {title: T, version: 1.0.0}\nsourceDescriptions: [{name: api, url: ./api.yaml, type: openapi}]\n"

// growReading is the step of a workflow that has one alone.
const growReading = `  steps:
  - stepId: s
    operationId: read
    parameters: [{name: id, in: path, value: $inputs.id}]
`

const growAPI = `openapi: 3.1.0
info: {title: T, version: 1.0.0}
paths:
  /things:
    post:
      operationId: make
      parameters: [{name: Idempotency-Key, in: header, required: true, schema: {type: string}}]
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses:
        '201': {description: Made., content: {application/json: {schema: {type: object, properties: {id: {type: string}, status: {type: string, enum: [OPEN, DONE]}}}}}}
        '503': {description: Later.}
  /things/{id}:
    get:
      operationId: read
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: It., content: {application/json: {schema: {type: object, properties: {id: {type: string}, status: {type: string, enum: [OPEN, DONE]}}}}}}
        '404': {description: None.}
`

// repeat writes a piece n times, with %[1]d for its number and %[2]d for the one before.
func repeat(n int, piece string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, piece, i, max(i-1, 0))
	}
	return b.String()
}

const growWorkflow = "workflows:\n- workflowId: w\n  inputs: {type: object, properties: {id: {type: string}}}\n"

func growSteps(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" +
		"  - {stepId: s0, operationId: read, parameters: [{name: id, in: path, value: $inputs.id}], outputs: {id: $response.body#/id}}\n" +
		repeat(n, `  - stepId: t%[1]d
    operationId: make
    timeout: 3000
    dependsOn: [s0]
    parameters:
    - {name: Idempotency-Key, in: header, value: 'a-%[1]d-{$inputs.id}'}
    requestBody: {contentType: application/json, payload: {name: 'a {$steps.s0.outputs.id} $inputs.id b'}}
    successCriteria:
    - condition: $statusCode == 201
    - condition: $response.body#/status == 'OPEN'
    onFailure:
    - {name: again, type: retry, retryAfter: 1, retryLimit: 3, criteria: [{condition: $statusCode == 503}]}
    outputs: {id: $response.body#/id}
`) + "  outputs: {id: $steps.t1.outputs.id}\n", growAPI}
}

func growLostSteps(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" + repeat(n, `  - stepId: step%[1]d
    operationId: reed
    parameters: [{name: id, in: path, value: $steps.stepp%[1]d.outputs.id}, {name: idd, in: path, value: $inputs.idd%[1]d}]
    onFailure: [{name: a, type: goto, stepId: stap%[1]d, criteria: [{condition: $statusCode == 404}]}]
    outputs: {id: $response.body#/id}
`), growAPI}
}

func growJumps(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" + repeat(n, `  - stepId: s%[1]d
    operationId: read
    parameters: [{name: id, in: path, value: $inputs.id}]
    onFailure: [{name: back, type: goto, stepId: s%[2]d, criteria: [{condition: $statusCode == 404}]}]
`), growAPI}
}

func growJumpsBack(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" + repeat(n, `  - stepId: s%[1]d
    operationId: make
    parameters: [{name: Idempotency-Key, in: header, value: $inputs.id}]
    onSuccess: [{name: back, type: goto, stepId: s0, criteria: [{condition: $response.body#/status == 'OPEN'}]}]
    onFailure: [{name: back, type: goto, stepId: s0}]
`), growAPI}
}

func growActions(n int) growing {
	return growing{growHead + growWorkflow + growReading + `    onFailure:
` + repeat(n, "    - {name: a%[1]d, type: end, criteria: [{condition: $response.body#/n == %[1]d}]}\n") + `    onSuccess:
` + repeat(n, "    - {name: b%[1]d, type: goto, stepId: s, criteria: [{condition: $response.body#/status == 'OPEN' && $response.body#/n == %[1]d}]}\n"), growAPI}
}

func growSharedActions(n int) growing {
	return growing{growHead + growWorkflow + growReading + `  failureActions:
` + repeat(n, "  - {name: a%[1]d, type: retry, retryLimit: 2, retryAfter: 1, criteria: [{condition: $statusCode == 503 && $response.header.X-A == '%[1]d'}]}\n"), growAPI}
}

func growCriteria(n int) growing {
	return growing{growHead + growWorkflow + growReading + `    successCriteria:
` + repeat(n, "    - condition: $response.body#/a%[1]d == 1\n    - condition: $response.body#/b != %[1]d\n    - {context: $response.body, type: jsonpath, condition: '$[?@.a%[1]d == 1]'}\n"), growAPI}
}

func growCondition(n int) growing {
	return growing{growHead + growWorkflow + growReading + `    successCriteria:
    - condition: >-
        $statusCode == 200
` + repeat(min(n, 400), "        || $response.body#/a%[1]d == 1\n") + `    - condition: >-
        $statusCode == 200
` + repeat(min(n, 400), "        && $response.body#/b != %[1]d\n"), growAPI}
}

func growText(n int) growing {
	return growing{growHead + growWorkflow + `  steps:
  - stepId: s
    operationId: make
    parameters: [{name: Idempotency-Key, in: header, value: $inputs.id}]
    requestBody:
      contentType: application/json
      payload:
        name: >-
` + repeat(n, "          a {$inputs.id} $inputs.id {$inputs.none%[1]d} ${inputs.id}\n"), growAPI}
}

func growWorkflows(n int) growing {
	return growing{growHead + "workflows:\n" + repeat(n, `- workflowId: w%[1]d
  inputs: {type: object, properties: {id: {type: string}}}
  steps:
  - stepId: s
    operationId: read
    parameters: [{name: id, in: path, value: $inputs.id}]
    onFailure: [{name: on, type: goto, workflowId: w%[2]d, criteria: [{condition: $statusCode == 404}]}]
    outputs: {id: $response.body#/id}
  outputs: {id: $steps.s.outputs.id}
`), growAPI}
}

func growCalls(n int) growing {
	return growing{growHead + growWorkflow + `  steps:
  - stepId: s
    operationId: make
    parameters: [{name: Idempotency-Key, in: header, value: $inputs.id}]
    outputs: {id: $response.body#/id}
  outputs: {id: $steps.s.outputs.id}
` + repeat(n, `- workflowId: w%[1]d
  dependsOn: [w]
  inputs: {type: object, properties: {id: {type: string}}}
  steps:
  - stepId: s
    workflowId: w
    parameters: [{name: id, value: $inputs.id}]
    onFailure: [{name: a, type: retry, retryLimit: 2, retryAfter: 1}]
    outputs: {id: $outputs.id}
  outputs: {id: $steps.s.outputs.id}
`), growAPI}
}

func growChains(n int) growing {
	const call = `- workflowId: w%[1]d
  dependsOn: [w%[2]d]
  inputs: {type: object, properties: {id: {type: string}, other: {type: string}}}
  steps:
  - stepId: s
    workflowId: w%[2]d
    parameters: [{name: id, value: $inputs.id}]
    onFailure: [{name: a, type: retry, retryLimit: 2, retryAfter: 1}]
    outputs: {id: $outputs.id}
  outputs: {id: $steps.s.outputs.id}
`
	first := strings.Replace(growWorkflow, "workflowId: w", "workflowId: w0", 1) + `  steps:
  - stepId: s
    operationId: make
    parameters: [{name: Idempotency-Key, in: header, value: $inputs.id}]
    outputs: {id: $response.body#/id}
  outputs: {id: $steps.s.outputs.id}
`
	return growing{growHead + first + repeat(n, call)[len(fmt.Sprintf(call, 0, 0)):], growAPI}
}

func growInputs(n int) growing {
	return growing{growHead + "workflows:\n- workflowId: w\n  inputs:\n    type: object\n    required: [id0]\n    properties:\n" +
		repeat(n, "      id%[1]d: {type: string, default: a, pattern: '^[a-z]+$'}\n") + "  steps:\n  - stepId: s\n    operationId: make\n    requestBody: {contentType: application/json, payload: [" +
		repeat(n, "$inputs.id%[1]d, $inputs.di%[1]d, ") + "a]}\n", growAPI}
}

func growInputReferences(n int) growing {
	n /= 4 // what compiles schemas takes long over one of very many parts
	return growing{growHead + "workflows:\n- workflowId: w\n  inputs:\n    allOf:\n" +
		repeat(n, "    - {$ref: '#/components/inputs/i%[1]d'}\n") + `  steps:
  - stepId: s
    operationId: read
    parameters: [{name: id, in: path, value: $inputs.id1}]
components:
  inputs:
` + repeat(n, "    i%[1]d: {type: object, required: [id%[1]d], properties: {id%[1]d: {type: string}}}\n"), growAPI}
}

func growAllOf(n int) growing {
	return growing{growHead + growWorkflow + `  steps:
  - stepId: s
    operationId: make
    requestBody: {contentType: application/json, payload: {a0: 1, name: $inputs.id}}
    successCriteria: [{condition: $response.body#/a0 == 1}]
    outputs: {a: $response.body#/b}
`, `openapi: 3.1.0
info: {title: T, version: 1.0.0}
paths:
  /things:
    post:
      operationId: make
      requestBody: {content: {application/json: {schema: {allOf: [` + repeat(n, "{$ref: '#/components/schemas/s%[1]d'}, ") + `{type: object}]}}}}
      responses:
        '201': {description: Made., content: {application/json: {schema: {oneOf: [` + repeat(n, "{$ref: '#/components/schemas/s%[1]d'}, ") + `{type: object}]}}}}
components:
  schemas:
` + repeat(n, "    s%[1]d: {type: object, properties: {a%[1]d: {type: integer}}}\n")}
}

func growPayload(n int) growing {
	return growing{growHead + growWorkflow + `  steps:
  - stepId: s
    operationId: make
    parameters: [{name: Idempotency-Key, in: header, value: $inputs.id}]
    requestBody:
      contentType: application/json
      payload:
        name: a
        list:
` + repeat(n, "        - {name: $inputs.id, a%[1]d: 'b {$inputs.id}', token: x%[1]d}\n") + repeat(n, "        p%[1]d: $inputs.id\n") + `      replacements:
` + repeat(n, "      - {target: /list/%[1]d, value: $inputs.id}\n"), growAPI}
}

func growOperations(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" + repeat(n, `  - {stepId: s%[1]d, operationId: read%[1]d, parameters: [{name: id, in: path, value: $inputs.id}]}
  - {stepId: t%[1]d, operationId: make%[1]d, requestBody: {payload: {name: $inputs.id}}}
`), "openapi: 3.1.0\ninfo: {title: T, version: 1.0.0}\npaths:\n" + repeat(n, `  /things%[1]d:
    post:
      operationId: make%[1]d
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses:
        '201': {description: Made., content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
  /things%[1]d/{id}:
    get:
      operationId: read%[1]d
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: It., content: {application/json: {schema: {type: object, properties: {id: {type: string}}}}}}
`)}
}

func growChannels(n int) growing {
	return growing{strings.Replace(growHead, "openapi", "asyncapi", 1) + growWorkflow + "  steps:\n" + repeat(n, `  - stepId: s%[1]d
    channelPath: '{$sourceDescriptions.api.url}#/channels/c%[1]d'
    action: receive
    timeout: 1000
    correlationId: $inputs.id
    successCriteria: [{condition: $message.payload#/status == 'DONE'}]
    outputs: {a: $message.payload#/id}
  - stepId: t%[1]d
    operationId: op%[1]d
    action: send
    requestBody: {payload: {id: $inputs.id}}
`), "asyncapi: 3.0.0\ninfo: {title: T, version: 1.0.0}\nservers: {bus: {host: bus.example, protocol: nats}}\nchannels:\n" + repeat(n, `  c%[1]d:
    address: a.c%[1]d
    messages: {m: {payload: {type: object, properties: {id: {type: string}, status: {type: string}}}}}
`) + "operations:\n" + repeat(n, "  op%[1]d: {action: receive, channel: {$ref: '#/channels/c%[1]d'}}\n")}
}

func growComponents(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" + repeat(n, `  - stepId: s%[1]d
    operationId: read
    parameters: [{reference: $components.parameters.p%[1]d}, {reference: $components.parameters.none%[1]d}]
    onFailure: [{reference: $components.failureActions.f%[1]d}]
`) + "components:\n  parameters:\n" + repeat(n, "    p%[1]d: {name: id, in: path, value: $inputs.id}\n    u%[1]d: {name: id, in: path, value: a}\n") +
		"  failureActions:\n" + repeat(n, "    f%[1]d: {name: f%[1]d, type: retry, retryLimit: 1, retryAfter: 1, criteria: [{condition: $statusCode == 503}]}\n") +
		"  inputs:\n" + repeat(n, "    i%[1]d: {type: object}\n"), growAPI}
}

func growParameters(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n  - stepId: s\n    operationId: read\n    parameters:\n" +
		repeat(n, "    - {name: q%[1]d, in: query, value: $inputs.id}\n") + "  parameters:\n" + repeat(n, "  - {name: q%[1]d, in: header, value: $inputs.id}\n"), growAPI}
}

func growOutputs(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n  - stepId: s\n    operationId: read\n    parameters: [{name: id, in: path, value: $inputs.id}]\n    outputs:\n" +
		repeat(n, "      o%[1]d: $response.body#/id\n") + "  outputs:\n" + repeat(n, "    o%[1]d: $steps.s.outputs.o%[1]d\n    p%[1]d: $steps.s.outputs.p%[1]d\n"), growAPI}
}

func growSources(n int) growing {
	return growing{strings.Replace(growHead, "[{name: api, url: ./api.yaml, type: openapi}]", "\n"+repeat(n, "- {name: api%[1]d, url: ./api.yaml, type: openapi}\n"), 1) + growWorkflow +
		"  steps:\n" + repeat(n, "  - {stepId: s%[1]d, operationId: $sourceDescriptions.api%[1]d.read, parameters: [{name: id, in: path, value: $inputs.id}]}\n"), growAPI}
}

func growComments(n int) growing {
	return growing{growHead + growWorkflow + "  steps:\n" + repeat(n, `  # weft-ignore: success-criteria-present -- it says all
  - {stepId: s%[1]d, operationId: read, parameters: [{name: id, in: path, value: $inputs.id}]} # weft-ignore: unused-output -- none
`), growAPI}
}

func growStates(n int) growing {
	return growing{growHead + growWorkflow + "  x-weft-states:\n    initial: S0\n    transitions:\n" + repeat(n, "      S%[1]d: [S%[2]d]\n") + "  steps:\n" +
		repeat(n, "  - {stepId: s%[1]d, operationId: read, parameters: [{name: id, in: path, value: $inputs.id}], x-weft-state: {value: $response.body#/status, map: {OPEN: S%[1]d}}}\n"), growAPI}
}
