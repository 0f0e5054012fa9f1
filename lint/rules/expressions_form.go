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
		ref := s.Target.Ref
		if !isText(ref) || ref.Node != s.Model.OperationPath.Node && ref.Node != s.Model.ChannelPath.Node {
			continue
		}
		field := ref.Node.Token()
		before, meant := pathForm(&s.Target)
		switch {
		case s.Target.Source == nil || meant == ref.Value:
		case meant == "":
			p.Report(lint.Finding{
				At:      lint.At(ref.Node),
				Message: "this names an operation by its id: write it as operationId",
				Fixes:   p.Rename(ref.Node, "operationId", "write operationId"),
			})
		default:
			p.Report(lint.Finding{
				At:      lint.Part(ref.Node, 0, len(before)),
				Message: field + ": expected " + meant,
				Fixes:   p.Write(ref.Node, meant, "write "+meant),
			})
		}
	}
}

// pathForm gives what an operationPath or channelPath has before its pointer, and
// the whole as the specification writes it: empty for one that names an operation
// by its id.
func pathForm(t *lint.Target) (before, meant string) {
	if t.Operation == nil && t.Channel == nil {
		return "", t.Ref.Value
	}
	before, fragment, hasPointer := strings.Cut(t.Ref.Value, "#")
	url := "{$sourceDescriptions." + t.Source.Name + ".url}#"
	switch {
	case hasPointer:
		return before, url + fragment
	case t.Async != nil || t.Operation != nil:
		return before, ""
	default:
		return before, url + "/channels/" + pointerToken.Replace(t.Ref.Value)
	}
}

// pointerToken writes a key as a token of a JSON Pointer in a fragment.
var pointerToken = strings.NewReplacer("~", "~0", "/", "~1", "%", "%25")

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
