package expression

import (
	"fmt"
	"sync"

	"github.com/expr-lang/expr/vm"

	"github.com/weft-flow/weft/arazzo/value"
)

// Limits of a condition. They hold before anything recursive looks at it.
const (
	// MaxConditionLength is the greatest length of a condition in bytes.
	MaxConditionLength = 64 << 10
	// MaxConditionDepth is the greatest nesting of parentheses, brackets and '!'.
	MaxConditionDepth = 200
	// MaxConditionNodes is the greatest count of operands and operators.
	MaxConditionNodes = 4096
)

// Condition is a simple condition (Arazzo 1.1, Criterion Object), compiled. It is
// safe for concurrent use and must not be copied.
//
// Strings are compared without regard to case. <, <=, > and >= hold only between
// two numbers or strings that write numbers, compared exactly, or two strings.
// == and != take a string for a number only against a number. Absent acts as
// null, which equals null alone; != is the negation of ==. A value that stands
// where a verdict is wanted counts as false if it is null, absent, false, 0, an
// empty string, a list or an object, and as true else; so do the operands of !,
// && and ||.
type Condition struct {
	source   string
	root     Node
	warnings []Warning
	compiled sync.Once
	program  *vm.Program
	fault    error      // why there is no program
	braced   []*Operand // must have a value before anything is judged
	texts    []*Text
	slots    int
	runs     sync.Pool
}

// ParseCondition reads a simple condition; the first Eval compiles it, since a
// condition may be read only to be looked at. An error is an *Error.
//
// An expression in it ends at white space, ')' or an operator; '.' and '['
// belong to its pointer if it has one, and are operators else. {$…} outside
// quotes is the value of the expression; within quotes its text.
func ParseCondition(text string, names *Names) (*Condition, error) {
	p := &conditionParser{text: text, names: names}
	root, fault := p.condition()
	if fault != nil {
		return nil, fault
	}
	return &Condition{source: text, root: root, warnings: p.warnings}, nil
}

// Source gives the text as it was written.
func (c *Condition) Source() string { return c.source }

// Root gives the syntax tree. It must not be changed.
func (c *Condition) Root() Node { return c.root }

// Warnings gives what is tolerated in the condition though the grammar has no
// place for it, in the order of their offsets.
func (c *Condition) Warnings() []Warning { return c.warnings }

// Expressions gives all runtime expressions of the condition, those embedded in
// quoted strings included, in the order they are written. The offsets of the
// segments count from the start of the condition.
func (c *Condition) Expressions() []Segment {
	var all []Segment
	Walk(c.root, func(n Node) bool {
		switch n := n.(type) {
		case *Operand:
			end := n.Offset + len(n.Expression.Source)
			all = append(all, Segment{Offset: n.Offset, End: end, Expression: n.Expression})
		case *Text:
			for _, s := range n.Segments {
				if s.Expression != nil {
					all = append(all, s)
				}
			}
		}
		return true
	})
	return all
}

// Eval tells whether the condition passes. An error means that it could not be
// judged, and the criterion fails: an expression in braces has no value (then it
// is an *AbsentError).
func (c *Condition) Eval(s Scope) (bool, error) {
	c.compiled.Do(func() { c.fault = c.compile() })
	if c.fault != nil {
		return false, fmt.Errorf("condition %s: %w", c.source, c.fault)
	}
	r := c.runs.Get().(*run)
	defer c.release(r)
	r.scope = s
	if err := r.fill(c); err != nil {
		return false, fmt.Errorf("condition %s: %w", c.source, err)
	}
	out, err := r.machine.Run(c.program, r)
	if err != nil {
		return false, fmt.Errorf("condition %s: %w", c.source, err)
	}
	verdict, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("condition %s: no verdict", c.source)
	}
	return verdict, nil
}

// run is the state of one evaluation: the environment of the program.
type run struct {
	scope   Scope
	slots   []value.Value // what each operand, string and access gave
	machine vm.VM
}

func (c *Condition) release(r *run) {
	r.scope = nil
	clear(r.slots)
	c.runs.Put(r)
}

// fill evaluates what is in braces: it is replaced before the condition is
// judged, whether or not the verdict comes to depend on it.
func (r *run) fill(c *Condition) error {
	for i, o := range c.braced {
		v := o.Expression.Eval(r.scope)
		if v.IsAbsent() {
			return &AbsentError{Expression: o.Expression}
		}
		r.slots[i] = v
	}
	for i, t := range c.texts {
		text, err := evalSegments(t.Segments, r.scope)
		if err != nil {
			return err
		}
		r.slots[len(c.braced)+i] = value.String(text)
	}
	return nil
}
