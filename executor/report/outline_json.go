package report

import (
	"io"

	"github.com/weft-flow/weft/executor"
)

// Outlines collects what runs would do as one JSON document, described by
// docs/dry-run.schema.json.
type Outlines struct {
	// ShowKeys tells to write the keys themselves beside their digests.
	ShowKeys bool
	report   outlineReport
}

// Add takes the outline of the next document.
func (o *Outlines) Add(document string, outline executor.Outline) {
	o.report.Documents = append(o.report.Documents, outlineDocument{
		Document: document, Origins: append([]string{}, outline.Origins...),
		Workflows: o.workflows(outline.Workflows), Others: o.workflows(outline.Others), Shortened: outline.Shortened,
	})
}

// WriteTo writes the document with what has come so far.
func (o *Outlines) WriteTo(w io.Writer) (int64, error) {
	o.report.Version = Version
	if o.report.Documents == nil {
		o.report.Documents = []outlineDocument{}
	}
	return writeJSON(w, o.report)
}

type (
	outlineReport struct {
		Version   int               `json:"version"`
		Documents []outlineDocument `json:"documents"`
		Refusals  []refusal         `json:"refusals,omitempty"`
	}
	outlineDocument struct {
		Document  string            `json:"document"`
		Origins   []string          `json:"origins"`
		Workflows []outlineWorkflow `json:"workflows"`
		Others    []outlineWorkflow `json:"others"`
		Shortened bool              `json:"shortened,omitempty"`
	}
	outlineWorkflow struct {
		ID       string        `json:"id"`
		Document string        `json:"document"`
		Why      string        `json:"why,omitempty"`
		Steps    []outlineStep `json:"steps"`
	}
	outlineStep struct {
		ID         string           `json:"id"`
		Calls      string           `json:"calls"`
		Server     string           `json:"server,omitempty"`
		Target     string           `json:"target,omitempty"`
		Effectful  bool             `json:"effectful"`
		Contract   bool             `json:"contract"`
		Key        *outlinedKey     `json:"key,omitempty"`
		KeyReason  string           `json:"keyReason,omitempty"`
		Unresolved []string         `json:"unresolved,omitempty"`
		Problem    string           `json:"problem,omitempty"`
		Workflow   *outlineWorkflow `json:"workflow,omitempty"`
	}
	outlinedKey struct {
		Header string `json:"header"`
		Digest string `json:"digest,omitempty"`
		Key    string `json:"key,omitempty"`
	}
)

func (o *Outlines) workflows(list []executor.OutlineWorkflow) []outlineWorkflow {
	all := make([]outlineWorkflow, len(list))
	for i, w := range list {
		all[i] = o.workflow(w)
	}
	return all
}

func (o *Outlines) workflow(w executor.OutlineWorkflow) outlineWorkflow {
	made := outlineWorkflow{ID: w.ID, Document: w.Document, Why: w.Why, Steps: make([]outlineStep, len(w.Steps))}
	for i, s := range w.Steps {
		made.Steps[i] = o.step(s)
	}
	return made
}

func (o *Outlines) step(s executor.OutlineStep) outlineStep {
	made := outlineStep{
		ID: s.ID, Calls: s.Calls, Server: s.Server, Target: s.Target, Effectful: s.Effectful, Contract: s.Contract,
		KeyReason: s.KeyReason, Unresolved: s.Unresolved, Problem: s.Problem,
	}
	if s.KeyHeader != "" {
		made.Key = &outlinedKey{Header: s.KeyHeader, Digest: s.KeyDigest}
		if o.ShowKeys {
			made.Key.Key = s.Key
		}
	}
	if s.Workflow != nil {
		called := o.workflow(*s.Workflow)
		made.Workflow = &called
	}
	return made
}
