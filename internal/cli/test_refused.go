package cli

import (
	"strings"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/internal/junit"
)

// testRefusal is why a document was not tested at all.
type testRefusal struct {
	document string
	executor.Refusal
}

// testRefusalJSON is the form of a testRefusal in docs/test-report.schema.json.
type testRefusalJSON struct {
	Path    string         `json:"path"`
	Message string         `json:"message"`
	Place   *testPlaceJSON `json:"place,omitempty"`
}

// refuse keeps for the reports why a document was not tested.
func (o *testOutput) refuse(document string, reasons ...executor.Refusal) {
	for _, r := range reasons {
		o.refused = append(o.refused, testRefusal{document, r})
	}
}

// refuseFor keeps for the reports the error for which a document was not tested.
func (o *testOutput) refuseFor(document string, err error) {
	for _, reason := range reasonsOf(err) {
		o.refuse(document, executor.Refusal{Message: reason})
	}
}

func (o *testOutput) refusalsJSON() []testRefusalJSON {
	var out []testRefusalJSON
	for _, r := range o.refused {
		made := testRefusalJSON{Path: r.document, Message: r.Message}
		if r.Place.Span.Start.Line > 0 {
			made.Place = placeJSON(r.Place)
		}
		out = append(out, made)
	}
	return out
}

// refusedSuites gives a suite for each document that was not tested, with one case: a
// report without any would pass for a good one.
func (o *testOutput) refusedSuites() []junit.Suite {
	var suites []junit.Suite
	for at := 0; at < len(o.refused); {
		first := o.refused[at]
		var lines []string
		for ; at < len(o.refused) && o.refused[at].document == first.document; at++ {
			line := o.refused[at].Message
			if o.refused[at].Place.Span.Start.Line > 0 {
				line = o.refused[at].Error()
			}
			lines = append(lines, line)
		}
		refused := &junit.Problem{Type: "refused", Message: first.Message, Text: strings.Join(lines, "\n")}
		suites = append(suites, junit.Suite{
			Name: first.document, File: first.document,
			Cases: []junit.Case{{Name: "can be run", Class: first.document, Error: refused}},
		})
	}
	return suites
}
