package lint

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
)

// SiteKind is what an expression, a value or a criterion is for.
type SiteKind uint8

// The kinds of sites, those first that are evaluated before the step's call.
const (
	InParameter       SiteKind = iota + 1 // of a step, or of the workflow for its steps
	InPayload                             // of a request body
	InReplacement                         // the value of a payload replacement
	InCorrelation                         // correlationId
	InKey                                 // x-weft-idempotency: key
	InCriterion                           // successCriteria, judged with the response
	InOutput                              // of a step, evaluated with the response
	InActionCriteria                      // criteria of an action
	InActionParameter                     // of an action: an input of the workflow that it calls
	InState                               // x-weft-state: value
	InMessage                             // x-weft-correlation, x-weft-message-id: a place in a message
	InWorkflowOutput                      // evaluated when the workflow has ended
)

// AfterCall tells whether there is a response, or a message, to look at.
func (k SiteKind) AfterCall() bool { return k >= InCriterion && k <= InMessage }

// Site is where in the flow something is evaluated.
type Site struct {
	Kind     SiteKind
	Workflow *Workflow // nil: in components that nobody refers to
	Step     *Step     // nil: it is of the workflow, for all of its steps or for its end
	Action   *Action   // of InActionCriteria, InActionParameter and InState of actions
}

// Value is a value of the document, compiled with the names of its workflow.
type Value struct {
	Site
	Node     *arazzo.Node
	Compiled *dynamic.Value
	Faults   []dynamic.Fault // where there are any, Compiled is of no use
}

// Criterion is a criterion, compiled with the names of its workflow.
type Criterion struct {
	Site
	Model    *arazzo.Criterion
	Compiled *dynamic.Criterion
	Faults   []dynamic.Fault

	verdict *Verdict // once it was asked for
	said    string   // its meaning, once it was asked for
}

// Condition gives the syntax tree of a simple condition; nil for another type,
// and for one with faults.
func (c *Criterion) Condition() expression.Node {
	if len(c.Faults) > 0 || c.Compiled.Simple() == nil {
		return nil
	}
	return c.Compiled.Simple().Root()
}

// Use is one runtime expression with its place: of a value, or of a criterion.
type Use struct {
	Site
	dynamic.Use
}

// Place is where the expression is written.
func (u *Use) Place() Place { return u.Part(0, len(u.Expression.Source)) }

// Part is the stretch of the expression from its byte from up to, not including,
// its byte to: from u.Expression.NameAt, say, to name the output in it.
func (u *Use) Part(from, to int) Place { return Part(u.Node, u.Offset+from, u.Offset+to) }

// Owner is where the owner of the expression is written: the step, the workflow.
func (u *Use) Owner() Place {
	return u.Part(u.Expression.OwnerAt, u.Expression.OwnerAt+len(u.Expression.Owner))
}

// Name is where the name in the expression is written: of the input, the output,
// the header.
func (u *Use) Name() Place {
	return u.Part(u.Expression.NameAt, u.Expression.NameAt+len(u.Expression.Name))
}

// Parts are the parts of a workflow that are evaluated while it runs.
type Parts struct {
	Uses     []*Use // in the order of evaluation, step by step
	Values   []*Value
	Criteria []*Criterion
}

func (p *Parts) add(more *Parts) {
	p.Uses = append(p.Uses, more.Uses...)
	p.Values = append(p.Values, more.Values...)
	p.Criteria = append(p.Criteria, more.Criteria...)
}
