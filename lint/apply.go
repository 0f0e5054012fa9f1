package lint

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// Fixed is a diagnostic with the fix that was applied for it.
type Fixed struct {
	Diagnostic Diagnostic // as it was reported, in the text before the fix
	Fix        Fix
}

// Fixed gives the file's text with the fixes of its diagnostics applied, the first
// of each, and what they were for. Of fixes that touch the same bytes only the one
// that comes first is applied; the others may be needed no longer. A fix that
// several diagnostics have is applied once.
func (f *File) Fixed() ([]byte, []Fixed) {
	return f.fixed(func(string) bool { return true })
}

// fixed does what Fixed does with the fixes of rules that are wanted.
func (f *File) fixed(wanted func(rule string) bool) ([]byte, []Fixed) {
	var edits []Edit
	var done []Fixed
	for i := range f.Diagnostics {
		d := &f.Diagnostics[i]
		if !d.hasFix() || !wanted(d.Rule) {
			continue
		}
		if more, ok := compatible(edits, d.Fixes[0].Edits, len(f.Source)); ok {
			edits = append(edits, more...)
			done = append(done, Fixed{*d, d.Fixes[0]})
		}
	}
	return applyEdits(f.Source, edits), done
}

func (d *Diagnostic) hasFix() bool { return len(d.Fixes) > 0 && len(d.Fixes[0].Edits) > 0 }

// compatible gives those edits of a fix that are not among the taken ones already;
// ok is false where one is in the way of another, or goes beyond size.
func compatible(taken, edits []Edit, size int) (more []Edit, ok bool) {
	for i, e := range edits {
		if e.Span.Start.Offset < 0 || e.Span.End.Offset < e.Span.Start.Offset || e.Span.End.Offset > size {
			return nil, false
		}
		if slices.Contains(taken, e) {
			continue
		}
		if slices.ContainsFunc(taken, e.meets) || slices.ContainsFunc(edits[:i], e.meets) {
			return nil, false
		}
		more = append(more, e)
	}
	return more, true
}

// meets tells whether two edits touch the same bytes, or insert at the same place.
func (e Edit) meets(other Edit) bool {
	start, end := e.Span.Start.Offset, e.Span.End.Offset
	from, to := other.Span.Start.Offset, other.Span.End.Offset
	if start == end || from == to {
		return start <= to && from <= end
	}
	return start < to && from < end
}

// applyEdits applies edits that do not meet.
func applyEdits(source []byte, edits []Edit) []byte {
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(a.Span.Start.Offset, b.Span.Start.Offset) })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.Write(source[at:e.Span.Start.Offset])
		b.WriteString(e.Text)
		at = e.Span.End.Offset
	}
	b.Write(source[at:])
	return []byte(b.String())
}

// FixedFile is a file that FixAll has changed.
type FixedFile struct {
	Path   string
	Before []byte // as it was read
	After  []byte
	Fixed  []Fixed // in the order in which they were applied
}

// FixResult is what FixAll has done.
type FixResult struct {
	Result              // what is left, in the texts as they are now
	Changed []FixedFile // in the order of the inputs
	Refused []Refusal   // in the order in which they were tried
}

// maxRounds bounds how often a file is fixed anew: a fix can bring to light what
// another one mends.
const maxRounds = 10

// FixAll lints inputs and applies the fixes of diagnostics that are at least as
// grave as least, until none is left to apply. It writes no file. Options are asked
// for with each round: the loader must be a new one, because documents that name
// each other have changed.
//
// Fixes after which a file is worse than before are taken back: see [Refusal].
func FixAll(ctx context.Context, inputs []Input, options func() Options, least Severity) (FixResult, error) {
	f := fixer{inputs: slices.Clone(inputs), done: make(map[string]*FixedFile), guards: make(map[string]*guard), rounds: maxRounds}
	for round := 0; ; round++ {
		result, err := Run(ctx, f.inputs, options())
		if ctx.Err() != nil {
			return FixResult{}, err
		}
		if f.takeBack(result) {
			continue
		}
		if round >= f.rounds || !f.apply(result.AtLeast(least), result) {
			return FixResult{Result: result, Changed: f.changed(), Refused: f.refused}, err
		}
	}
}

// fixer holds the texts of inputs while they are fixed.
type fixer struct {
	inputs  []Input
	done    map[string]*FixedFile // by path
	last    map[string]step       // what the last round did
	guards  map[string]*guard     // of files of which something was taken back
	refused []Refusal
	rounds  int // how many there may be
}

// apply applies fixes of one round, and tells whether there were any. In all are also
// the findings that are not to be fixed.
func (f *fixer) apply(result, all Result) bool {
	f.last = make(map[string]step)
	for i := range result.Files {
		file := &result.Files[i]
		text, fixed := file.fixed(f.guards[file.Path].wants(file))
		if len(fixed) == 0 {
			continue
		}
		done := f.done[file.Path]
		if done == nil {
			done = &FixedFile{Path: file.Path, Before: file.Source}
			f.done[file.Path] = done
		}
		f.last[file.Path] = step{before: all.Files[i], fixed: fixed, fixedBefore: len(done.Fixed)}
		done.After = text
		done.Fixed = append(done.Fixed, fixed...)
		f.write(file.Path, text)
	}
	return len(f.last) > 0
}

// takeBack undoes what the last round did to files that are worse for it, and tells
// whether there were any.
func (f *fixer) takeBack(result Result) bool {
	found := false
	for i := range result.Files {
		file := &result.Files[i]
		last, ok := f.last[file.Path]
		if !ok {
			continue
		}
		why := last.worse(file)
		if why == "" {
			continue
		}
		done := f.done[file.Path]
		done.After, done.Fixed = last.before.Source, done.Fixed[:last.fixedBefore]
		f.write(file.Path, last.before.Source)
		f.refuse(file.Path, last, why)
		found = true
	}
	f.last = nil
	return found
}

func (f *fixer) write(path string, text []byte) {
	for i := range f.inputs {
		if f.inputs[i].Path == path {
			f.inputs[i].Data = text
		}
	}
}

func (f *fixer) changed() []FixedFile {
	var all []FixedFile
	for _, in := range f.inputs {
		if done := f.done[in.Path]; done != nil && len(done.Fixed) > 0 {
			all = append(all, *done)
			delete(f.done, in.Path)
		}
	}
	return all
}
