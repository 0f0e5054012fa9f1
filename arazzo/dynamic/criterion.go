package dynamic

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
)

// Outcome is what a criterion said.
type Outcome struct {
	Passed bool
	// Fault tells why it could not be evaluated; it has then not passed (Arazzo
	// 1.1, Evaluation Errors).
	Fault string
	// Offset is the place of the fault in the condition where it was known
	// before: bytes from the start of its text.
	Offset int
}

// Criterion is a compiled Criterion Object. It is safe for concurrent use.
type Criterion struct {
	model   *arazzo.Criterion
	context *expression.Expression // nil: none
	simple  *expression.Condition  // nil: another type
	other   *matcher
	invalid *Fault // why it always fails
}

// CompileCriterion compiles a criterion. One with a fault that is not
// Unsupported can be evaluated all the same: it fails, and says why.
//
// A condition into which expressions are embedded is compiled when they have
// values. Where all stand between quotes its syntax does not depend on them, and
// its faults are told at once.
func CompileCriterion(model *arazzo.Criterion, _ arazzo.Version, names *expression.Names) (*Criterion, []Fault) {
	c := &Criterion{model: model}
	var faults []Fault
	fail := func(node *arazzo.Node, err error) {
		if node == nil {
			node = model.Node
		}
		faults = append(faults, faultOf(node, err))
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
	} else {
		if !model.Context.Present() {
			fail(model.Node, fmt.Errorf("a criterion of type %s needs a context", model.Type.Type))
		}
		other, err := newMatcher(model, names)
		if err != nil {
			fail(model.Condition.Node, err)
		}
		c.other = other
	}
	if len(faults) > 0 {
		c.invalid = &faults[0]
	}
	return c, faults
}

// Condition gives the condition as it is written.
func (c *Criterion) Condition() string { return c.model.Condition.Value }

// Simple gives the condition of a criterion of type simple; nil for any other.
func (c *Criterion) Simple() *expression.Condition { return c.simple }

// Eval tells whether the criterion passes. Without a value to look at, that is
// with a context that is null or absent, one of another type than simple fails.
func (c *Criterion) Eval(scope expression.Scope) Outcome {
	if c.invalid != nil {
		return Outcome{Fault: c.invalid.Message, Offset: c.invalid.Offset}
	}
	if c.simple != nil {
		return outcomeOf(c.simple.Eval(scope))
	}
	context := c.context.Eval(scope)
	if context.IsNothing() {
		return Outcome{Fault: fmt.Sprintf("its context %s is %s", c.context.Source, context.Kind())}
	}
	apply, err := c.other.prepare(scope)
	if err != nil {
		return Outcome{Fault: err.Error()}
	}
	return outcomeOf(apply(context))
}

func outcomeOf(passed bool, err error) Outcome {
	var absent *expression.AbsentError
	switch {
	case errors.As(err, &absent):
		return Outcome{Fault: absent.Error()}
	case err != nil:
		return Outcome{Fault: err.Error()}
	default:
		return Outcome{Passed: passed}
	}
}
