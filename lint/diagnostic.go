package lint

import (
	"bytes"

	"github.com/weft-flow/weft/arazzo"
)

// Severity says how much a diagnostic matters. The greater one is the graver.
type Severity uint8

// The severities, in the order of their weight.
const (
	Hint  Severity = iota + 1 // could be better
	Warn                      // probably not what was meant
	Error                     // wrong
)

// String gives the word that outputs and configuration use.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warn:
		return "warn"
	case Hint:
		return "hint"
	default:
		return "none"
	}
}

// ParseSeverity reads error, warn or hint.
func ParseSeverity(word string) (Severity, bool) {
	for _, s := range []Severity{Error, Warn, Hint} {
		if word == s.String() {
			return s, true
		}
	}
	return 0, false
}

// Layer parts what the specification's shape demands from everything else.
type Layer uint8

// The layers.
const (
	Schema    Layer = iota + 1 // the shape of a document
	Semantics                  // what it means
)

// String gives the word that outputs use.
func (l Layer) String() string {
	if l == Semantics {
		return "semantics"
	}
	return "schema"
}

// Diagnostic is one thing that is wrong with a document.
type Diagnostic struct {
	Rule     string
	Layer    Layer
	Severity Severity
	Message  string // what is wrong, what was expected, what there is
	File     string
	Span     arazzo.Span
	Pointer  string // JSON Pointer (RFC 6901) of the node at fault
	Related  []Related
	Fixes    []Fix
	Help     string // what to do about it, where the message does not say
	// Secrets are stretches of the file that hold a secret. Whoever shows lines of
	// the file must hide them, whatever it shows the lines for: see File.Shown.
	Secrets []arazzo.Span

	component arazzo.Span // of a reference: the component that it uses
}

// Related is another place that has to do with a diagnostic.
type Related struct {
	File    string
	Span    arazzo.Span
	Message string
}

// Fix is a change that is certain to mend a diagnostic.
type Fix struct {
	Title string
	Edits []Edit
}

// Edit replaces the bytes of a span in the file of the diagnostic.
type Edit struct {
	Span arazzo.Span
	Text string
}

// File is what was found in one file.
type File struct {
	Path        string
	Complete    bool // whether everything that was asked for was checked
	Incomplete  []Incomplete
	Diagnostics []Diagnostic // in the order of their places
	Source      []byte       // the file; those who show its lines take Shown

	hidden []arazzo.Span // secrets of diagnostics that are not reported
}

// Shown gives the file as it may be shown: with a star for each byte of a secret.
func (f *File) Shown() []byte {
	secrets := f.hidden
	for i := range f.Diagnostics {
		secrets = append(secrets[:len(secrets):len(secrets)], f.Diagnostics[i].Secrets...)
	}
	if len(secrets) == 0 {
		return f.Source
	}
	shown := bytes.Clone(f.Source)
	for _, s := range secrets {
		for at := max(0, s.Start.Offset); at < min(s.End.Offset, len(shown)); at++ {
			if shown[at] != '\n' && shown[at] != '\r' {
				shown[at] = '*'
			}
		}
	}
	return shown
}

// keep keeps the diagnostics that want accepts. The secrets of the others stay
// hidden.
func (f *File) keep(want func(*Diagnostic) bool) {
	kept := make([]Diagnostic, 0, len(f.Diagnostics))
	for i := range f.Diagnostics {
		if want(&f.Diagnostics[i]) {
			kept = append(kept, f.Diagnostics[i])
		} else {
			f.hidden = append(f.hidden[:len(f.hidden):len(f.hidden)], f.Diagnostics[i].Secrets...)
		}
	}
	f.Diagnostics = kept
}

// Incomplete is something that could not be checked, with the reason.
type Incomplete struct {
	What, Why string
}

// Result is what a run found, in the order of the inputs.
type Result struct {
	Files []File
}

// AtLeast gives the result without diagnostics that are less grave than s.
func (r Result) AtLeast(s Severity) Result {
	out := Result{Files: make([]File, len(r.Files))}
	for i, f := range r.Files {
		f.keep(func(d *Diagnostic) bool { return d.Severity >= s })
		out.Files[i] = f
	}
	return out
}

// Count gives how many diagnostics have exactly the severity s.
func (r Result) Count(s Severity) int {
	n := 0
	for i := range r.Files {
		for j := range r.Files[i].Diagnostics {
			if r.Files[i].Diagnostics[j].Severity == s {
				n++
			}
		}
	}
	return n
}

// Reaches tells whether a diagnostic is at least as grave as s.
func (r Result) Reaches(s Severity) bool {
	for ; s <= Error; s++ {
		if r.Count(s) > 0 {
			return true
		}
	}
	return false
}
