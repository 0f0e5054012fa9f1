package executor

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// refuseTwice refuses a parameter that a step writes twice: which of the two was
// meant would be a guess.
func (c *compiler) refuseTwice(w *workflow, s *step, before []argument, a argument, p *arazzo.Parameter) {
	for _, other := range before {
		same := other.name == a.name || a.in == "header" && strings.EqualFold(other.name, a.name)
		if other.shared || !same || s.kind != callsWorkflow && other.in != a.in {
			continue
		}
		place := ""
		if s.kind != callsWorkflow && a.in != "" {
			place = a.in + " "
		}
		c.refuse(w.set, p.Node, "step %q: the %sparameter %q stands twice", s.id, place, a.name)
	}
}
