package executor

import (
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
)

// refuseTwice refuses a parameter that a step writes twice: which of the two was
// meant would be a guess.
func (c *compiler) refuseTwice(w *workflow, s *step, before []argument, a argument, p *arazzo.Parameter) {
	if name, twice := standsTwice(before, a, s.kind == callsWorkflow); twice {
		c.refuse(w.set, p.Node, "step %q: the %s stands twice", s.id, name)
	}
}

// refuseSharedTwice refuses a parameter that a workflow gives twice to its steps.
func (c *compiler) refuseSharedTwice(w *workflow, names *expression.Names) {
	var before []argument
	for _, p := range w.model.Parameters {
		a, ok := c.compileArgument(w, p, names)
		if !ok {
			continue
		}
		if name, twice := standsTwice(before, a, false); twice {
			c.refuse(w.set, p.Node, "workflow %q: the %s stands twice", w.id, name)
		}
		before = append(before, a)
	}
}

// standsTwice tells whether a parameter stands among others, but those that a step
// has from its workflow, and names it. Where byName, its place makes no difference.
func standsTwice(before []argument, a argument, byName bool) (name string, twice bool) {
	for _, other := range before {
		same := other.name == a.name || a.in == "header" && strings.EqualFold(other.name, a.name)
		if other.shared || !same || !byName && other.in != a.in {
			continue
		}
		name = "parameter " + strconv.Quote(a.name)
		if !byName && a.in != "" {
			name = a.in + " " + name
		}
		return name, true
	}
	return "", false
}
