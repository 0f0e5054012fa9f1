package junit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// whole has a case of every kind.
func whole() Report {
	failed := []Problem{{Type: "error", Message: "m", Text: "a.yaml:1:1"}, {Message: "second"}}
	return Report{Name: "weft", Took: 3 * time.Second, Suites: []Suite{
		{Name: "empty"},
		{
			Name: "all", File: "a.yaml", Began: time.Date(2026, 11, 30, 10, 0, 0, 0, time.FixedZone("", 3600)), Took: 1500 * time.Millisecond,
			Properties: []Property{{Name: "status", Value: "failed"}},
			Cases: []Case{
				{Name: "passes", Class: "c", Output: []string{"one", "two\nlines"}},
				{Name: "fails", Class: "c", File: "a.yaml", Line: 7, Failures: failed},
				{Name: "in error", Class: "c", Error: &Problem{Type: "unknown", Message: "m"}, Failures: failed},
				{Name: "skipped", Class: "c", Skipped: &Problem{Message: "why"}},
			},
		},
	}}
}

func written(t *testing.T, r Report) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

const wholeReport = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="weft" time="3.000" tests="4" failures="1" errors="1">
  <testsuite name="empty" tests="0" failures="0" errors="0" skipped="0" time="0.000"></testsuite>
  <testsuite name="all" tests="4" failures="1" errors="1" skipped="1" time="1.500" timestamp="2026-11-30T09:00:00" file="a.yaml">
    <properties>
      <property name="status" value="failed"></property>
    </properties>
    <testcase name="passes" classname="c" time="0.000">
      <system-out><![CDATA[
one
two lines
]]></system-out>
    </testcase>
    <testcase name="fails" classname="c" file="a.yaml" line="7" time="0.000">
      <failure message="m" type="error">a.yaml:1:1</failure>
      <failure message="second"></failure>
    </testcase>
    <testcase name="in error" classname="c" time="0.000">
      <failure message="m" type="error">a.yaml:1:1</failure>
      <failure message="second"></failure>
      <error message="m" type="unknown"></error>
    </testcase>
    <testcase name="skipped" classname="c" time="0.000">
      <skipped message="why"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`

func TestAReportIsWrittenWithItsCounts(t *testing.T) {
	if got := written(t, whole()); got != wholeReport {
		t.Errorf("got\n%s", got)
	}
}

func TestReportsHaveTheShapeThatJenkinsReads(t *testing.T) {
	checkShape(t, written(t, Report{}))
	checkShape(t, written(t, whole()))
}

func TestTextsThatXMLCannotHold(t *testing.T) {
	hostile := "a<b>&\"c\"\x1b\u202e\x00 ]]> \x07\r\xff\ufffe"
	problem := Problem{Type: hostile, Message: hostile, Text: hostile}
	report := written(t, Report{Name: hostile, Suites: []Suite{{
		Name: hostile, File: hostile, Properties: []Property{{Name: hostile, Value: hostile}},
		Cases: []Case{{
			Name: hostile, Class: hostile, File: hostile, Failures: []Problem{problem}, Error: &problem, Skipped: &problem,
			Output: []string{hostile},
		}},
	}}})
	for _, r := range report {
		if r < ' ' && r != '\n' || r == '\u202e' || r == '\ufffe' {
			t.Errorf("the report has %U", r)
		}
	}
	var read struct {
		Name  string `xml:"name,attr"`
		Suite struct {
			Case struct {
				Output string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(report), &read); err != nil {
		t.Fatal(err)
	}
	want := "a<b>&\"c\" ]]> \ufffd"
	if output := strings.TrimSpace(read.Suite.Case.Output); read.Name != want || output != want {
		t.Errorf("read back %q and %q, want %q", read.Name, output, want)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestAWriterThatFailsIsTold(t *testing.T) {
	if err := Write(brokenWriter{}, whole()); !errors.Is(err, errBroken) {
		t.Errorf("Write = %v", err)
	}
}

// shape lists what the schema that Jenkins publishes for JUnit reports allows in
// an element: its attributes, with ! where it is demanded, and its children; and the
// file and line of a case, which GitLab reads.
var shape = map[string]struct{ attributes, children string }{
	"testsuites": {"name time tests failures errors", "testsuite"},
	"testsuite": {
		"name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
		"testsuite properties testcase system-out system-err",
	},
	"properties": {"", "property"},
	"property":   {"name! value!", ""},
	"testcase":   {"name! time classname group file line", "skipped error failure system-out system-err"},
	"failure":    {"type message", ""},
	"error":      {"type message", ""},
	"skipped":    {"type message", ""},
	"system-out": {"", ""},
}

func checkShape(t *testing.T, report string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(report))
	var open []string
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			allowed, known := shape[name]
			if !known || len(open) > 0 && !slices.Contains(strings.Fields(shape[open[len(open)-1]].children), name) {
				t.Errorf("<%s> within %v", name, open)
			}
			checkAttributes(t, token, strings.Fields(allowed.attributes))
			open = append(open, name)
		case xml.EndElement:
			open = open[:len(open)-1]
		}
	}
}

func checkAttributes(t *testing.T, element xml.StartElement, allowed []string) {
	t.Helper()
	has := map[string]string{}
	for _, a := range element.Attr {
		has[a.Name.Local] = a.Value
		if !slices.Contains(allowed, a.Name.Local) && !slices.Contains(allowed, a.Name.Local+"!") {
			t.Errorf("<%s> has %s", element.Name.Local, a.Name.Local)
		}
		if a.Name.Local == "time" {
			if _, err := strconv.ParseFloat(a.Value, 64); err != nil || strings.ContainsAny(a.Value, "e-+") {
				t.Errorf("<%s> has the time %q", element.Name.Local, a.Value)
			}
		}
	}
	for _, name := range allowed {
		if bare, demanded := strings.CutSuffix(name, "!"); demanded {
			if _, ok := has[bare]; !ok {
				t.Errorf("<%s> has no %s", element.Name.Local, bare)
			}
		}
	}
}

func TestSecondsHaveNoExponent(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0.000", -time.Second: "0.000", time.Microsecond: "0.000", 1500 * time.Microsecond: "0.002", 100 * time.Hour: "360000.000",
	} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %s, want %s", d, got, want)
		}
	}
}
