package cli

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/executor/contract"
)

// A suite is a workflow, and a case is a check.
type (
	testSuitesXML struct {
		XMLName  xml.Name       `xml:"testsuites"`
		Name     string         `xml:"name,attr"`
		Tests    int            `xml:"tests,attr"`
		Failures int            `xml:"failures,attr"`
		Errors   int            `xml:"errors,attr"`
		Suites   []testSuiteXML `xml:"testsuite"`
	}
	testSuiteXML struct {
		Name       string            `xml:"name,attr"`
		File       string            `xml:"file,attr"`
		Tests      int               `xml:"tests,attr"`
		Failures   int               `xml:"failures,attr"`
		Errors     int               `xml:"errors,attr"`
		Time       string            `xml:"time,attr"`
		Properties []testPropertyXML `xml:"properties>property"`
		Cases      []testCaseXML     `xml:"testcase"`
	}
	testPropertyXML struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testCaseXML struct {
		Name      string           `xml:"name,attr"`
		ClassName string           `xml:"classname,attr"`
		Failures  []testProblemXML `xml:"failure"`
		Error     *testProblemXML  `xml:"error"`
	}
	testProblemXML struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func (o *testOutput) writeJUnit(w io.Writer) error {
	out := testSuitesXML{Name: "weft test"}
	for _, r := range o.reports {
		for i, one := range r.Workflows {
			var unfired []string
			if i == 0 {
				unfired = r.Unfired
			}
			out.Suites = append(out.Suites, suiteXML(r.Document, one, unfired))
		}
	}
	out.Suites = append(out.Suites, o.refusalsXML()...)
	for _, suite := range out.Suites {
		out.Tests += suite.Tests
		out.Failures += suite.Failures
		out.Errors += suite.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suiteXML(document string, w contract.WorkflowReport, unfired []string) testSuiteXML {
	suite := testSuiteXML{Name: w.ID, File: document, Time: strconv.FormatFloat(w.Elapsed.Seconds(), 'f', 3, 64)}
	suite.Properties = []testPropertyXML{
		{"runs", strconv.Itoa(w.Runs)}, {"steps", share(w.Coverage.Steps)}, {"actions", share(w.Coverage.Actions)},
		{"criteria", share(w.Coverage.Criteria)}, {"faults", share(w.Coverage.Faults)}, {"pairs", strconv.Itoa(w.Coverage.Pairs)},
	}
	if len(w.Refused) > 0 {
		suite.add(testCaseXML{Name: "can be run", ClassName: w.ID, Error: &testProblemXML{
			Type: "refused", Message: w.Refused[0], Text: strings.Join(w.Refused, "\n"),
		}})
		return suite
	}
	for _, check := range contract.Checks() {
		c := testCaseXML{Name: check.Demand, ClassName: w.ID + "." + string(check.Check)}
		for _, f := range w.Failures {
			if f.Check == check.Check {
				c.Failures = append(c.Failures, testProblemXML{Type: string(f.Check), Message: f.Message, Text: failureText(document, f)})
			}
		}
		if check.Check == contract.FaultUnfired {
			for _, text := range unfired {
				c.Failures = append(c.Failures, testProblemXML{Type: string(check.Check), Message: text})
			}
		}
		suite.add(c)
	}
	return suite
}

func (s *testSuiteXML) add(c testCaseXML) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if len(c.Failures) > 0 {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

func failureText(document string, f contract.Failure) string {
	var b strings.Builder
	for _, c := range f.Conditions {
		fmt.Fprintf(&b, "- %s\n", c)
	}
	fmt.Fprintf(&b, "%s\nweft test %s --replay %d\n", f.Story, document, f.Seed)
	return b.String()
}
