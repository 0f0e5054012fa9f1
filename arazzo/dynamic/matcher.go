package dynamic

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// matcher is a condition of type regex, jsonpath or xpath.
type matcher struct {
	language string
	version  string
	segments []expression.Segment  // of a condition with embedded expressions
	fixed    test                  // of one without
	last     atomic.Pointer[built] // what was inserted last
}

// test is one compiled condition, applied to its context.
type test func(context value.Value) (bool, error)

// built is a condition after insertion, with its test.
type built struct {
	text string
	test test
}

func newMatcher(model *arazzo.Criterion, names *expression.Names) (*matcher, error) {
	m := &matcher{language: model.Type.Type, version: model.Type.Version}
	if m.language != "regex" && m.language != "jsonpath" && m.language != "xpath" {
		return nil, fmt.Errorf("there is no criterion type %q; there are simple, regex, jsonpath and xpath", m.language)
	}
	segments, err := expression.ParseEmbedded(model.Condition.Value, names)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		if s.Expression != nil {
			m.segments = segments
			return m, m.check()
		}
	}
	m.fixed, err = m.compile(model.Condition.Value)
	return m, err
}

// compile makes the test for a condition without embedded expressions.
func (m *matcher) compile(text string) (test, error) {
	if m.language == "regex" {
		pattern, err := selector.CompileRegex(text)
		if err != nil {
			return nil, err
		}
		return func(context value.Value) (bool, error) { return pattern.Match(context.Text()) }, nil
	}
	language, err := selector.ParseLanguage(m.language)
	if err != nil {
		return nil, err
	}
	compiled, err := selector.Compile(language, m.version, text)
	if err != nil {
		return nil, err
	}
	return compiled.Test, nil
}

// prepare gives the test with everything inserted. What was inserted last is
// compiled only once.
func (m *matcher) prepare(scope expression.Scope) (test, error) {
	if m.fixed != nil {
		return m.fixed, nil
	}
	text, err := m.insert(scope)
	if err != nil {
		return nil, err
	}
	if last := m.last.Load(); last != nil && last.text == text {
		return last.test, nil
	}
	apply, err := m.compile(text)
	if err != nil {
		return nil, fmt.Errorf("after insertion it is %s: %w", text, err)
	}
	m.last.Store(&built{text: text, test: apply})
	return apply, nil
}

// check compiles the condition with a letter in place of each expression, where
// all of them stand between quotes. What is inserted is escaped, so no backslash
// may stand before it.
func (m *matcher) check() error {
	var b strings.Builder
	quote, escapes, quoted := byte(0), false, true
	for _, s := range m.segments {
		if s.Expression == nil {
			b.WriteString(s.Text)
			quote, escapes = m.scan(quote, s.Text)
			continue
		}
		if escapes {
			return &selector.SyntaxError{Offset: s.Offset - len(`\{`), Message: "a backslash stands before an embedded expression, whose text it would change"}
		}
		quoted = quoted && quote != 0
		b.WriteString(standIn)
	}
	if !quoted {
		return nil
	}
	_, err := m.compile(b.String())
	return m.moved(err)
}

// standIn takes the place of an expression that has no value yet.
const standIn = "x"

// moved gives err with its offset in the condition as it is written.
func (m *matcher) moved(err error) error {
	switch e := err.(type) { //nolint:errorlint // compile gives these unwrapped
	case *selector.SyntaxError:
		return &selector.SyntaxError{Offset: m.written(e.Offset), Message: e.Message}
	case *selector.UnsupportedError:
		return &selector.UnsupportedError{Offset: m.written(e.Offset), Message: e.Message}
	default:
		return err
	}
}

// written gives the offset in the condition for one in the text with stand-ins.
func (m *matcher) written(offset int) int {
	at, place := 0, 0
	for _, s := range m.segments {
		place = s.Offset
		length := len(s.Text)
		if s.Expression != nil {
			length = len(standIn)
		}
		if offset < at+length {
			break
		}
		at += length
		place = s.End
	}
	return place + max(offset-at, 0)
}
