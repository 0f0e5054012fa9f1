package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// The elements of a JUnit report, with no more than what the schema of Jenkins
// allows. Texts pass through xmlText.
type (
	xmlSuites struct {
		XMLName  xml.Name    `xml:"testsuites"`
		Name     string      `xml:"name,attr"`
		Time     string      `xml:"time,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Suites   []*xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Name       string        `xml:"name,attr"`
		Tests      int           `xml:"tests,attr"`
		Failures   int           `xml:"failures,attr"`
		Errors     int           `xml:"errors,attr"`
		Skipped    int           `xml:"skipped,attr"`
		Time       string        `xml:"time,attr"`
		Timestamp  string        `xml:"timestamp,attr,omitempty"`
		File       string        `xml:"file,attr,omitempty"`
		Properties []xmlProperty `xml:"properties>property"`
		Cases      []xmlCase     `xml:"testcase"`
	}
	xmlProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	xmlCase struct {
		Name      string      `xml:"name,attr"`
		ClassName string      `xml:"classname,attr"`
		Time      string      `xml:"time,attr"`
		Failure   *xmlProblem `xml:"failure"`
		Error     *xmlProblem `xml:"error"`
		Output    *xmlLines   `xml:"system-out"`
	}
	xmlLines struct {
		Text string `xml:",cdata"`
	}
	xmlProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteTo writes the report of what has come so far.
func (j *JUnit) WriteTo(w io.Writer) (int64, error) {
	report := xmlSuites{Name: "weft", Time: seconds(j.last.Sub(j.began))}
	var suites []*xmlSuite
	for _, s := range j.suites {
		suites = append(suites, j.suiteXML(s))
	}
	for _, s := range j.refused {
		suites = append(suites, s.xml())
	}
	for _, suite := range suites {
		report.Suites = append(report.Suites, suite)
		report.Tests += suite.Tests
		report.Failures += suite.Failures
		report.Errors += suite.Errors
	}
	var out bytes.Buffer
	out.WriteString(xml.Header)
	encoder := xml.NewEncoder(&out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(report); err != nil {
		return 0, fmt.Errorf("report: encode: %w", err)
	}
	out.WriteByte('\n')
	return out.WriteTo(w)
}

func (j *JUnit) suiteXML(s *junitSuite) *xmlSuite {
	suite := &xmlSuite{
		Name: xmlText(s.id), File: xmlText(s.document),
		Time: seconds(s.last.Sub(s.began)), Timestamp: s.began.UTC().Format("2006-01-02T15:04:05"),
		Properties: s.properties(),
	}
	well := s.status == executor.Succeeded || s.status == executor.Recovered && !j.FailRecovered
	explained := well // a case says why the workflow did not end well
	for _, c := range s.cases {
		x := c.xml(well)
		explained = explained || x.Failure != nil || x.Error != nil
		if x.Failure == nil && x.Error == nil {
			x.Failure = c.refusal()
		}
		if j.FailFindings && x.Failure == nil && x.Error == nil {
			x.Failure = c.broken()
		}
		suite.add(x)
	}
	if !explained {
		suite.add(s.ownCase())
	}
	return suite
}

func (s *xmlSuite) add(c xmlCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

// properties say how the workflow ended, and which operation bore which key.
func (s *junitSuite) properties() []xmlProperty {
	status := string(s.status)
	if status == "" {
		status = "incomplete"
	}
	properties := []xmlProperty{{"run", xmlText(s.run)}, {"status", status}}
	if s.state != "" {
		properties = append(properties, xmlProperty{"state", xmlText(s.state)})
	}
	if s.reason != "" {
		properties = append(properties, xmlProperty{"reason", xmlText(s.reason)})
	}
	properties = append(properties, s.messages.properties()...)
	for _, action := range s.cancels {
		properties = append(properties, xmlProperty{"cancel action", xmlText(action)})
	}
	for _, c := range s.cases {
		if c.key != "" {
			name := fmt.Sprintf("key %s/%s#%d", c.workflow, c.step, c.activation)
			properties = append(properties, xmlProperty{xmlText(name), xmlText(c.key)})
		}
	}
	return properties
}

// ownCase stands for the workflow itself where it did not end well and no step
// says so: a deadline, a workflow that it depends on, a run that broke off.
func (s *junitSuite) ownCase() xmlCase {
	c := xmlCase{Name: xmlText(s.id), ClassName: xmlText(s.path), Time: seconds(0)}
	problem := &xmlProblem{Message: xmlText(s.reason), Type: string(s.status)}
	if s.reason == "" {
		problem.Message = problem.Type
	}
	switch s.status {
	case "":
		problem.Message, problem.Type = "the run broke off before the workflow ended", "incomplete"
		c.Error = problem
	case executor.Unknown:
		c.Error = problem
	default:
		c.Failure = problem
	}
	var lines []string
	for _, open := range s.steps {
		for _, line := range open.lines {
			lines = append(lines, open.workflow+"/"+activationName(open.step, open.activation)+": "+line)
		}
	}
	c.Output = linesOf(lines)
	return c
}

// xml gives the case of an activation. well tells that the workflow ended well.
func (c *junitCase) xml(well bool) xmlCase {
	x := xmlCase{Name: xmlText(activationName(c.step, c.activation)), ClassName: xmlText(c.workflow), Time: seconds(c.ended.Sub(c.began))}
	lines := c.lines
	problem := c.problem()
	switch {
	case problem == nil:
	case well:
		lines = append(lines[:len(lines):len(lines)], "got over: "+colon(problem.Type, problem.Message))
	case problem.Type == string(idempotency.Unknown):
		x.Error = problem
	default:
		x.Failure = problem
	}
	x.Output = linesOf(lines)
	return x
}

// problem tells what was wrong with an activation when it ended; nil: nothing.
func (c *junitCase) problem() *xmlProblem {
	unknown := c.finished.Operation == idempotency.Unknown
	if c.finished.Succeeded && !unknown {
		return nil
	}
	p := &xmlProblem{Message: xmlText(c.finished.Reason), Type: "failed"}
	if unknown {
		p.Type = string(idempotency.Unknown)
		if p.Message == "" {
			p.Message = "the outcome is unknown"
		}
	}
	if p.Message == "" {
		p.Message = "failed"
	}
	p.Text = c.location()
	return p
}

// broken tells how responses and messages of an activation broke their description;
// nil: they did not.
func (c *junitCase) broken() *xmlProblem { return c.several(c.findings, "contract") }

// several makes one problem of some; nil: there are none.
func (c *junitCase) several(problems []string, kind string) *xmlProblem {
	if len(problems) == 0 {
		return nil
	}
	message := problems[0]
	if more := len(problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return &xmlProblem{Message: xmlText(message), Type: kind, Text: c.location()}
}

// location says where in which file the step is; empty where that is not known.
func (c *junitCase) location() string {
	if c.place.File == "" {
		return ""
	}
	at := c.place.Span.Start
	return xmlText(fmt.Sprintf("%s:%d:%d", c.place.File, at.Line, at.Column))
}

func linesOf(lines []string) *xmlLines {
	if len(lines) == 0 {
		return nil
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteByte('\n')
		b.WriteString(xmlText(strings.ReplaceAll(line, "\n", " ")))
	}
	b.WriteByte('\n')
	return &xmlLines{b.String()}
}

// seconds writes a duration with milliseconds, without an exponent.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(0, d).Seconds()) }

// xmlText gives text without what XML cannot hold, or what could do something to
// the terminal on which somebody reads it. What is not UTF-8 becomes U+FFFD.
func xmlText(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\uFFFE', r == '\uFFFF':
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, string(utf8.RuneError)))
}
