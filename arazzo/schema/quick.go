package schema

import (
	"fmt"
	"math"

	"github.com/weft-flow/weft/arazzo/value"
)

// Quick tells whether values surely fit a schema, many times faster than a Schema
// does, and nothing of why they do not: most values do. It is compiled without the
// library, from the keywords that schemas of our own and plain schemas of inputs
// have; it refuses others. Nothing but the schema and the value bounds its work: it is
// for schemas of our own, and for those that refer to nothing. It is safe for use by
// several goroutines.
type Quick struct{ root *glance }

// CompileQuick compiles the schema that the first of some resources is; the others
// are those that it refers to. The error tells of what only a Schema knows.
func CompileQuick(resources ...Resource) (*Quick, error) {
	if len(resources) == 0 {
		return nil, fmt.Errorf("schema: compile: %w", ErrNotGiven)
	}
	c := &quickCompiler{roots: make(map[string]value.Value), known: make(map[string]*glance)}
	for _, r := range resources {
		c.roots[absoluteURI(r.ID)] = r.Root
	}
	root := c.refer(absoluteURI(resources[0].ID), "")
	if c.err != nil {
		return nil, fmt.Errorf("schema: compile: %w", c.err)
	}
	return &Quick{root}, nil
}

// Fits tells that v surely fits the schema. Where it is false, a Schema tells whether
// it does.
func (q *Quick) Fits(v value.Value) bool {
	return !hasOversized(v) && q.root.fitsWithin(math.MaxInt, v)
}
