package selector

import (
	"math"

	"github.com/weft-flow/weft/arazzo/value"
)

// filterCost bounds the work of one filter by what stands in it.
type filterCost struct {
	queries  []*queryCost
	patterns int // calls of match() and search()
}

// compares counts that what two queries find is compared, member by member.
func (c *filterCost) compares(a, b *queryCost) {
	if a != nil && b != nil {
		c.queries = append(c.queries, &queryCost{absolute: a.absolute && b.absolute, many: true})
	}
}

// queryCost is what a query within a filter can cost.
type queryCost struct {
	absolute    bool // begins at $, not at @
	many        bool // can find more than one node
	descendants int  // its descendant segments
	filters     []*filterCost
}

// measure is the size of a value.
type measure struct{ nodes, depth int }

func measured(v value.Value) measure {
	m := measure{nodes: 1, depth: 1}
	deeper := func(child value.Value) {
		beneath := measured(child)
		m.nodes += beneath.nodes
		m.depth = max(m.depth, beneath.depth+1)
	}
	for _, item := range v.Items() {
		deeper(item)
	}
	for _, member := range v.Members() {
		deeper(member.Value)
	}
	return m
}

// of bounds the work of the filter on one candidate: never less than is done.
func (c *filterCost) of(candidate value.Value, root measure) int {
	var own measure
	for _, q := range c.queries {
		if q.many && !q.absolute || len(q.filters) > 0 {
			own = measured(candidate)
			break
		}
	}
	return c.bound(own, root)
}

func (c *filterCost) bound(candidate, root measure) int {
	total := 1 + c.patterns*patternCost
	for _, q := range c.queries {
		total = plus(total, q.bound(candidate, root))
	}
	return total
}

// bound multiplies: a descendant segment finds each node beneath once, and each
// further one finds a node again from every node above it.
func (q *queryCost) bound(candidate, root measure) int {
	if !q.many {
		return 1
	}
	from := candidate
	if q.absolute {
		from = root
	}
	total := max(from.nodes, 1)
	for range q.descendants - 1 {
		total = times(total, max(from.depth, 1))
	}
	for _, f := range q.filters {
		total = times(total, plus(1, f.bound(from, root)))
	}
	return total
}

func plus(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}

func times(a, b int) int {
	if b != 0 && a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}
