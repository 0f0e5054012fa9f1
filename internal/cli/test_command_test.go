package cli_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// seededDefects are documents with one defect each.
const seededDefects = "../../testdata/contract"

// TestTestReport holds that the JSON report has its published form, and no member that
// the form does not describe.
func TestTestReport(t *testing.T) {
	compiled := testReportSchema(t)
	dir := t.TempDir()
	faults := filepath.Join(dir, "faults.yaml")
	writeFile(t, faults, "faults: [{operation: pay, occurrence: 9, fault: hang-after-effect}]")
	for _, name := range []string{"jump-back", "uncorrelated"} {
		report := filepath.Join(dir, name+".json")
		document := filepath.Join(seededDefects, name+".arazzo.yaml")
		if code, output := weft("test", document, "--pairs", "20ms", "--faults", faults, "--json", report); code != 1 {
			t.Fatalf("exit code %d\n%s", code, output)
		}
		v, err := value.ParseJSON([]byte(readFile(t, report)))
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range compiled.Validate(v) {
			t.Errorf("%s: %+v", name, fault)
		}
		file := v.Get("files").At(0)
		if file.Get("workflows").At(0).Get("failures").Len() == 0 || file.Get("unfired").Len() != 1 {
			t.Errorf("%s: the report has nothing of what is wrong: %s", name, file)
		}
	}
}

func testReportSchema(t *testing.T) *schema.Schema {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(readFile(t, "../../docs/test-report.schema.json")), &root); err != nil {
		t.Fatal(err)
	}
	closeListed(root)
	data, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := schema.CompileBytes("test-report.schema.json", data)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// TestTestReportsSayWhatWasNotTested: a report of nothing would pass for a good one.
func TestTestReportsSayWhatWasNotTested(t *testing.T) {
	dir := t.TempDir()
	document := filepath.Join(dir, "flow.yaml")
	writeFile(t, document, "arazzo: 1.0.1\ninfo: {title: A, version: '1'}\nsourceDescriptions: [{name: a, url: none.yaml, type: openapi}]\n"+
		"workflows: [{workflowId: w, steps: [{stepId: s, operationId: o}]}]\n")
	report, suites := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.xml")
	code, output := weft("test", filepath.Join(dir, "nowhere.yaml"), document, "--json", report, "--junit", suites)
	if code != 2 {
		t.Fatalf("exit code %d, want 2: %s", code, output)
	}
	v, err := value.ParseJSON([]byte(readFile(t, report)))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range testReportSchema(t).Validate(v) {
		t.Errorf("%+v", fault)
	}
	first, second := v.Get("refusals").At(0), v.Get("refusals").At(1)
	if !strings.Contains(first.Get("message").Text(), "nowhere.yaml: no such file") || second.Get("path").Text() != document || second.Get("place").Get("line").Text() != "3" {
		t.Errorf("the refusals are %s", v.Get("refusals"))
	}
	for _, want := range []string{`tests="2" failures="0" errors="2"`, document + `:3:`, `type="refused"`} {
		if !strings.Contains(readFile(t, suites), want) {
			t.Errorf("nothing of %s in %s", want, readFile(t, suites))
		}
	}
}

// closeListed forbids members that an object's schema does not list.
func closeListed(node any) {
	switch n := node.(type) {
	case map[string]any:
		if _, lists := n["properties"]; lists && n["type"] == "object" {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closeListed(child)
		}
	case []any:
		for _, child := range n {
			closeListed(child)
		}
	}
}

// TestTestJUnit holds that the counts of the JUnit report are those of its cases.
func TestTestJUnit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.xml")
	if code, output := weft("test", filepath.Join(seededDefects, "cancel-unknown.arazzo.yaml"), "--pairs", "0s", "--junit", file); code != 1 {
		t.Fatalf("exit code %d\n%s", code, output)
	}
	var read struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Cases []struct {
				Class    string `xml:"classname,attr"`
				Failures []struct {
					Text string `xml:",chardata"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(readFile(t, file)), &read); err != nil {
		t.Fatal(err)
	}
	cases, failed := 0, 0
	for _, c := range read.Suites[0].Cases {
		cases++
		if len(c.Failures) == 0 {
			continue
		}
		failed++
		if c.Class != "order.acts-on-unknown" || !strings.Contains(c.Failures[0].Text, "giveBack") {
			t.Errorf("%s failed: %s", c.Class, c.Failures[0].Text)
		}
	}
	if cases != read.Tests || failed != read.Failures || failed != 1 {
		t.Errorf("%d cases and %d failures, the report says %d and %d", cases, failed, read.Tests, read.Failures)
	}
}

// TestReplay holds that a run that fails in memory fails in the same way over real
// connections: the one with a message too.
func TestReplay(t *testing.T) {
	for _, name := range []string{"jump-back", "lost-reference", "finalize-early"} {
		t.Run(name, func(t *testing.T) {
			document := filepath.Join(seededDefects, name+".arazzo.yaml")
			report := filepath.Join(t.TempDir(), "report.json")
			weft("test", document, "--pairs", "0s", "--json", report)
			var read struct {
				Files []struct {
					Workflows []struct {
						Failures []struct {
							Check string
							Seed  uint64
						}
					}
				}
			}
			if err := json.Unmarshal([]byte(readFile(t, report)), &read); err != nil {
				t.Fatal(err)
			}
			failures := read.Files[0].Workflows[0].Failures
			for _, f := range failures {
				if f.Check == "no-end" {
					continue // a thousand steps are enough in memory
				}
				code, output := weft("test", document, "--replay", fmt.Sprint(f.Seed))
				if code != 1 || !strings.Contains(output, "✗ "+f.Check) || !strings.Contains(output, "requests go to http://127.0.0.1:") {
					t.Errorf("seed %d: exit code %d\n%s", f.Seed, code, output)
				}
			}
		})
	}
}

// TestALongReplayIsForetoldAndEnded holds that a run that waits for ten minutes is not made in
// real time without a word, and that what is wrong with it is told all the same.
func TestALongReplayIsForetoldAndEnded(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), `
openapi: 3.1.0
info: {title: Polls, version: 1.0.0}
servers: [{url: 'http://127.0.0.1:8086'}]
paths:
  /jobs/{id}:
    get:
      operationId: look
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: It., content: {application/json: {schema: {type: object, properties: {state: {type: string, enum: [OPEN]}}}}}}
`)
	document := filepath.Join(dir, "flow.yaml")
	writeFile(t, document, `
arazzo: 1.1.0
info: {title: It is asked for ever, version: 1.0.0}
sourceDescriptions: [{name: jobs, url: api.yaml, type: openapi}]
workflows:
  - workflowId: poll
    steps:
      - stepId: look
        operationId: look
        parameters: [{name: id, in: path, value: job-1}]
        successCriteria: [{condition: $response.body#/state == 'DONE'}]
        onFailure: [{name: again, type: retry, retryAfter: 30, retryLimit: 100000}]
`)
	report := filepath.Join(dir, "report.json")
	weft("test", document, "--pairs", "0s", "--json", report)
	seed := regexp.MustCompile(`(?s)"check": "no-end".*?"seed": (\d+)`).FindStringSubmatch(readFile(t, report))
	if seed == nil {
		t.Fatal("no run without end was found")
	}
	began := time.Now()
	code, output := weft("test", document, "--replay", seed[1], "--limit", "200ms")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	for _, part := range []string{"the run takes 59m", "it is ended after 200ms (--limit)", "ended after 200ms, before its end", "✗ no-end"} {
		if !strings.Contains(output, part) {
			t.Errorf("%q is missing", part)
		}
	}
	if code != 1 || t.Failed() {
		t.Errorf("exit code %d\n%s", code, output)
	}
}

// TestTheReportHidesSecrets holds that an input that is a password is seen nowhere.
func TestTheReportHidesSecrets(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), `
openapi: 3.1.0
info: {title: Login, version: 1.0.0}
servers: [{url: 'http://127.0.0.1:8086'}]
paths:
  /charges:
    post:
      operationId: charge
      requestBody:
        content: {application/json: {schema: {type: object, properties: {pin: {type: string}}}}}
      responses:
        '201': {description: Done., content: {application/json: {schema: {type: object, properties: {pin: {type: string}}}}}}
`)
	writeFile(t, filepath.Join(dir, "flow.yaml"), `
arazzo: 1.0.1
info: {title: Login, version: 1.0.0}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
  - workflowId: login
    inputs: {type: object, properties: {pin: {type: string, format: password}}}
    steps:
      - stepId: charge
        operationId: charge
        requestBody: {payload: {pin: $inputs.pin}}
        successCriteria:
          - condition: $response.body#/pin == $inputs.pin
        onFailure: [{name: again, type: retry, retryLimit: 1}]
`)
	report := filepath.Join(dir, "report.json")
	code, output := weft("test", filepath.Join(dir, "flow.yaml"), "-i", "pin=s3cret-pin", "--pairs", "0s", "--json", report)
	if code != 1 {
		t.Fatalf("exit code %d\n%s", code, output)
	}
	if strings.Contains(output+readFile(t, report), "s3cret-pin") {
		t.Errorf("the secret is seen:\n%s", output)
	}
}

// TestRealDocumentsAreTested tests the documents of other projects: each ends in time and
// without a panic. What was found was looked at, one by one: it is true.
func TestRealDocumentsAreTested(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: there are no documents of others to test")
	}
	found := map[string]bool{}
	for _, path := range realDocuments(t, root) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			report := filepath.Join(t.TempDir(), "report.json")
			began := time.Now()
			code, output := weft("test", path, "--offline", "--pairs", "50ms", "--json", report)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %v", took)
			}
			if code > 2 || strings.Contains(output, "a fault of weft") || strings.Contains(output, "goroutine ") {
				t.Errorf("exit code %d\n%s", code, output)
			}
			for _, failure := range failuresIn(t, report) {
				found[filepath.Base(path)+" "+failure] = true
			}
		})
	}
	looked := map[string]bool{
		// The payment's outcome is unknown, and the order is cancelled.
		"checkout-branching.arazzo.yaml acts-on-unknown cancel-order": true,
		// A payment without a key is repeated; and its retry runs the step itself besides.
		"shop.arazzo.yaml unsafe-repeat pay-refused": true,
		"shop.arazzo.yaml double-effect pay-refused": true,
		// Criteria that are no JSONPath can never be met.
		"museum-api.arazzo.yaml never-succeeds create-event":      true,
		"oauth.arazzo.yaml never-succeeds browser-authorize":      true,
		"oauth.arazzo.yaml never-succeeds do-the-auth-flow":       true,
		"oauth.arazzo.yaml never-succeeds get-client-creds-token": true,
		// A required parameter is made of an output that no step brings.
		"recurring-payment.arazzo.yaml never-succeeds getResult": true,
		// It asks for a status that the answer never has.
		"pet-coupons.arazzo.yaml never-succeeds place-order": true,
	}
	for failure := range found {
		if !looked[failure] {
			t.Errorf("found and not looked at: %s", failure)
		}
	}
	for failure := range looked {
		if !found[failure] {
			t.Errorf("not found any more: %s", failure)
		}
	}
}

// failuresIn lists check and step of the failures in a report; none where there is none.
func failuresIn(t *testing.T, report string) []string {
	t.Helper()
	text, err := os.ReadFile(report)
	if err != nil || len(text) == 0 {
		return nil
	}
	v, err := value.ParseJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, file := range v.Get("files").Items() {
		for _, w := range file.Get("workflows").Items() {
			for _, f := range w.Get("failures").Items() {
				all = append(all, f.Get("check").Text()+" "+f.Get("step").Text())
			}
		}
	}
	return all
}
