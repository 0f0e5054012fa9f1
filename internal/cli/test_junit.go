package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/internal/junit"
)

// writeJUnit writes a report in which a suite is a workflow, and a case is a check.
func (o *testOutput) writeJUnit(w io.Writer) error {
	report := junit.Report{Name: "weft test"}
	for _, r := range o.reports {
		for i, one := range r.Workflows {
			var unfired []string
			if i == 0 {
				unfired = r.Unfired
			}
			report.Suites = append(report.Suites, testSuite(r.Document, one, unfired))
			report.Took += one.Elapsed
		}
	}
	report.Suites = append(report.Suites, o.refusedSuites()...)
	return junit.Write(w, report)
}

func testSuite(document string, w contract.WorkflowReport, unfired []string) junit.Suite {
	suite := junit.Suite{Name: w.ID, File: document, Took: w.Elapsed, Properties: []junit.Property{
		{Name: "runs", Value: strconv.Itoa(w.Runs)},
		{Name: "steps", Value: share(w.Coverage.Steps)},
		{Name: "actions", Value: share(w.Coverage.Actions)},
		{Name: "criteria", Value: share(w.Coverage.Criteria)},
		{Name: "faults", Value: share(w.Coverage.Faults)},
		{Name: "pairs", Value: strconv.Itoa(w.Coverage.Pairs)},
	}}
	if len(w.Refused) > 0 {
		suite.Cases = []junit.Case{{Name: "can be run", Class: w.ID, Error: &junit.Problem{
			Type: "refused", Message: w.Refused[0], Text: strings.Join(w.Refused, "\n"),
		}}}
		return suite
	}
	for _, check := range contract.Checks() {
		c := junit.Case{Name: check.Demand, Class: w.ID + "." + string(check.Check)}
		for _, f := range w.Failures {
			if f.Check == check.Check {
				c.Failures = append(c.Failures, junit.Problem{Type: string(f.Check), Message: f.Message, Text: failureText(document, f)})
			}
		}
		if check.Check == contract.FaultUnfired {
			for _, text := range unfired {
				c.Failures = append(c.Failures, junit.Problem{Type: string(check.Check), Message: text})
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

func failureText(document string, f contract.Failure) string {
	var b strings.Builder
	for _, c := range f.Conditions {
		fmt.Fprintf(&b, "- %s\n", c)
	}
	fmt.Fprintf(&b, "%s\nweft test %s --replay %d\n", f.Story, document, f.Seed)
	return b.String()
}
