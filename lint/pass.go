package lint

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/internal/spelling"
)

// Pass is one rule at work on one document. The document is shared by the passes
// of all rules and must not be changed.
type Pass struct {
	*Document
	rule   *Rule
	kept   *kept
	config *Config
}

// Option gives the value of an option of the rule: as the configuration has it,
// else its default.
func (p *Pass) Option(name string) int { return p.config.option(p.rule, name) }

// Finding is what a rule reports. The pass adds the rule, its layer and the file.
type Finding struct {
	At       Place
	Severity Severity // zero: that of the rule
	Message  string   // what is wrong, what was expected, what there is
	Related  []Related
	Fixes    []Fix // only such that are certain to be right
	Help     string
	// Secrets are stretches of the file that hold a secret: they must not be shown.
	Secrets []arazzo.Span
}

// Report keeps a finding. The same finding of a rule at the same place is kept
// once, however many ways lead to it: a component is looked at with each workflow
// that uses it.
func (p *Pass) Report(f Finding) {
	d := Diagnostic{
		Rule: p.rule.Name, Layer: p.rule.Layer, Severity: p.rule.Severity,
		Message: f.Message, File: p.File, Span: f.At.Span, Pointer: f.At.Pointer,
		Related: f.Related, Fixes: f.Fixes, Help: f.Help, Secrets: f.Secrets,
	}
	if f.Severity != 0 {
		d.Severity = f.Severity
	}
	if d.Span == (arazzo.Span{}) {
		d.Span.Start, d.Span.End = beginning, beginning
	}
	p.nameComponent(f.At, &d)
	for i := range d.Related {
		if d.Related[i].File == "" {
			d.Related[i].File = p.File
		}
	}
	p.kept.add(d)
}

// Hide keeps a stretch of the file from being shown, though nothing is wrong with
// it by this rule.
func (p *Pass) Hide(secret arazzo.Span) { p.kept.hidden = append(p.kept.hidden, secret) }

// Reportf keeps a finding that is no more than a message.
func (p *Pass) Reportf(at Place, format string, arguments ...any) {
	p.Report(Finding{At: at, Message: fmt.Sprintf(format, arguments...)})
}

// beginning is the first place of a file.
var beginning = arazzo.Position{Line: 1, Column: 1}

// kept collects diagnostics without repetition.
type kept struct {
	diagnostics []Diagnostic
	seen        map[keptKey]bool
	hidden      []arazzo.Span
}

type keptKey struct {
	rule, message string
	start, end    int
}

func (k *kept) add(d Diagnostic) {
	key := keptKey{d.Rule, d.Message, d.Span.Start.Offset, d.Span.End.Offset}
	if k.seen[key] {
		return
	}
	if k.seen == nil {
		k.seen = make(map[keptKey]bool)
	}
	k.seen[key] = true
	k.diagnostics = append(k.diagnostics, d)
}

// Place is a stretch of a document that something is reported of.
type Place struct {
	Span    arazzo.Span
	Pointer string
}

// At is the place of the first of the nodes that there is: what is at fault, then
// what holds it.
func At(nodes ...*arazzo.Node) Place {
	for _, n := range nodes {
		if n != nil {
			return Place{n.Span, n.Pointer()}
		}
	}
	return Place{}
}

// Part is the stretch of a node's text from byte from up to, not including, byte
// to; the whole node where the file does not write it one to one.
func Part(n *arazzo.Node, from, to int) Place {
	return Place{n.Part(from, to), n.Pointer()}
}

// Name is the name of the member that n is the value of; n itself where it is
// none.
func Name(n *arazzo.Node) Place {
	if key := keyOf(n); key != nil {
		return Place{key.Span, n.Pointer()}
	}
	return At(n)
}

// See is another place of the same document that has to do with a finding.
func See(n *arazzo.Node, format string, arguments ...any) Related {
	return Related{Span: At(n).Span, Message: fmt.Sprintf(format, arguments...)}
}

// DidYouMean ends a message with the name that was probably meant, or else with
// the names that there are: "; did you mean "x"?", "; its outputs: a, b". what
// calls them in the plural.
func DidYouMean(name string, names []string, what string) string {
	if near, ok := spelling.Nearest(name, names); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return among(names, what)
}

func among(names []string, what string) string {
	if len(names) == 0 {
		return "; there are none"
	}
	more := ""
	if len(names) > namesListed {
		more = fmt.Sprintf(" and %d more", len(names)-namesListed)
		names = names[:namesListed]
	}
	return fmt.Sprintf("; %s: %s%s", what, strings.Join(names, ", "), more)
}

// DidYouMean is the function of that name, for messages about names of the document: it
// guesses at what was meant as long as that has taken no great part of the time.
func (d *Document) DidYouMean(name string, names []string, what string) string {
	if d.world.guessed += len(names); d.world.guessed > maxGuesses {
		return among(names, what)
	}
	return DidYouMean(name, names, what)
}

// maxGuesses bounds the names that wrong ones of a document are compared with.
const maxGuesses = 1_000_000

// namesListed is how many names a message lists.
const namesListed = 12
