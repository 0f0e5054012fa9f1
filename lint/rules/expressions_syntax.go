package rules

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// faultPlace is where in its text a fault is: from there to the end.
func faultPlace(f dynamic.Fault) lint.Place {
	if f.Node == nil {
		return lint.Place{}
	}
	if f.Offset <= 0 || f.Offset >= len(f.Node.Text) {
		return lint.At(f.Node)
	}
	return lint.Part(f.Node, f.Offset, len(f.Node.Text))
}

// selectorLanguage gives the language of a Selector Object that a node is the
// selector of; empty where it is none.
func selectorLanguage(n *arazzo.Node) string {
	if n == nil || n.Parent() == nil || n.Token() != "selector" {
		return ""
	}
	return languageOf(n.Parent().Get("type"))
}

func languageOf(kind *arazzo.Node) string {
	if kind != nil && kind.Kind == value.KindObject {
		kind = kind.Get("type")
	}
	if kind == nil {
		return ""
	}
	return kind.Text
}

func checkExpressionSyntax(p *lint.Pass) {
	for _, v := range p.Values() {
		for _, f := range v.Faults {
			if language := selectorLanguage(f.Node); language == "" || language == "jsonpointer" {
				reportFault(p, f)
			}
		}
		checkOutputSyntax(p, v)
	}
	for _, c := range p.Criteria() {
		for _, f := range c.Faults {
			if f.Node == c.Model.Context.Node && isText(c.Model.Context) || inEmbedded(c, f) {
				reportFault(p, f)
			}
		}
	}
	checkTargets(p, func(n *arazzo.Node, language selector.Language, err error) {
		if language == selector.JSONPointer {
			p.Reportf(lint.At(n), "target: %s", err)
		}
	})
}

func reportFault(p *lint.Pass, f dynamic.Fault) {
	if f.Node != nil && f.Node.Kind == value.KindString && !f.Unsupported {
		p.Report(lint.Finding{At: faultPlace(f), Message: f.Message})
	}
}

// checkOutputSyntax reports an output that begins like an expression and is none.
func checkOutputSyntax(p *lint.Pass, v *lint.Value) {
	text := noExpression(v)
	if text == nil || !strings.HasPrefix(text.Text, "$") {
		return
	}
	_, err := expression.Parse(text.Text, namesOf(v.Site))
	var fault *expression.Error
	if !asError(err, &fault) {
		return
	}
	f := lint.Finding{At: faultPlace(dynamic.Fault{Node: text, Offset: fault.Offset}), Message: fault.Message}
	if meant := meantExpression(text.Text, namesOf(v.Site)); meant != "" {
		f.Message += "; did you mean " + meant + "?"
		f.Fixes = p.Write(text, meant, "write "+meant)
	}
	p.Report(f)
}

// noExpression gives the text that stands where a value must be a runtime
// expression, and is none: that of an output, or of a place in a message, or the
// context of a Selector Object that is an output. nil: there is no such text, or
// another rule tells what is wrong with it.
func noExpression(v *lint.Value) *arazzo.Node {
	switch {
	case len(v.Faults) > 0 || v.Compiled.IsWhole():
		return nil
	case v.Kind != lint.InOutput && v.Kind != lint.InWorkflowOutput && v.Kind != lint.InMessage:
		return nil
	case v.Kind == lint.InMessage && !strings.HasPrefix(v.Node.Text, "$message."):
		return nil // the schema says so
	case v.Node.Kind == value.KindString:
		return v.Node
	case v.Node.Kind != value.KindObject || v.Node.Get("selector") == nil:
		return nil // the schema says so
	}
	context := v.Node.Get("context")
	if context == nil || context.Kind != value.KindString {
		return nil
	}
	if _, err := expression.Parse(context.Text, namesOf(v.Site)); err == nil {
		return nil
	}
	return context
}

func namesOf(site lint.Site) *expression.Names {
	if site.Workflow == nil {
		return nil
	}
	return site.Workflow.Names
}

// inEmbedded tells whether a fault of a condition that is not simple is in an
// expression embedded in it.
func inEmbedded(c *lint.Criterion, f dynamic.Fault) bool {
	if c.Model.Type == nil || c.Model.Type.Type == "simple" || f.Node != c.Model.Condition.Node {
		return false
	}
	_, err := expression.ParseEmbedded(c.Model.Condition.Value, namesOf(c.Site))
	return err != nil
}

// checkTargets calls found for the target of each payload replacement whose
// language is known and that is not of it.
func checkTargets(p *lint.Pass, found func(n *arazzo.Node, language selector.Language, err error)) {
	for _, s := range p.Steps() {
		body := s.Model.RequestBody
		if body == nil {
			continue
		}
		for _, r := range body.Replacements {
			if !isText(r.Target) || r.TargetType == nil && !isText(body.ContentType) || strings.Contains(r.Target.Value, "{$") {
				continue
			}
			language, version := dynamic.TargetLanguage(r.TargetType, body.ContentType.Value)
			_, err := selector.Compile(language, version, r.Target.Value)
			var syntax *selector.SyntaxError
			if asError(err, &syntax) {
				found(r.Target.Node, language, err)
			}
		}
	}
}

func checkOutputsAreExpressions(p *lint.Pass) {
	for _, v := range p.Values() {
		text := noExpression(v)
		if text == nil || strings.HasPrefix(text.Text, "$") {
			continue
		}
		f := lint.Finding{At: lint.At(text), Message: "expected a runtime expression, this is the text " + quote(text.Text)}
		if meant := meantExpression(text.Text, namesOf(v.Site)); meant != "" {
			f.Message = "expected a runtime expression, this is text; did you mean " + meant + "?"
			f.Fixes = p.Write(text, meant, "write "+meant)
		}
		p.Report(f)
	}
}
