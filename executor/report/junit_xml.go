package report

import (
	"bytes"
	"fmt"
	"io"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/internal/junit"
)

// WriteTo writes the report of what has come so far.
func (j *JUnit) WriteTo(w io.Writer) (int64, error) {
	report := junit.Report{Name: "weft", Took: j.last.Sub(j.began)}
	for _, s := range j.suites {
		report.Suites = append(report.Suites, j.suite(s))
	}
	for _, s := range j.refused {
		report.Suites = append(report.Suites, s.suite())
	}
	var out bytes.Buffer
	if err := junit.Write(&out, report); err != nil {
		return 0, fmt.Errorf("report: %w", err)
	}
	return out.WriteTo(w)
}

func (j *JUnit) suite(s *junitSuite) junit.Suite {
	suite := junit.Suite{Name: s.id, File: s.document, Began: s.began, Took: s.last.Sub(s.began), Properties: s.properties()}
	well := s.status == executor.Succeeded || s.status == executor.Recovered && !j.FailRecovered
	explained := well // a case says why the workflow did not end well
	for _, c := range s.cases {
		made := c.made(well)
		passed := made.Error == nil && len(made.Failures) == 0
		explained = explained || !passed
		if passed {
			made.Failures = c.refusal()
		}
		if j.FailFindings && made.Error == nil && len(made.Failures) == 0 {
			made.Failures = c.broken()
		}
		suite.Cases = append(suite.Cases, made)
	}
	if !explained {
		suite.Cases = append(suite.Cases, s.ownCase())
	}
	return suite
}

// properties say how the workflow ended, and which operation bore which key.
func (s *junitSuite) properties() []junit.Property {
	var properties []junit.Property
	add := func(name, value string) {
		properties = append(properties, junit.Property{Name: name, Value: value})
	}
	status := string(s.status)
	if status == "" {
		status = "incomplete"
	}
	add("run", s.run)
	add("status", status)
	if s.state != "" {
		add("state", s.state)
	}
	if s.reason != "" {
		add("reason", s.reason)
	}
	properties = append(properties, s.messages.properties()...)
	for _, action := range s.cancels {
		add("cancel action", action)
	}
	for _, c := range s.cases {
		if c.key != "" {
			add(fmt.Sprintf("key %s/%s#%d", c.workflow, c.step, c.activation), c.key)
		}
	}
	return properties
}

// ownCase stands for the workflow itself where it did not end well and no step
// says so: a deadline, a workflow that it depends on, a run that broke off.
func (s *junitSuite) ownCase() junit.Case {
	c := junit.Case{Name: s.id, Class: s.path}
	problem := junit.Problem{Message: s.reason, Type: string(s.status)}
	if s.reason == "" {
		problem.Message = problem.Type
	}
	switch s.status {
	case "":
		problem.Message, problem.Type = "the run broke off before the workflow ended", "incomplete"
		c.Error = &problem
	case executor.Unknown:
		c.Error = &problem
	default:
		c.Failures = []junit.Problem{problem}
	}
	for _, open := range s.steps {
		for _, line := range open.lines {
			c.Output = append(c.Output, open.workflow+"/"+activationName(open.step, open.activation)+": "+line)
		}
	}
	return c
}

// made gives the case of an activation. well tells that the workflow ended well.
func (c *junitCase) made(well bool) junit.Case {
	made := junit.Case{Name: activationName(c.step, c.activation), Class: c.workflow, Took: c.ended.Sub(c.began), Output: c.lines}
	problem := c.problem()
	switch {
	case problem == nil:
	case well:
		made.Output = append(c.lines[:len(c.lines):len(c.lines)], "got over: "+colon(problem.Type, problem.Message))
	case problem.Type == string(idempotency.Unknown):
		made.Error = problem
	default:
		made.Failures = []junit.Problem{*problem}
	}
	return made
}

// problem tells what was wrong with an activation when it ended; nil: nothing.
func (c *junitCase) problem() *junit.Problem {
	unknown := c.finished.Operation == idempotency.Unknown
	if c.finished.Succeeded && !unknown {
		return nil
	}
	p := &junit.Problem{Message: c.finished.Reason, Type: "failed"}
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
func (c *junitCase) broken() []junit.Problem { return c.several(c.findings, "contract") }

// several makes one problem of some; nil: there are none.
func (c *junitCase) several(problems []string, kind string) []junit.Problem {
	if len(problems) == 0 {
		return nil
	}
	message := problems[0]
	if more := len(problems) - 1; more > 0 {
		message += fmt.Sprintf(" (and %d more)", more)
	}
	return []junit.Problem{{Message: message, Type: kind, Text: c.location()}}
}

// location says where in which file the step is; empty where that is not known.
func (c *junitCase) location() string {
	if c.place.File == "" {
		return ""
	}
	at := c.place.Span.Start
	return fmt.Sprintf("%s:%d:%d", c.place.File, at.Line, at.Column)
}
