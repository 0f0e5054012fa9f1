package lint

import (
	"fmt"
	"slices"
)

// Refusal tells that the fixes of a rule were applied to a file and taken back, because
// the file was worse for them: it could not be read any more, it had more errors in its
// shape, less of it could be checked, or there were findings that are graver than what
// was fixed.
type Refusal struct {
	Path string
	Rule string
	Why  string // what was found after them
}

// step is what one round did to a file.
type step struct {
	before      File
	fixed       []Fixed
	fixedBefore int // how many fixes were applied before
}

// rules gives the rules whose fixes were applied, each once.
func (s step) rules() []string {
	var rules []string
	for _, f := range s.fixed {
		if !slices.Contains(rules, f.Diagnostic.Rule) {
			rules = append(rules, f.Diagnostic.Rule)
		}
	}
	return rules
}

// worse tells why a file is worse after the step; empty: it is not. Findings are
// counted: a fix may change the words and the places of others.
func (s step) worse(after *File) string {
	gravest := Hint
	for _, f := range s.fixed {
		gravest = max(gravest, f.Diagnostic.Severity)
	}
	isShape := func(d *Diagnostic) bool { return d.Layer == Schema && d.Severity == Error }
	if more := added(&s.before, after, isShape, func(*Diagnostic) string { return "" }); more != "" {
		return more
	}
	isGraver := func(d *Diagnostic) bool { return d.Severity > gravest }
	if more := added(&s.before, after, isGraver, func(d *Diagnostic) string { return d.Rule }); more != "" {
		return more
	}
	if len(after.Incomplete) > len(s.before.Incomplete) {
		last := after.Incomplete[len(after.Incomplete)-1]
		return fmt.Sprintf("%s is not checked: %s", last.What, last.Why)
	}
	return ""
}

// added tells of a finding that is there after and was not before, where there are more
// of its kind; empty: there is none.
func added(before, after *File, counts func(*Diagnostic) bool, kind func(*Diagnostic) string) string {
	left, said := make(map[string]int), make(map[string]bool)
	for i := range before.Diagnostics {
		if d := &before.Diagnostics[i]; counts(d) {
			left[kind(d)]++
			said[d.Rule+d.Message] = true
		}
	}
	for i := range after.Diagnostics {
		if d := &after.Diagnostics[i]; counts(d) {
			left[kind(d)]--
		}
	}
	words := ""
	for i := range after.Diagnostics {
		d := &after.Diagnostics[i]
		if !counts(d) || left[kind(d)] >= 0 {
			continue
		}
		if isNew := !said[d.Rule+d.Message]; isNew || words == "" {
			words = fmt.Sprintf("%s [%s]", d.Message, d.Rule)
			if isNew {
				return words
			}
		}
	}
	return words
}

// guard says how a file is fixed further of which something was taken back: with the
// fixes of one rule at a time, so that those of the others are not lost.
type guard struct{ refused []string }

// wants tells of which rules fixes are applied to a file; of all where there is no guard.
func (g *guard) wants(file *File) func(rule string) bool {
	if g == nil {
		return func(string) bool { return true }
	}
	next := ""
	for i := range file.Diagnostics {
		if d := &file.Diagnostics[i]; d.hasFix() && !slices.Contains(g.refused, d.Rule) {
			next = d.Rule
			break
		}
	}
	return func(rule string) bool { return rule == next }
}

// refuse keeps that a step was taken back. Where it was that of one rule, this is tried
// no more; else its rules are tried one after the other.
func (f *fixer) refuse(path string, taken step, why string) {
	g := f.guards[path]
	if g == nil {
		g = &guard{}
		f.guards[path] = g
	}
	rules := taken.rules()
	f.rounds += len(rules) + 1
	if len(rules) == 1 {
		g.refused = append(g.refused, rules[0])
		f.refused = append(f.refused, Refusal{path, rules[0], why})
	}
}
