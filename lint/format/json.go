package format

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// jsonVersion is the version of the document that JSON writes. It changes only
// where a reader of the one before would be misled.
const jsonVersion = 1

type jsonResult struct {
	Version int        `json:"version"`
	Files   []jsonFile `json:"files"`
}

type jsonFile struct {
	Path       string           `json:"path"`
	Complete   bool             `json:"complete"`
	Incomplete []jsonIncomplete `json:"incomplete"`
	Findings   []jsonFinding    `json:"findings"`
}

type jsonIncomplete struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

type jsonFinding struct {
	Rule     string        `json:"rule"`
	Layer    string        `json:"layer"`
	Severity string        `json:"severity"`
	Message  string        `json:"message"`
	Start    jsonPosition  `json:"start"`
	End      jsonPosition  `json:"end"`
	Pointer  string        `json:"pointer"`
	Related  []jsonRelated `json:"related"`
	Fixes    []jsonFix     `json:"fixes"`
	Help     string        `json:"help"`
}

// jsonPosition counts lines, and columns in characters, from 1.
type jsonPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type jsonRelated struct {
	Path    string       `json:"path"`
	Message string       `json:"message"`
	Start   jsonPosition `json:"start"`
	End     jsonPosition `json:"end"`
}

type jsonFix struct {
	Title string     `json:"title"`
	Edits []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	Start jsonPosition `json:"start"`
	End   jsonPosition `json:"end"`
	Text  string       `json:"text"`
}

// JSON writes a result as one JSON document, with a line feed at its end. No
// list is ever null.
func JSON(w io.Writer, result lint.Result) error {
	out := jsonResult{Version: jsonVersion, Files: each(result.Files, fileJSON)}
	return writeJSON(w, out)
}

// writeJSON writes a value as people read it, with a line feed at its end.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("format: write JSON: %w", err)
	}
	return nil
}

func fileJSON(f lint.File) jsonFile {
	return jsonFile{
		Path:       f.Path,
		Complete:   f.Complete,
		Incomplete: each(f.Incomplete, func(i lint.Incomplete) jsonIncomplete { return jsonIncomplete(i) }),
		Findings:   each(f.Diagnostics, findingJSON),
	}
}

func findingJSON(d lint.Diagnostic) jsonFinding {
	return jsonFinding{
		Rule:     d.Rule,
		Layer:    d.Layer.String(),
		Severity: d.Severity.String(),
		Message:  d.Message,
		Start:    positionJSON(d.Span.Start),
		End:      positionJSON(d.Span.End),
		Pointer:  d.Pointer,
		Related:  each(d.Related, relatedJSON),
		Fixes:    each(d.Fixes, fixJSON),
		Help:     d.Help,
	}
}

func relatedJSON(r lint.Related) jsonRelated {
	return jsonRelated{Path: r.File, Message: r.Message, Start: positionJSON(r.Span.Start), End: positionJSON(r.Span.End)}
}

func fixJSON(f lint.Fix) jsonFix {
	return jsonFix{Title: f.Title, Edits: each(f.Edits, func(e lint.Edit) jsonEdit {
		return jsonEdit{Start: positionJSON(e.Span.Start), End: positionJSON(e.Span.End), Text: e.Text}
	})}
}

func positionJSON(p arazzo.Position) jsonPosition { return jsonPosition{p.Line, p.Column} }

// each gives what convert makes of each item; an empty list for none.
func each[T, U any](items []T, convert func(T) U) []U {
	out := make([]U, len(items))
	for i, item := range items {
		out[i] = convert(item)
	}
	return out
}
