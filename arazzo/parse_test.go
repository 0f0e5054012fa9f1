package arazzo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// head begins a document of a version; its workflow's first step is in line 9.
func head(version string) string {
	return "arazzo: " + version + `
info: {title: t, version: v}
sourceDescriptions:
  - {name: s, url: u}
workflows:
  - workflowId: w
    outputs: {}
    steps:
`
}

// step writes a step that has the given lines beside its target.
func step(version string, lines ...string) string {
	return head(version) + "      - stepId: a\n        operationId: b\n        " + strings.Join(lines, "\n        ") + "\n"
}

type faultCase struct {
	name, source, rule, place, message string
}

// checkFaults demands exactly one fault for each source.
func checkFaults(t *testing.T, cases []faultCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, faults := Parse("x.yaml", []byte(c.source))
			if len(faults) != 1 {
				t.Fatalf("got %d faults, want one: %v", len(faults), faults)
			}
			f := faults[0]
			place := fmt.Sprintf("%d:%d", f.Span.Start.Line, f.Span.Start.Column)
			if f.Rule != c.rule || place != c.place || !strings.Contains(f.Message, c.message) {
				t.Errorf("got %s at %s: %s\nwant %s at %s: %s", f.Rule, place, f.Message, c.rule, c.place, c.message)
			}
		})
	}
}

func TestFaultsOfVersions(t *testing.T) {
	body := "\ninfo: {title: t, version: v}\nsourceDescriptions: [{name: s, url: u}]\nworkflows: [{workflowId: w, steps: [{stepId: a, operationId: b}]}]\n"
	checkFaults(t, []faultCase{
		{"a later version", "arazzo: 2.0.0" + body, "schema", "1:9", `"2.0.0": 1.0.x and 1.1.x are supported`},
		{"a later minor version", "arazzo: 1.2.0" + body, "schema", "1:9", "1.0.x and 1.1.x"},
		{"1.10 is not 1.1", "arazzo: 1.10.0" + body, "schema", "1:9", "1.0.x and 1.1.x"},
		{"an unknown version says nothing more", "arazzo: 3\nworkflows: x\nfoo: bar\n", "schema", "1:9", "1.0.x and 1.1.x"},
		{"two numbers", "arazzo: '1.1'" + body, "schema", "1:9", `as 1.1.0; this is "1.1"`},
		{"a number", "arazzo: 1.0" + body, "schema", "1:9", "as 1.0.0"},
		{"a list", "arazzo: [1]" + body, "schema", "1:9", "this is a list"},
		{"a version with rubbish", "arazzo: 1.1.x" + body, "schema", "1:9", "three numbers"},
		{"none", body[1:], "schema", "1:1", `the field "arazzo"`},
		{"an OpenAPI description", "openapi: 3.1.0\ninfo: {}\npaths: {}\n", "schema", "1:1", "an OpenAPI description"},
		{"no mapping", "- a\n", "schema", "1:1", "this is a list"},
		{"a field of 1.1 in 1.0", step("1.0.1", "timeout: 1"), "unknown-field", "11:9", "timeout needs Arazzo 1.1; this document says 1.0.1"},
		{"a type of 1.1 in 1.0", strings.Replace(step("1.0.0"), "url: u", "url: u, type: asyncapi", 1), "schema", "4:29", "asyncapi needs Arazzo 1.1"},
		{"a location of 1.1 in 1.0", step("1.0.0", "parameters: [{name: p, in: querystring, value: x}]"), "schema", "11:36", "querystring needs Arazzo 1.1"},
		{"parameters of an action in 1.0", step("1.0.0", "onFailure:", "- name: n", "  type: goto", "  workflowId: w", "  parameters: []"), "unknown-field", "15:11", "parameters needs Arazzo 1.1"},
		{"a selector in 1.0", step("1.0.0", "outputs: {o: {context: $response.body, selector: /a, type: jsonpointer}}"), "schema", "11:22", "a Selector Object needs Arazzo 1.1"},
		{"a version of JSONPath of 1.1 in 1.0", step("1.0.0", "successCriteria: [{context: c, condition: d, type: {type: jsonpath, version: rfc9535}}]"), "criterion-type", "11:86", "rfc9535 needs Arazzo 1.1"},
	})
}

func TestFaultsOfKindsAndFields(t *testing.T) {
	checkFaults(t, []faultCase{
		{"a string for a list", strings.Replace(head("1.1.0"), "    steps:\n", "    steps: none\n", 1), "schema", "8:12", "steps: expected a list of steps, this is a string"},
		{"nothing for a list", head("1.1.0"), "schema", "8:11", "steps: expected a list of steps, this is empty"},
		{"an empty list", strings.Replace(head("1.1.0"), "    steps:\n", "    steps: []\n", 1), "schema", "8:12", "steps: the list of steps is empty"},
		{"a string for a step", step("1.1.0") + "      - go\n", "schema", "12:9", "expected a step (a mapping), this is a string"},
		{"a number for a string", strings.Replace(step("1.1.0"), "version: v", "version: 1.0", 1), "schema", "2:27", "version: expected a string, this is the number 1.0; put it in quotes"},
		{"a field missing", strings.Replace(step("1.1.0"), "title: t, ", "", 1), "schema", "2:7", `an info object needs the field "title"`},
		{"a misspelt field", step("1.1.0", "sucessCriteria: []"), "unknown-field", "11:9", `a step has no field "sucessCriteria": did you mean "successCriteria"?`},
		{"a field far from all", strings.Replace(step("1.1.0"), "url: u", "url: u, zzzzzz: 1", 1), "unknown-field", "4:23", "its fields are name, url, type"},
		{"a field often mistaken", step("1.1.0", "onSuccess: [{name: n, type: end, condition: c}]"), "unknown-field", "11:42", "conditions stand under criteria"},
		{"fields of a reference", step("1.1.0", "parameters: [{reference: $components.parameters.p, x-a: 1}]"), "unknown-field", "11:60", `a reference to a component has no field "x-a"`},
		{"an item twice", step("1.1.0", "successCriteria:", "- {condition: a}", "- condition: a"), "schema", "13:11", "the same as item 1 of this list, in line 12"},
		{"an item twice in another order", step("1.1.0", "parameters:", "- {name: a, in: query, value: {b: 1, c: 2}}", "- {value: {c: 2, b: 1}, in: query, name: a}"), "schema", "13:11", "the same as item 1"},
		{"inputs that are no schema", strings.Replace(step("1.1.0"), "outputs: {}", "inputs: [a]", 1), "schema", "7:13", "inputs: expected a JSON Schema (a mapping), this is a list"},
		{"a fragment in $self", "$self: https://example.com/a#b\n" + step("1.1.0"), "schema", "1:29", "fragment"},
		{"a $self that is no URI reference", "$self: 'http://[::1/a'\n" + step("1.1.0"), "schema", "1:8", "expected a URI reference"},
		{"the name of a source", strings.Replace(step("1.1.0"), "name: s", "name: a b", 1), "source-name-pattern", "4:12", `"a b"`},
		{"the name of an output", step("1.1.0", "outputs: {a b: $response.body}"), "output-name-pattern", "11:19", `"a b"`},
		{"the name of a component", step("1.1.0") + "components: {parameters: {a b: {name: n, value: 1}}}\n", "schema", "12:27", `"a b"`},
		{"a reference among components", step("1.1.0") + "components: {inputs: {a: 1}}\n", "schema", "12:26", "expected a JSON Schema"},
	})
}

func TestFaultsOfSteps(t *testing.T) {
	target := func(version string, lines ...string) string {
		return head(version) + "      - stepId: a\n        " + strings.Join(lines, "\n        ") + "\n"
	}
	checkFaults(t, []faultCase{
		{"no target", target("1.1.0"), "schema", "9:9", "one of operationId, operationPath, channelPath or workflowId"},
		{"no target in 1.0", target("1.0.0"), "schema", "9:9", "one of operationId, operationPath or workflowId"},
		{"two targets", target("1.1.0", "operationId: x", "workflowId: y"), "schema", "11:21", "operationId excludes workflowId"},
		{"channelPath without action", target("1.1.0", "channelPath: x"), "async-action-required", "10:22", "needs action: send or receive"},
		{"an unknown action", target("1.1.0", "operationId: x", "action: push"), "schema", "11:17", `expected send or receive, this is "push"`},
		{"an action on a workflow step", target("1.1.0", "workflowId: x", "action: send"), "schema", "11:17", "this step has workflowId"},
		{"a correlation on a sending step", target("1.1.0", "operationId: x", "action: send", "correlationId: y"), "schema", "12:24", `this step says "send"`},
		{"a correlation without action", target("1.1.0", "operationId: x", "correlationId: y"), "schema", "11:24", "this step has no action"},
		{"a timeout with a unit", step("1.1.0", "timeout: 10s"), "timeout-range", "11:18", "milliseconds, 1 or more, this is a string"},
		{"a negative timeout", step("1.1.0", "timeout: -1"), "timeout-range", "11:18", "this is -1"},
		{"a timeout of nothing", step("1.1.0", "timeout: 0"), "timeout-range", "11:18", "milliseconds, 1 or more, this is 0"},
		{"a timeout of nothing with a fraction", step("1.1.0", "timeout: 0.0e3"), "timeout-range", "11:18", "this is 0.0e3"},
		{"a timeout with a fraction", step("1.1.0", "timeout: 1.5"), "timeout-range", "11:18", "a whole number"},
		{"an empty dependsOn", step("1.1.0", "dependsOn: []"), "schema", "11:20", "empty"},
		{"a dependsOn that is no reference", step("1.1.0", "dependsOn: [$steps.x]"), "schema", "11:21", "$workflows.<workflowId>.steps.<stepId>"},
		{"empty criteria", step("1.1.0", "successCriteria: []"), "schema", "11:26", "the list of criteria is empty"},
		{"a parameter without in", step("1.1.0", "parameters: [{name: p, value: 1}]"), "parameter-in-required", "11:22", "needs in: where it goes (path, query"},
		{"a parameter without value", step("1.1.0", "parameters: [{name: p, in: path}]"), "schema", "11:22", `"value"`},
		{"an unknown location", step("1.1.0", "parameters: [{name: p, in: body, value: 1}]"), "schema", "11:36", `this is "body"`},
		{"a list as output", step("1.1.0", "outputs: {o: [1]}"), "schema", "11:22", "a runtime expression"},
		{"a selector without type", step("1.1.0", "outputs: {o: {context: c, selector: s}}"), "schema", "11:22", `needs the field "type"`},
		{"a replacement without target", step("1.1.0", "requestBody: {replacements: [{value: 1}]}"), "schema", "11:38", `"target"`},
		{"an unknown type of target", step("1.1.0", "requestBody: {replacements: [{target: t, value: 1, targetSelectorType: jq}]}"), "schema", "11:80", "jsonpointer, jsonpath or xpath"},
	})
}

func TestFaultsOfCriteriaAndActions(t *testing.T) {
	checkFaults(t, []faultCase{
		{"a criterion without context", step("1.1.0", "successCriteria: [{condition: ^a$, type: regex}]"), "criterion-context-required", "11:50", "needs context"},
		{"an unknown type of criterion", step("1.1.0", "successCriteria: [{context: c, condition: d, type: jsonpointer}]"), "criterion-type", "11:60", "simple, regex, jsonpath or xpath"},
		{"an expression type without version", step("1.1.0", "successCriteria: [{context: c, condition: d, type: {type: xpath}}]"), "schema", "11:60", `"version"`},
		{"a version of another type", step("1.1.0", "successCriteria: [{context: c, condition: d, type: {type: xpath, version: rfc9535}}]"), "criterion-type", "11:83", "xpath-10, xpath-20, xpath-30 or xpath-31"},
		{"retry on success", step("1.1.0", "onSuccess: [{name: n, type: retry}]"), "success-action-type", "11:37", "expected end or goto"},
		{"an unknown action type", step("1.1.0", "onFailure: [{name: n, type: function}]"), "schema", "11:37", "expected end, goto or retry"},
		{"goto nowhere", step("1.1.0", "onSuccess: [{name: n, type: goto}]"), "action-target-required", "11:21", "stepId or workflowId"},
		{"goto to two places", step("1.1.0", "onSuccess: [{name: n, type: goto, workflowId: w, stepId: a}]"), "action-target-exclusive", "11:66", "goto has one target"},
		{"retry with two helpers", step("1.1.0", "onFailure: [{name: n, type: retry, stepId: a, workflowId: w}]"), "action-target-exclusive", "11:67", "retry has one target"},
		{"a negative retryAfter", step("1.1.0", "onFailure: [{name: n, type: retry, retryAfter: -0.5}]"), "retry-after-range", "11:56", "this is -0.5"},
		{"a retryLimit with a fraction", step("1.1.0", "onFailure: [{name: n, type: retry, retryLimit: 2.5}]"), "retry-limit-integer", "11:56", "a whole number"},
		{"retryLimit on success", step("1.1.0", "onSuccess: [{name: n, type: end, retryLimit: 2}]"), "unknown-field", "11:42", `no field "retryLimit"`},
		{"empty criteria of a success action", step("1.1.0", "onSuccess: [{name: n, type: end, criteria: []}]"), "schema", "11:52", "empty"},
		{"parameters without workflow", step("1.1.0", "onFailure: [{name: n, type: goto, stepId: a, parameters: [{name: p, value: 1}]}]"), "schema", "11:66", "workflowId is missing"},
		{"a location in an action", step("1.1.0", "onFailure: [{name: n, type: goto, workflowId: w, parameters: [{name: p, in: query, value: 1}]}]"), "parameter-in-forbidden", "11:85", "has no location"},
	})
}

func TestFaultsOfExtensions(t *testing.T) {
	root := func(line string) string { return step("1.0.0") + line + "\n" }
	checkFaults(t, []faultCase{
		{"states without transitions", root("x-weft-states: {initial: A}"), "schema", "12:16", `"transitions"`},
		{"states that are no mapping", root("x-weft-states: A"), "schema", "12:16", "x-weft-states: expected"},
		{"a transition to a word", root("x-weft-states: {initial: A, transitions: {A: B}}"), "schema", "12:46", "expected a list of states"},
		{"an unknown field of states", root("x-weft-states: {initial: A, transitions: {}, terminals: []}"), "unknown-field", "12:46", `did you mean "terminal"?`},
		{"a key that is neither off nor a mapping", root("x-weft-idempotency: none"), "schema", "12:21", "expected off, or a mapping"},
		{"an unknown format of a key", root("x-weft-idempotency: {format: base64}"), "schema", "12:30", "raw, sf-string or uuid"},
		{"a header that is none", root("x-weft-idempotency: {header: 'a b'}"), "schema", "12:30", "no name of a header field"},
		{"a state that is a number", step("1.0.0", "x-weft-state: 1"), "schema", "11:23", "a state, or a mapping"},
		{"a state without map", step("1.0.0", "x-weft-state: {value: $response.body}"), "schema", "11:23", `"map"`},
		{"an unknown effect", step("1.0.0", "x-weft-effect: write"), "schema", "11:24", "read, idempotent or effect"},
		{"an unknown answer to duplicates", step("1.0.0", "x-weft-on-duplicate: drop"), "schema", "11:30", "ignore or fail"},
		{"a backoff below one", step("1.0.0", "onFailure: [{name: n, type: retry, x-weft-backoff: {factor: 0.5}}]"), "schema", "11:69", "1 or more"},
		{"an unsafe retry that is a word", step("1.0.0", "onFailure: [{name: n, type: retry, x-weft-unsafe-retry: yes}]"), "schema", "11:65", "true or false"},
		{"a cancel action without type", strings.Replace(step("1.0.0"), "outputs: {}", "x-weft-on-cancel: [{name: n}]", 1), "schema", "7:24", `"type"`},
	})
}

func TestLooseningsOfTheOfficialSchemas(t *testing.T) {
	for name, source := range map[string]string{
		"a parameter's value may be any object":       step("1.1.0", "parameters: [{name: p, in: query, value: {a: 1}}]"),
		"a replacement's value may be anything":       step("1.1.0", "requestBody: {replacements: [{target: /a, value: [1]}]}"),
		"1.0 has expression types with a version":     step("1.0.0", "successCriteria: [{context: c, condition: d, type: {type: xpath, version: xpath-30}}]"),
		"extensions stand nearly everywhere":          step("1.1.0", "x-a: 1", "requestBody: {x-b: 1}", "onSuccess: [{name: n, type: end, x-c: 1}]"),
		"a failure action may have no criteria":       step("1.1.0", "onFailure: [{name: n, type: end, criteria: []}]"),
		"whole numbers in other spellings":            step("1.1.0", "timeout: 1e3", "onFailure: [{name: n, type: retry, retryLimit: 2.0}]"),
		"a suffix of the version":                     step("1.1.0-rc1"),
		"in is optional where a workflow is called":   head("1.1.0") + "      - {stepId: a, workflowId: w, parameters: [{name: p, value: 1}]}\n",
		"in may stand where a workflow is called":     head("1.1.0") + "      - {stepId: a, workflowId: w, parameters: [{name: p, in: query, value: 1}]}\n",
		"an operation of AsyncAPI may have an action": step("1.1.0", "action: receive", "correlationId: 5"),
	} {
		if _, faults := Parse("x.yaml", []byte(source)); len(faults) > 0 {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

func TestAllFaultsAreToldInOrder(t *testing.T) {
	_, faults := Parse("faulty.yaml", fixture(t, "faulty.yaml"))
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%d:%d-%d:%d %s %s %s\n", f.Span.Start.Line, f.Span.Start.Column, f.Span.End.Line, f.Span.End.Column, f.Rule, f.Pointer, f.Message)
	}
	golden(t, "faulty.golden", b.String())
	for i := 1; i < len(faults); i++ {
		if faults[i].Span.Start.Offset < faults[i-1].Span.Start.Offset {
			t.Errorf("%v stands before %v", faults[i], faults[i-1])
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs, see -update; got:\n%s", name, got)
	}
}

func BenchmarkParse(b *testing.B) {
	data := fixture(b, "orders-1.1.yaml")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("orders.yaml", data)
	}
}
