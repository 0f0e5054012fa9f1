package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// Version is the version of the JSON document. It changes when a program that
// reads the document could misread it; a new member does not change it.
const Version = 1

// JSON collects the events of runs, one run after the other, as one JSON document,
// described by docs/run-report.schema.json. It is an executor.Sink.
type JSON struct {
	report runReport
	room   room
}

type runReport struct {
	Version int         `json:"version"`
	Runs    []*runEntry `json:"runs"`
	// Refusals say why documents were not run.
	Refusals []refusal `json:"refusals,omitempty"`
}

// runEntry is one run with all that happened in it.
type runEntry struct {
	Run      string      `json:"run"`
	Document string      `json:"document"`
	Result   *runResult  `json:"result"` // null: the run did not come to its end
	Events   []runRecord `json:"events"`
}

type runResult struct {
	Status    executor.Status  `json:"status"`
	Reason    string           `json:"reason,omitempty"`
	Workflows []workflowResult `json:"workflows"`
	Counts    runCounts        `json:"counts"`
}

type workflowResult struct {
	ID      string          `json:"id"`
	Status  executor.Status `json:"status"`
	Reason  string          `json:"reason,omitempty"`
	Outputs value.Value     `json:"outputs,omitzero"`
	State   string          `json:"state,omitempty"`
}

type runCounts struct {
	Steps         int `json:"steps"`
	Requests      int `json:"requests"`
	UnsafeRepeats int `json:"unsafeRepeats"`
	Withheld      int `json:"withheld"`
	Findings      int `json:"findings"`
	Messages      int `json:"messages"`
	SetAside      int `json:"setAside"`
	Duplicates    int `json:"duplicates"`
	Conflicts     int `json:"conflicts"`
	Refused       int `json:"refused"`
}

// runRecord is one event: what all events have, and the detail of its type.
type runRecord struct {
	Sequence   int       `json:"sequence"`
	Time       time.Time `json:"time"`
	Type       string    `json:"type"`
	Workflow   string    `json:"workflow,omitempty"`
	Depth      int       `json:"depth,omitempty"`
	Step       string    `json:"step,omitempty"`
	Activation int       `json:"activation,omitempty"`
	Attempt    int       `json:"attempt,omitempty"`
	Place      *place    `json:"place,omitempty"`
	Detail     any       `json:"detail"`
	// Shortened tells that bodies, header fields, inputs and outputs were left out,
	// since the report was too large by then.
	Shortened bool `json:"shortened,omitempty"`
}

type place struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Pointer   string `json:"pointer"`
}

// NewJSON gives a JSON without events.
func NewJSON() *JSON {
	return &JSON{report: runReport{Version: Version, Runs: []*runEntry{}}}
}

// Write takes the next event; RunStarted begins a run. It is an error if the type
// of the event has no form here; the event is then there without its detail.
func (j *JSON) Write(e executor.Event) error {
	kept, shortened := j.room.take(e.Detail)
	detail, err := detailOf(kept)
	run := j.entryOf(e)
	record := recordOf(e, detail)
	record.Shortened = shortened
	run.Events = append(run.Events, record)
	if d, ok := e.Detail.(executor.RunFinished); ok {
		result := resultOf(d.Result)
		run.Result = &result
	}
	return err
}

// entryOf gives the run that an event belongs to. A stream without its beginning
// still has one.
func (j *JSON) entryOf(e executor.Event) *runEntry {
	runs := j.report.Runs
	started, begins := e.Detail.(executor.RunStarted)
	if n := len(runs); !begins && n > 0 && runs[n-1].Run == e.Run {
		return runs[n-1]
	}
	run := &runEntry{Run: e.Run, Document: started.Document}
	j.report.Runs = append(runs, run)
	return run
}

// WriteTo writes the document with what has come so far.
func (j *JSON) WriteTo(w io.Writer) (int64, error) { return writeJSON(w, j.report) }

func writeJSON(w io.Writer, document any) (int64, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		return 0, fmt.Errorf("report: encode: %w", err)
	}
	return out.WriteTo(w)
}

func placeOf(p executor.Place) *place {
	if p.File == "" {
		return nil
	}
	return &place{
		File: p.File, Pointer: p.Pointer,
		Line: p.Span.Start.Line, Column: p.Span.Start.Column,
		EndLine: p.Span.End.Line, EndColumn: p.Span.End.Column,
	}
}

func resultOf(r executor.Result) runResult {
	workflows := make([]workflowResult, len(r.Workflows))
	for i, w := range r.Workflows {
		workflows[i] = workflowResult(w)
	}
	return runResult{
		Status: r.Status, Reason: r.Reason, Workflows: workflows,
		Counts: runCounts(r.Counts),
	}
}
