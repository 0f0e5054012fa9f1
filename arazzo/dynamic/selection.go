package dynamic

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// selection is a compiled Selector Object.
type selection struct {
	context  *expression.Expression
	selector *selector.Selector
}

// compileSelection compiles v as a Selector Object, and tells whether it is one:
// an object of exactly context, selector and type (and extensions) whose context
// is a runtime expression.
func (c *valueCompiler) compileSelection(v *Value) bool {
	if c.version != arazzo.Version11 || !isSelectorObject(v.node) {
		return false
	}
	context, err := expression.Parse(v.node.Get("context").Text, c.names)
	if err != nil {
		return false
	}
	language, version, ok := selectorType(v.node.Get("type"))
	if !ok {
		return false
	}
	text := v.node.Get("selector")
	compiled, err := selector.Compile(language, version, text.Text)
	if err != nil {
		c.faults = append(c.faults, faultOf(text, err))
		return true
	}
	v.choice = &selection{context: context, selector: compiled}
	return true
}

func isSelectorObject(node *arazzo.Node) bool {
	for _, m := range node.Members {
		switch name := m.Key.Text; {
		case name == "context" || name == "selector":
			if m.Value.Kind != value.KindString {
				return false
			}
		case name != "type" && !strings.HasPrefix(name, "x-"):
			return false
		}
	}
	return node.Get("context") != nil && node.Get("selector") != nil && node.Get("type") != nil
}

// selectorType reads a type: a word, or an Expression Type Object.
func selectorType(node *arazzo.Node) (language selector.Language, version string, ok bool) {
	name := node.Text
	switch node.Kind {
	case value.KindString:
	case value.KindObject:
		t := node.Get("type")
		if t == nil || t.Kind != value.KindString {
			return 0, "", false
		}
		name = t.Text
		if v := node.Get("version"); v != nil {
			version = v.Text
		}
	default:
		return 0, "", false
	}
	language, err := selector.ParseLanguage(name)
	return language, version, err == nil
}

// eval gives what the selector finds in the context; absent where there is none.
func (s *selection) eval(scope expression.Scope) (value.Value, error) {
	context := s.context.Eval(scope)
	if context.IsAbsent() || context.IsNull() && s.selector.Language() == selector.XPath {
		return value.Absent, nil
	}
	return s.selector.Select(context)
}

// TargetLanguage gives the language of a Payload Replacement Object's target: the
// one it names, else JSON Pointer, or XPath for XML (Arazzo 1.1, Payload
// Replacement Object). The specification has no default for forms and other
// content; JSON Pointer serves them too.
func TargetLanguage(t *arazzo.ExpressionType, contentType string) (language selector.Language, version string) {
	if t != nil {
		if named, err := selector.ParseLanguage(t.Type); err == nil {
			return named, t.Version
		}
	}
	if isXML(contentType) {
		return selector.XPath, ""
	}
	return selector.JSONPointer, ""
}

// isXML tells whether a content type is XML or built on it (RFC 7303, section 8).
func isXML(contentType string) bool {
	essence, _, _ := strings.Cut(contentType, ";")
	essence = strings.ToLower(strings.TrimSpace(essence))
	return essence == "application/xml" || essence == "text/xml" || strings.HasSuffix(essence, "+xml")
}
