package dynamic

import (
	"fmt"
	"sync/atomic"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// Outcome is what a criterion said.
type Outcome struct {
	Passed bool
	// Fault tells why it could not be evaluated; it has then not passed (Arazzo
	// 1.1, Evaluation Errors).
	Fault string
}

// Criterion is a compiled Criterion Object. It is safe for concurrent use.
type Criterion struct {
	model   *arazzo.Criterion
	context *expression.Expression // nil: none
	simple  *expression.Condition  // nil: another type
	other   *matcher
	invalid string // why it always fails
}

// matcher is a condition of type regex, jsonpath or xpath.
type matcher struct {
	language string
	version  string
	segments []expression.Segment
	fixed    test                  // where nothing is inserted
	last     atomic.Pointer[built] // what was inserted last
}

// test is one compiled condition, applied to its context.
type test func(context value.Value) (bool, error)

type built struct {
	text string
	test test
}

// CompileCriterion compiles a criterion. One with a fault that is not
// Unsupported can be evaluated all the same: it fails, and says why.
func CompileCriterion(model *arazzo.Criterion, version arazzo.Version, names *expression.Names) (*Criterion, []Fault) {
	c := &Criterion{model: model}
	var faults []Fault
	fail := func(node *arazzo.Node, err error) {
		f := faultOf(node, err)
		faults = append(faults, f)
		c.invalid = f.Message
	}
	if model.Context.Present() {
		context, err := expression.Parse(model.Context.Value, names)
		if err != nil {
			fail(model.Context.Node, err)
		}
		c.context = context
	}
	if model.Type == nil || model.Type.Type == "simple" {
		simple, err := expression.ParseCondition(model.Condition.Value, names)
		if err != nil {
			fail(model.Condition.Node, err)
		}
		c.simple = simple
		return c, faults
	}
	m, err := newMatcher(model, names)
	if err != nil {
		fail(model.Condition.Node, err)
	}
	c.other = m
	return c, faults
}

func newMatcher(model *arazzo.Criterion, names *expression.Names) (*matcher, error) {
	m := &matcher{language: model.Type.Type, version: model.Type.Version}
	segments, err := expression.ParseEmbedded(model.Condition.Value, names)
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		if s.Expression != nil {
			m.segments = segments
			return m, nil
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

// Condition gives the condition as it is written.
func (c *Criterion) Condition() string { return c.model.Condition.Value }

// Simple gives the condition of a criterion of type simple; nil for any other.
func (c *Criterion) Simple() *expression.Condition { return c.simple }

// Eval tells whether the criterion passes.
func (c *Criterion) Eval(scope expression.Scope) Outcome {
	if c.invalid != "" {
		return Outcome{Fault: c.invalid}
	}
	if c.simple != nil {
		passed, err := c.simple.Eval(scope)
		return outcomeOf(passed, err)
	}
	if c.context == nil {
		return Outcome{Fault: fmt.Sprintf("type %s needs a context", c.other.language)}
	}
	context := c.context.Eval(scope)
	if context.IsNothing() {
		return Outcome{Fault: fmt.Sprintf("its context %s is %s", c.context.Source, context.Kind())}
	}
	t, err := c.other.prepare(scope)
	if err != nil {
		return Outcome{Fault: err.Error()}
	}
	return outcomeOf(t(context))
}

func outcomeOf(passed bool, err error) Outcome {
	if err != nil {
		return Outcome{Fault: err.Error()}
	}
	return Outcome{Passed: passed}
}

// prepare gives the test with everything inserted; what was inserted last is
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
	t, err := m.compile(text)
	if err != nil {
		return nil, fmt.Errorf("after insertion: %w", err)
	}
	m.last.Store(&built{text: text, test: t})
	return t, nil
}

// Uses lists the runtime expressions of the criterion: of its context, then of
// its condition.
func (c *Criterion) Uses() []Use {
	var uses []Use
	if c.context != nil {
		uses = append(uses, Use{Expression: c.context, Node: c.model.Context.Node})
	}
	switch {
	case c.simple != nil:
		return append(uses, templateUses(c.simple.Expressions(), c.model.Condition.Node)...)
	case c.other != nil:
		return append(uses, templateUses(c.other.segments, c.model.Condition.Node)...)
	}
	return uses
}
