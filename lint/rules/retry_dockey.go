package rules

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// checkDocumentKey reports inputs from which the document makes the business key of all
// its workflows, and which none of them declares. One that some declare may be meant
// for these alone; open are workflows whose inputs cannot be seen.
func checkDocumentKey(p *lint.Pass, open map[*lint.Workflow]bool) {
	if p.Model.Idempotency == nil || !p.Model.Idempotency.Key.Present() || len(p.Workflows) == 0 {
		return
	}
	key := p.Model.Idempotency.Key
	for _, name := range inputsNamed(key.Value) {
		declares := func(w *lint.Workflow) bool { return open[w] || slices.Contains(w.Names.Inputs, name) }
		if slices.ContainsFunc(p.Workflows, declares) {
			continue
		}
		var inputs []string
		for _, w := range p.Workflows {
			inputs = append(inputs, w.Names.Inputs...)
		}
		slices.Sort(inputs)
		inputs = slices.Compact(inputs)
		p.Reportf(lint.At(key.Node), "no workflow declares an input %s%s", quote(name), p.DidYouMean(name, inputs, "their inputs"))
	}
}

// inputsNamed gives the inputs that an expression, or a text with expressions in
// braces, names; none of one that cannot be read.
func inputsNamed(text string) []string {
	if e, err := expression.Parse(text, nil); err == nil {
		return inputsOf(e)
	}
	segments, err := expression.ParseEmbedded(text, nil)
	if err != nil {
		return nil
	}
	var names []string
	for _, s := range segments {
		if s.Expression != nil {
			names = append(names, inputsOf(s.Expression)...)
		}
	}
	return names
}

func inputsOf(e *expression.Expression) []string {
	if e.Root != expression.Inputs {
		return nil
	}
	return []string{e.Name}
}
