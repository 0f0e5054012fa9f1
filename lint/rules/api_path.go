package rules

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// checkStateMap reports keys of x-weft-state that its value never is.
func checkStateMap(p *lint.Pass, v *lint.Value, entries []arazzo.Named[arazzo.Text]) {
	if v == nil {
		return
	}
	listed, ok := v.Schema().Values()
	if !ok {
		return
	}
	texts := textsOf(listed)
	for _, entry := range entries {
		if !slices.Contains(texts, entry.Name.Value) {
			p.Reportf(lint.At(entry.Name.Node), "%s is never %s%s", short(v.Compiled.String()), quote(entry.Name.Value),
				lint.DidYouMean(entry.Name.Value, texts, "it is one of"))
		}
	}
}

func checkResponsePaths(p *lint.Pass) {
	for _, use := range p.Uses() {
		if use.Kind == lint.InCriterion || use.Kind == lint.InActionCriteria {
			continue // read along the conditions
		}
		checkPath(p, use.Site, use.Expression, lint.Tokens(use.Expression), func() lint.Place { return pathOf(use) })
	}
	for _, v := range p.Values() {
		if len(v.Faults) == 0 {
			checkSelections(p, v.Site, v.Compiled)
		}
	}
	for _, c := range p.Criteria() {
		checkConditionPaths(p, c)
	}
}

// pathOf gives where the path of an expression is written.
func pathOf(use *lint.Use) lint.Place {
	if use.Expression.HasPointer() && use.Expression.PointerAt > 0 {
		return use.Part(use.Expression.PointerAt, len(use.Expression.Source))
	}
	return use.Place()
}

// checkConditionPaths looks at what a criterion reads. To compare with null, or to
// ask whether something is there at all, needs no description of it.
func checkConditionPaths(p *lint.Pass, c *lint.Criterion) {
	root := c.Condition()
	if root == nil {
		for _, use := range c.Compiled.Uses() {
			u := &lint.Use{Site: c.Site, Use: use}
			checkPath(p, u.Site, u.Expression, lint.Tokens(u.Expression), func() lint.Place { return pathOf(u) })
		}
		checkJSONPathCriterion(p, c)
		return
	}
	node := c.Model.Condition.Node
	expression.Walk(root, func(n expression.Node) bool {
		b, ok := n.(*expression.Binary)
		if !ok || !b.Operator.IsComparison() {
			return true
		}
		if isNull(b.Left) || isNull(b.Right) {
			return false
		}
		for _, side := range []expression.Node{b.Left, b.Right} {
			if read, ok := readingOf(side); ok {
				checkPath(p, c.Site, read.expression, read.tokens, func() lint.Place {
					return lint.Part(node, read.from, read.to)
				})
			}
		}
		return true
	})
}

func isNull(n expression.Node) bool {
	l, ok := n.(*expression.Literal)
	return ok && l.Value.IsNull()
}

// checkPath reports a way that leads nowhere in a response, or in an output that
// comes of one.
func checkPath(p *lint.Pass, site lint.Site, e *expression.Expression, tokens []string, at func() lint.Place) {
	if len(tokens) == 0 {
		return
	}
	l, known := follow(site, e, tokens)
	if !known || l.presence > reason.Undeclared {
		return
	}
	p.Report(lint.Finding{At: at(), Severity: l.severity(), Message: l.message(tokens)})
}

// checkSelections looks at the Selector Objects of a value. A way that is lost
// within the context is told of that.
func checkSelections(p *lint.Pass, site lint.Site, v *dynamic.Value) {
	if context, _ := v.Selection(); context != nil {
		checkSelected(p, site, v)
		return
	}
	for _, item := range v.Items() {
		checkSelections(p, site, item)
	}
	v.Members(func(_ string, member *dynamic.Value) { checkSelections(p, site, member) })
}

func isLost(site lint.Site, e *expression.Expression, tokens []string) bool {
	l, known := follow(site, e, tokens)
	return known && l.presence <= reason.Undeclared
}

// follow follows a way from what an expression names; known is false where nothing
// tells where it leads.
func follow(site lint.Site, e *expression.Expression, tokens []string) (l lost, known bool) {
	switch {
	case e.Root == expression.Response && e.Part == expression.BodyPart:
		return lostInBodies(site, tokens), true
	case e.Root == expression.Message && e.Part == expression.PayloadPart && site.Step != nil:
		l = lostIn(site.Base(e), tokens)
		l.in = "the message of " + site.Step.MessageLabel()
		return l, true
	case e.Part == expression.OutputsPart || e.Root == expression.Outputs:
		l = lostIn(site.Base(e), tokens)
		l.in = "what " + short(e.Source[:len(e.Source)-len(pointerText(e))]) + " gives"
		return l, true
	default:
		return l, false
	}
}

// pointerText is what is written of an expression after the name.
func pointerText(e *expression.Expression) string {
	switch {
	case e.HasPointer() && e.PointerAt > 0:
		return e.Source[e.PointerAt:]
	case len(e.Accesses) > 0:
		return e.Source[e.Accesses[0].Offset:]
	default:
		return ""
	}
}

// lost is where a path leads no further.
type lost struct {
	presence reason.Presence
	at       int           // tokens before the one at fault
	schema   reason.Schema // of what they lead to
	in       string        // in words
}

// severity is that of an error where nothing can be there.
func (l lost) severity() lint.Severity {
	if l.presence == reason.Impossible {
		return lint.Error
	}
	return lint.Warn
}

func (l lost) message(tokens []string) string {
	token, where := tokens[l.at], ""
	if l.at > 0 {
		where = " at " + value.Pointer(tokens[:l.at]).String()
	}
	types := l.schema.Types()
	switch {
	case !types.Has(reason.Object | reason.Array):
		return fmt.Sprintf("%s%s is %s: there is no %s in it", l.in, where, article(types), quote(token))
	case !types.Has(reason.Object):
		return fmt.Sprintf("%s%s is an array: %s is none of its elements", l.in, where, quote(token))
	case l.presence == reason.Impossible:
		return fmt.Sprintf("%s%s has no %s%s", l.in, where, quote(token), lint.DidYouMean(token, l.schema.Names(), "it has"))
	default:
		return fmt.Sprintf("%s%s is described without %s%s", l.in, where, quote(token), lint.DidYouMean(token, l.schema.Names(), "described are"))
	}
}

func lostIn(s reason.Schema, tokens []string) lost {
	_, presence, at := s.Path(tokens)
	l := lost{presence: presence, at: at}
	if presence <= reason.Undeclared {
		l.schema, _, _ = s.Path(tokens[:at])
	}
	return l
}

// lostInBodies follows a path in all bodies that can have come. The one in which
// it leads the farthest is told of.
func lostInBodies(site lint.Site, tokens []string) lost {
	farthest := lost{presence: reason.Unknown}
	responses := site.Responses()
	if len(responses) == 0 {
		return farthest
	}
	op := site.Step.Target.Operation
	for i, b := range site.Step.Workflow.Document.Bodies(op, responses) {
		l := lostIn(b.Schema, tokens)
		if l.presence > reason.Undeclared {
			return l
		}
		l.in = fmt.Sprintf("the response %s of operation %s", b.Response.Status, quote(op.Label()))
		if i == 0 || l.at > farthest.at || l.at == farthest.at && l.presence > farthest.presence {
			l.presence = max(l.presence, farthest.presenceIf(i > 0))
			farthest = l
			continue
		}
		farthest.presence = max(farthest.presence, l.presence)
	}
	if farthest.presence == reason.Impossible && slices.ContainsFunc(responses, func(r *source.Response) bool { return len(r.Content) == 0 && !isBodiless(site.Step, r) }) {
		farthest.presence = reason.Undeclared // it may be in one that is not described
	}
	return farthest
}

// presenceIf gives the presence that was found so far.
func (l lost) presenceIf(found bool) reason.Presence {
	if found {
		return l.presence
	}
	return reason.Impossible
}
