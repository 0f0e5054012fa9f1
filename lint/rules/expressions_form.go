package rules

import (
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

func checkDottedBodies(p *lint.Pass) { checkAccesses(p, expression.DottedBody) }

func checkBrackets(p *lint.Pass) { checkAccesses(p, expression.BracketAfterOutput) }

// checkAccesses reports expressions with dots and brackets of a kind.
func checkAccesses(p *lint.Pass, kind expression.WarningKind) {
	for _, use := range p.Uses() {
		for _, w := range use.Expression.Warnings() {
			if w.Kind != kind {
				continue
			}
			source, meant := use.Expression.Source, use.Expression.Standard()
			p.Report(lint.Finding{
				At:      use.Place(),
				Message: w.Message,
				Fixes:   p.Replace(use.Node, use.Offset, use.Offset+len(source), meant, "write "+meant),
			})
		}
	}
}

func checkPathForms(p *lint.Pass) {
	for _, s := range p.Steps() {
		ref := s.Model.OperationPath
		if s.Target.Operation == nil || !isText(ref) || s.Model.OperationID.Present() {
			continue
		}
		before, fragment, hasPointer := strings.Cut(ref.Value, "#")
		meant := "{$sourceDescriptions." + s.Target.Source.Name + ".url}"
		switch {
		case !hasPointer:
			p.Report(lint.Finding{
				At:      lint.At(ref.Node),
				Message: "this names an operation by its id: write it as operationId",
				Fixes:   p.Rename(ref.Node, "operationId", "write operationId"),
			})
		case before != meant:
			p.Report(lint.Finding{
				At:      lint.Part(ref.Node, 0, len(before)),
				Message: "an operationPath is written " + meant + "#" + fragment,
				Fixes:   p.Write(ref.Node, meant+"#"+fragment, "write "+meant),
			})
		}
	}
}

func checkDoubleQuotes(p *lint.Pass) {
	for _, c := range p.Criteria() {
		if len(c.Faults) > 0 || c.Compiled.Simple() == nil {
			continue
		}
		node, text := c.Model.Condition.Node, c.Model.Condition.Value
		for _, w := range c.Compiled.Simple().Warnings() {
			if w.Kind != expression.DoubleQuotedString {
				continue
			}
			f := lint.Finding{At: lint.Part(node, w.Offset, w.End), Message: w.Message}
			if inner := text[w.Offset+1 : w.End-1]; !strings.ContainsAny(inner, `"'\`) {
				f.Fixes = p.Replace(node, w.Offset, w.End, "'"+inner+"'", "write '"+inner+"'")
			}
			p.Report(f)
		}
	}
}
