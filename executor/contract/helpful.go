package contract

import "github.com/weft-flow/weft/arazzo/expression"

// foreseeable tells whether the criteria of a step look at nothing but the answer and the
// inputs: then it is known before a run how they turn out.
func (s *stepModel) foreseeable() bool {
	for _, c := range s.judged() {
		for _, use := range c.compiled.Uses() {
			switch use.Expression.Root {
			case expression.StatusCode, expression.Response, expression.Message, expression.Inputs:
			default:
				return false
			}
		}
	}
	return true
}

// helps tells whether an answer may bring about one of the goals of its step. Where that
// cannot be known before, it may.
func (s *stepModel) helps(c *candidate, goals []*goal) bool {
	if !s.foreseeable() {
		return true
	}
	succeeds := true
	for i := range s.success {
		succeeds = succeeds && c.passes[i]
	}
	if len(s.success) == 0 {
		succeeds = c.answer.Status/100 == 2
	}
	succeeds = succeeds && !c.silent
	for _, g := range goals {
		if s.bringsAbout(c, g, succeeds) {
			return true
		}
	}
	return false
}

// bringsAbout tells whether an answer leads to a goal, if no other action is taken before.
func (s *stepModel) bringsAbout(c *candidate, g *goal, succeeds bool) bool {
	for i, one := range s.success {
		if g.kind == criterionGoal && g.pointer == one.pointer {
			return c.passes[i] == g.passed && !c.silent
		}
	}
	at := len(s.success)
	for _, a := range s.actions {
		own := c.passes[at : at+len(a.criteria)]
		at += len(a.criteria)
		if succeeds != (a.trigger == "onSuccess") {
			continue
		}
		if g.kind == actionGoal && g.pointer == a.pointer {
			all := true
			for _, passed := range own {
				all = all && passed
			}
			if all {
				return true
			}
		}
		for i, one := range a.criteria {
			if g.kind == criterionGoal && g.pointer == one.pointer && own[i] == g.passed {
				return true
			}
		}
	}
	return false
}
