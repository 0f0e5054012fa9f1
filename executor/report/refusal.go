package report

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/internal/junit"
)

// refusal is why a document was not run: nothing was sent then.
type refusal struct {
	Document string `json:"document,omitempty"`
	Message  string `json:"message"`
	Place    *place `json:"place,omitempty"`
}

func refusalOf(document string, r executor.Refusal) refusal {
	made := refusal{Document: document, Message: r.Message}
	if r.Place.Span.Start.Line > 0 {
		made.Place = placeOf(r.Place)
	}
	return made
}

// Refuse takes a reason why a document, empty: all that was asked for, was not run.
func (j *JSON) Refuse(document string, r executor.Refusal) {
	j.report.Refusals = append(j.report.Refusals, refusalOf(document, r))
}

// Refuse takes a reason why what would be done cannot be told.
func (o *Outlines) Refuse(document string, r executor.Refusal) {
	o.report.Refusals = append(o.report.Refusals, refusalOf(document, r))
}

// Refuse takes a reason why nothing was sent; it stands in the comment of the archive,
// which has no other place for it.
func (h *HAR) Refuse(document string, r executor.Refusal) {
	log := &h.archive.Log
	if log.Comment == "" {
		log.Comment = "not run"
	}
	log.Comment += "; " + told(document, r)
}

// told gives a refusal in one line, with the document where it says none itself.
func told(document string, r executor.Refusal) string {
	switch {
	case r.Place.Span.Start.Line > 0:
		return r.Error()
	case document == "" || strings.HasPrefix(r.Message, document):
		return r.Message
	default:
		return document + ": " + r.Message
	}
}

// Refuse takes a reason why a document, empty: all that was asked for, was not run. It is
// told as an error of a case of its own.
func (j *JUnit) Refuse(document string, r executor.Refusal) {
	for _, s := range j.refused {
		if s.document == document {
			s.reasons = append(s.reasons, r)
			return
		}
	}
	j.refused = append(j.refused, &junitRefused{document: document, reasons: []executor.Refusal{r}})
}

// junitRefused is a document that was not run, with the reasons.
type junitRefused struct {
	document string
	reasons  []executor.Refusal
}

// suite has one case, which says all: where nothing ran, a report without a case would
// pass for one that is well.
func (s *junitRefused) suite() junit.Suite {
	name := s.document
	if name == "" {
		name = "weft run"
	}
	problem := junit.Problem{Message: s.reasons[0].Message, Type: "refused"}
	if more := len(s.reasons) - 1; more > 0 {
		problem.Message += fmt.Sprintf(" (and %d more)", more)
	}
	var lines []string
	for _, r := range s.reasons {
		lines = append(lines, told(s.document, r))
	}
	problem.Text = strings.Join(lines, "\n")
	return junit.Suite{
		Name: name, File: s.document, Properties: []junit.Property{{Name: "status", Value: "refused"}},
		Cases: []junit.Case{{Name: "can be run", Class: name, Error: &problem}},
	}
}
