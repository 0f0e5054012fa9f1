package cli

import (
	"encoding/json"
	"io"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
)

// The form of docs/test-report.schema.json.
type (
	testJSON struct {
		Version  int                `json:"version"`
		Files    []testDocumentJSON `json:"files"`
		Refusals []testRefusalJSON  `json:"refusals,omitempty"`
	}
	testDocumentJSON struct {
		Path      string             `json:"path"`
		Seed      uint64             `json:"seed"`
		Runs      int                `json:"runs"`
		Seconds   float64            `json:"seconds"`
		Failed    bool               `json:"failed"`
		Unfired   []string           `json:"unfired,omitempty"`
		Workflows []testWorkflowJSON `json:"workflows"`
	}
	testWorkflowJSON struct {
		ID        string              `json:"id"`
		Refused   []string            `json:"refused,omitempty"`
		Runs      int                 `json:"runs"`
		Seconds   float64             `json:"seconds"`
		Plain     *testPlainJSON      `json:"plain,omitempty"`
		Coverage  testCoverageJSON    `json:"coverage"`
		Unreached []testUnreachedJSON `json:"unreached"`
		Notes     []string            `json:"notes,omitempty"`
		Failures  []testFailureJSON   `json:"failures"`
	}
	testPlainJSON struct {
		Status string `json:"status"`
		Reason string `json:"reason,omitempty"`
	}
	testCoverageJSON struct {
		Steps    testCountJSON `json:"steps"`
		Actions  testCountJSON `json:"actions"`
		Criteria testCountJSON `json:"criteria"`
		Faults   testCountJSON `json:"faults"`
		Pairs    int           `json:"pairs"`
	}
	testCountJSON struct {
		Covered int `json:"covered"`
		Total   int `json:"total"`
	}
	testUnreachedJSON struct {
		Kind    string         `json:"kind"`
		Step    string         `json:"step,omitempty"`
		Name    string         `json:"name,omitempty"`
		Outcome string         `json:"outcome,omitempty"`
		Why     string         `json:"why"`
		Place   *testPlaceJSON `json:"place,omitempty"`
	}
	testFailureJSON struct {
		Check      string         `json:"check"`
		Step       string         `json:"step,omitempty"`
		Message    string         `json:"message"`
		Place      *testPlaceJSON `json:"place,omitempty"`
		Seed       uint64         `json:"seed"`
		Runs       int            `json:"runs"`
		Conditions []string       `json:"conditions"`
		Status     string         `json:"status"`
		Story      string         `json:"story"`
	}
	testPlaceJSON struct {
		File    string `json:"file"`
		Line    int    `json:"line,omitempty"`
		Column  int    `json:"column,omitempty"`
		Pointer string `json:"pointer,omitempty"`
	}
)

func (o *testOutput) writeJSON(w io.Writer) error {
	out := testJSON{Version: 1, Files: []testDocumentJSON{}, Refusals: o.refusalsJSON()}
	for _, r := range o.reports {
		d := testDocumentJSON{
			Path: r.Document, Seed: r.Seed, Runs: r.Runs, Seconds: r.Elapsed.Seconds(), Failed: r.Failed(),
			Unfired: r.Unfired, Workflows: []testWorkflowJSON{},
		}
		for _, one := range r.Workflows {
			d.Workflows = append(d.Workflows, workflowJSON(one))
		}
		out.Files = append(out.Files, d)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func workflowJSON(w contract.WorkflowReport) testWorkflowJSON {
	out := testWorkflowJSON{
		ID: w.ID, Refused: w.Refused, Runs: w.Runs, Seconds: w.Elapsed.Seconds(),
		Coverage: testCoverageJSON{
			Steps: countJSON(w.Coverage.Steps), Actions: countJSON(w.Coverage.Actions),
			Criteria: countJSON(w.Coverage.Criteria), Faults: countJSON(w.Coverage.Faults), Pairs: w.Coverage.Pairs,
		},
		Unreached: []testUnreachedJSON{}, Notes: w.Notes, Failures: []testFailureJSON{},
	}
	if len(w.Refused) == 0 {
		out.Plain = &testPlainJSON{Status: string(w.Plain), Reason: w.PlainReason}
	}
	for _, u := range w.Unreached {
		out.Unreached = append(out.Unreached, testUnreachedJSON{
			Kind: u.Kind, Step: u.Step, Name: u.Name, Outcome: u.Outcome, Why: u.Why, Place: placeJSON(u.Place),
		})
	}
	for _, f := range w.Failures {
		out.Failures = append(out.Failures, testFailureJSON{
			Check: string(f.Check), Step: f.Step, Message: f.Message, Place: placeJSON(f.Place), Seed: f.Seed, Runs: f.Runs,
			Conditions: append([]string{}, f.Conditions...), Status: string(f.Status), Story: f.Story,
		})
	}
	return out
}

func countJSON(c contract.Count) testCountJSON { return testCountJSON{c.Covered, c.Total} }

func placeJSON(p executor.Place) *testPlaceJSON {
	if p.File == "" {
		return nil
	}
	return &testPlaceJSON{File: p.File, Line: p.Span.Start.Line, Column: p.Span.Start.Column, Pointer: p.Pointer}
}
