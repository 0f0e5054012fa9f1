package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func junitReport(t *testing.T, j *JUnit, events []executor.Event) string {
	t.Helper()
	for _, e := range events {
		if err := j.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	n, err := j.WriteTo(&out)
	if err != nil || n != int64(out.Len()) {
		t.Fatalf("WriteTo gave %d bytes, %v; %d were written", n, err, out.Len())
	}
	return out.String()
}

func TestJUnit(t *testing.T) {
	for name, events := range map[string][]executor.Event{
		"order.xml": orderRun(), "retry.xml": retryRun(), "nested.xml": nestedRun(), "odd.xml": oddRun(),
		"contract.xml": contractRun(),
	} {
		t.Run(name, func(t *testing.T) { golden(t, name, junitReport(t, NewJUnit(), events)) })
	}
}

// readReport, readSuite, readCase and readProblem are what tests look at in a report.
type (
	readReport struct {
		Time     string      `xml:"time,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Suites   []readSuite `xml:"testsuite"`
	}
	readSuite struct {
		readReport
		Name  string     `xml:"name,attr"`
		File  string     `xml:"file,attr"`
		Cases []readCase `xml:"testcase"`
	}
	readCase struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		Failure *readProblem `xml:"failure"`
		Error   *readProblem `xml:"error"`
		Output  string       `xml:"system-out"`
	}
	readProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// suites reads a report back.
func suites(t *testing.T, report string) readReport {
	t.Helper()
	var read readReport
	if err := xml.Unmarshal([]byte(report), &read); err != nil {
		t.Fatalf("not well-formed: %v\n%s", err, report)
	}
	return read
}

// verdicts gives a line for each case: its suite, class, name and what was wrong.
func verdicts(t *testing.T, report string) []string {
	t.Helper()
	var lines []string
	for _, s := range suites(t, report).Suites {
		for _, c := range s.Cases {
			verdict := "passed"
			switch {
			case c.Failure != nil:
				verdict = "failure " + c.Failure.Type + ": " + c.Failure.Message
			case c.Error != nil:
				verdict = "error " + c.Error.Type + ": " + c.Error.Message
			}
			lines = append(lines, fmt.Sprintf("%s | %s | %s | %s", s.Name, c.Class, c.Name, verdict))
		}
	}
	return lines
}

// oneStep is a workflow whose only step ends in one way.
func oneStep(id string, status executor.Status, reason string, succeeded bool, class idempotency.Class) *stream {
	s := newStream().workflow(id).step("s", 1).endStep(succeeded, "the step's reason", class)
	return s.endWorkflow(id, status, reason)
}

func TestTheVerdictOfASuiteIsThatOfItsWorkflow(t *testing.T) {
	broken := orderRun()
	for name, test := range map[string]struct {
		events        []executor.Event
		failRecovered bool
		want          []string
	}{
		"a recovered workflow has no failures": {
			events: oneStep("w", executor.Recovered, "", false, idempotency.Rejected).end(executor.Recovered, ""),
			want:   []string{"w | w | s | passed"},
		},
		"unless that is asked for": {
			events:        oneStep("w", executor.Recovered, "", false, idempotency.Rejected).end(executor.Recovered, ""),
			failRecovered: true,
			want:          []string{"w | w | s | failure failed: the step's reason"},
		},
		"a succeeded one passes then as well": {
			events:        oneStep("w", executor.Succeeded, "", true, idempotency.Succeeded).end(executor.Succeeded, ""),
			failRecovered: true,
			want:          []string{"w | w | s | passed"},
		},
		"a failed step is a failure": {
			events: oneStep("w", executor.Failed, "r", false, idempotency.Rejected).end(executor.Failed, "r"),
			want:   []string{"w | w | s | failure failed: the step's reason"},
		},
		"an unknown outcome is an error": {
			events: oneStep("w", executor.Unknown, "r", false, idempotency.Unknown).end(executor.Unknown, "r"),
			want:   []string{"w | w | s | error unknown: the step's reason"},
		},
		"an unknown outcome is one even where the step succeeded": {
			events: oneStep("w", executor.Unknown, "r", true, idempotency.Unknown).end(executor.Unknown, "r"),
			want:   []string{"w | w | s | error unknown: the step's reason"},
		},
		"a workflow that no step made fail has a case of its own": {
			events: oneStep("w", executor.Failed, "deadline: the run's time is over", true, idempotency.Succeeded).end(executor.Failed, "r"),
			want:   []string{"w | w | s | passed", "w | w | w | failure failed: deadline: the run's time is over"},
		},
		"so has a cancelled one": {
			events: oneStep("w", executor.Cancelled, "cancelled", true, idempotency.Succeeded).end(executor.Cancelled, "cancelled"),
			want:   []string{"w | w | s | passed", "w | w | w | failure cancelled: cancelled"},
		},
		"a run that broke off is an error": {
			events: broken[:8],
			want:   []string{"placeOrder | placeOrder | create | passed", "placeOrder | placeOrder | placeOrder | error incomplete: the run broke off before the workflow ended"},
		},
		"what came before the first workflow is no suite": {events: broken[:1]},
	} {
		t.Run(name, func(t *testing.T) {
			j := NewJUnit()
			j.FailRecovered = test.failRecovered
			if got := verdicts(t, junitReport(t, j, test.events)); !slices.Equal(got, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestContractFindings(t *testing.T) {
	response := executor.ContractFinding{Of: "response", Kind: "body", Message: "body at /id: expected string, this is an integer"}
	other := executor.ContractFinding{Of: "response", Kind: "status", Message: "the status 202 is not described"}
	request := executor.ContractFinding{Of: "request", Kind: "parameter", Message: "query parameter q: missing"}
	tests := map[string]struct {
		status    executor.Status
		succeeded bool
		findings  []executor.Detail
		tolerate  bool
		want      []string
	}{
		"one on a response is a failure though the workflow succeeded": {
			status: executor.Succeeded, succeeded: true, findings: []executor.Detail{response},
			want: []string{"w | w | s | failure contract: response: body at /id: expected string, this is an integer"},
		},
		"several are one failure": {
			status: executor.Succeeded, succeeded: true, findings: []executor.Detail{request, response, other, response},
			want: []string{"w | w | s | failure contract: response: body at /id: expected string, this is an integer (and 2 more)"},
		},
		"one on a request is none": {
			status: executor.Succeeded, succeeded: true, findings: []executor.Detail{request},
			want: []string{"w | w | s | passed"},
		},
		"unless it is asked for there is no failure": {
			status: executor.Succeeded, succeeded: true, findings: []executor.Detail{response}, tolerate: true,
			want: []string{"w | w | s | passed"},
		},
		"what a workflow got over is none, the finding is": {
			status: executor.Recovered, findings: []executor.Detail{response},
			want: []string{"w | w | s | failure contract: response: body at /id: expected string, this is an integer"},
		},
		"the failure of the step goes first": {
			status: executor.Failed, findings: []executor.Detail{response},
			want: []string{"w | w | s | failure failed: the step's reason"},
		},
		"a finding does not say why a workflow failed": {
			status: executor.Failed, succeeded: true, findings: []executor.Detail{response},
			want: []string{
				"w | w | s | failure contract: response: body at /id: expected string, this is an integer",
				"w | w | w | failure failed: deadline",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newStream().workflow("w").step("s", 1)
			for _, finding := range test.findings {
				s.add(finding)
			}
			s.endStep(test.succeeded, "the step's reason", "").endWorkflow("w", test.status, "deadline")
			j := NewJUnit()
			j.FailFindings = !test.tolerate
			report := junitReport(t, j, s.end(test.status, ""))
			if got := verdicts(t, report); !slices.Equal(got, test.want) {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			for _, finding := range test.findings {
				line := "\n" + findingText(finding.(executor.ContractFinding)) + "\n"
				if output := suites(t, report).Suites[0].Cases[0].Output; !strings.Contains(output, line) {
					t.Errorf("the output lacks %q: %+v", line, output)
				}
			}
		})
	}
}

func TestFailingFindings(t *testing.T) {
	j := NewJUnit()
	j.FailFindings = true
	report := junitReport(t, j, contractRun())
	golden(t, "contract-failed.xml", report)
}

// What stays unknown is known only when the run is over.
func TestTheResultOfTheRunOverrulesAWorkflow(t *testing.T) {
	s := oneStep("w", executor.Succeeded, "", true, idempotency.Succeeded)
	s.ended[0].Status, s.ended[0].Reason = executor.Unknown, "the outcome is unknown: 500"
	want := []string{"w | w | s | passed", "w | w | w | error unknown: the outcome is unknown: 500"}
	if got := verdicts(t, junitReport(t, NewJUnit(), s.end(executor.Unknown, ""))); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestWorkflowsThatAreNotCalledBySteps(t *testing.T) {
	s := newStream().workflow("order")
	outer := s.at
	s.workflow("stock").step("count", 1).endStep(true, "", "") // order depends on it
	s.endWorkflow("stock", executor.Succeeded, "")
	s.at = outer
	s.step("pay", 1).endStep(true, "", "")
	s.at.Step = ""
	s.add(executor.WorkflowFinished{ID: "order", Status: executor.Succeeded}) // goes on to refund
	s.at.Workflow = "order~1/refund"
	s.add(executor.WorkflowStarted{ID: "refund"})
	s.step("back", 1).endStep(false, "402", idempotency.Rejected)
	s.endWorkflow("order", executor.Failed, `step "back" failed`)
	report := junitReport(t, NewJUnit(), s.end(executor.Failed, ""))
	want := []string{
		"order | order | pay | passed",
		"order | order~1/refund | back | failure failed: 402",
		"stock | stock | count | passed",
	}
	if got := verdicts(t, report); !slices.Equal(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}

// TestAWorkflowOfAnotherDocumentHasASuiteOfItsOwn though it is called the same.
func TestAWorkflowOfAnotherDocumentHasASuiteOfItsOwn(t *testing.T) {
	s := newStream().workflow("order")
	outer := s.at
	s.at.Workflow = "lib.order" // order depends on it
	s.add(executor.WorkflowStarted{ID: "order"})
	s.step("count", 1).endStep(true, "", "")
	s.at.Step = ""
	s.add(executor.WorkflowFinished{ID: "order", Status: executor.Succeeded})
	s.at = outer
	s.step("pay", 1).endStep(false, "402", idempotency.Rejected)
	s.endWorkflow("order", executor.Failed, `step "pay" failed`)
	report := junitReport(t, NewJUnit(), s.end(executor.Failed, ""))
	want := []string{
		"order | order | pay | failure failed: 402",
		"lib.order | lib.order | count | passed",
	}
	if got := verdicts(t, report); !slices.Equal(got, want) {
		t.Errorf("got:\n%s", strings.Join(got, "\n"))
	}
}

func TestOneReportTakesSeveralRuns(t *testing.T) {
	events := slices.Concat(
		oneStep("w", executor.Succeeded, "", true, "").end(executor.Succeeded, ""),
		oneStep("w", executor.Succeeded, "", true, "").events[:3], // breaks off
		oneStep("w", executor.Failed, "r", false, "").end(executor.Failed, ""),
	)
	events[len(events)-6].Detail = executor.RunStarted{Document: "other.arazzo.yaml"}
	report := junitReport(t, NewJUnit(), events)
	want := []string{
		"w | w | s | passed",
		"w | w | w | error incomplete: the run broke off before the workflow ended",
		"w | w | s | failure failed: the step's reason",
	}
	if got := verdicts(t, report); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for i, file := range []string{"order.arazzo.yaml", "order.arazzo.yaml", "other.arazzo.yaml"} {
		if got := suites(t, report).Suites[i].File; got != file {
			t.Errorf("suite %d is of %s, want %s", i, got, file)
		}
	}
}

func TestTextsThatXMLCannotHold(t *testing.T) {
	s := newStream().workflow("w").step("a<b>&\"c\"\x1b\u202e", 1)
	s.attempt(sent{method: "GET", target: "/\x00]]>", status: 500, class: idempotency.Unknown, reason: "\x07 bell\r\nline"}).
		criterion("$response.body == '\x1b[31m\xff\ufffe'", false).
		endStep(false, "bad \x01byte \xff and ]]>", idempotency.Rejected)
	s.endWorkflow("w", executor.Failed, "r")
	report := junitReport(t, NewJUnit(), s.end(executor.Failed, "r"))
	c := suites(t, report).Suites[0].Cases[0]
	if want := `a<b>&"c"`; c.Name != want {
		t.Errorf("the name is %q, want %q", c.Name, want)
	}
	if want := "bad byte \ufffd and ]]>"; c.Failure == nil || c.Failure.Message != want {
		t.Errorf("the failure is %+v, want %q", c.Failure, want)
	}
	for _, r := range report {
		if r < ' ' && r != '\n' || r == '\u202e' || r == '\ufffe' {
			t.Errorf("the report has %U", r)
		}
	}
}

func TestJUnitCountsAddUp(t *testing.T) {
	read := suites(t, junitReport(t, NewJUnit(), retryRun()))
	s := read.Suites[0]
	if s.Tests != 2 || s.Failures != 0 || s.Errors != 1 || read.Tests != 2 || read.Failures != 0 || read.Errors != 1 {
		t.Errorf("suite %d, %d, %d; all %d, %d, %d", s.Tests, s.Failures, s.Errors, read.Tests, read.Failures, read.Errors)
	}
	if want := "2.012"; s.Time != want || read.Time != want {
		t.Errorf("times %s and %s, want %s", s.Time, read.Time, want)
	}
}

func TestAJUnitReportCanBeWrittenTwice(t *testing.T) {
	j := NewJUnit()
	first := junitReport(t, j, orderRun())
	if second := junitReport(t, j, nil); first != second {
		t.Error("the second differs")
	}
}

func TestAJUnitWriterThatFailsIsTold(t *testing.T) {
	if _, err := NewJUnit().WriteTo(brokenWriter{}); !errors.Is(err, errBroken) {
		t.Errorf("WriteTo = %v", err)
	}
}
