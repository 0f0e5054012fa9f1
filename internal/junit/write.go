package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

type (
	suitesXML struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Time     string     `xml:"time,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suites   []suiteXML `xml:"testsuite"`
	}
	suiteXML struct {
		Name       string         `xml:"name,attr"`
		Tests      int            `xml:"tests,attr"`
		Failures   int            `xml:"failures,attr"`
		Errors     int            `xml:"errors,attr"`
		Skipped    int            `xml:"skipped,attr"`
		Time       string         `xml:"time,attr"`
		Timestamp  string         `xml:"timestamp,attr,omitempty"`
		File       string         `xml:"file,attr,omitempty"`
		Properties *propertiesXML `xml:"properties"`
		Cases      []caseXML      `xml:"testcase"`
	}
	propertiesXML struct {
		All []propertyXML `xml:"property"`
	}
	propertyXML struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	caseXML struct {
		Name     string       `xml:"name,attr"`
		Class    string       `xml:"classname,attr"`
		File     string       `xml:"file,attr,omitempty"`
		Line     int          `xml:"line,attr,omitempty"`
		Time     string       `xml:"time,attr"`
		Failures []problemXML `xml:"failure"`
		Error    *problemXML  `xml:"error"`
		Skipped  *problemXML  `xml:"skipped"`
		Output   *outputXML   `xml:"system-out"`
	}
	problemXML struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	outputXML struct {
		Text string `xml:",cdata"`
	}
)

// Write writes a report. What XML cannot hold, or what could steer the terminal on
// which somebody reads it, is left out of the texts; what is not UTF-8 becomes U+FFFD.
// An error is one of w.
func Write(w io.Writer, r Report) error {
	text, err := xml.MarshalIndent(r.xml(), "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("junit: %w", err)
	}
	return nil
}

func (r Report) xml() suitesXML {
	out := suitesXML{Name: clean(r.Name), Time: seconds(r.Took)}
	for _, s := range r.Suites {
		suite := s.xml()
		out.Tests += suite.Tests
		out.Failures += suite.Failures
		out.Errors += suite.Errors
		out.Suites = append(out.Suites, suite)
	}
	return out
}

func (s Suite) xml() suiteXML {
	out := suiteXML{Name: clean(s.Name), File: clean(s.File), Time: seconds(s.Took), Tests: len(s.Cases)}
	if !s.Began.IsZero() {
		out.Timestamp = s.Began.UTC().Format("2006-01-02T15:04:05")
	}
	if len(s.Properties) > 0 {
		out.Properties = &propertiesXML{}
	}
	for _, p := range s.Properties {
		out.Properties.All = append(out.Properties.All, propertyXML{clean(p.Name), clean(p.Value)})
	}
	for _, c := range s.Cases {
		switch {
		case c.Error != nil:
			out.Errors++
		case len(c.Failures) > 0:
			out.Failures++
		case c.Skipped != nil:
			out.Skipped++
		}
		out.Cases = append(out.Cases, c.xml())
	}
	return out
}

func (c Case) xml() caseXML {
	out := caseXML{
		Name: clean(c.Name), Class: clean(c.Class), File: clean(c.File), Line: c.Line, Time: seconds(c.Took),
		Error: c.Error.xml(), Skipped: c.Skipped.xml(), Output: output(c.Output),
	}
	for i := range c.Failures {
		out.Failures = append(out.Failures, *c.Failures[i].xml())
	}
	return out
}

func (p *Problem) xml() *problemXML {
	if p == nil {
		return nil
	}
	return &problemXML{Message: clean(p.Message), Type: clean(p.Type), Text: clean(p.Text)}
}

// output gives lines, each of which stays one.
func output(lines []string) *outputXML {
	if len(lines) == 0 {
		return nil
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteByte('\n')
		b.WriteString(clean(strings.ReplaceAll(line, "\n", " ")))
	}
	b.WriteByte('\n')
	return &outputXML{b.String()}
}

// seconds writes a duration with milliseconds, without an exponent.
func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", max(0, d).Seconds()) }

func clean(text string) string {
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
