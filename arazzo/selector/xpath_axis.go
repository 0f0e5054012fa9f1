package selector

import "slices"

// axis gives the nodes of a step's axis that pass its node test, in the order
// of the axis: away from n.
func (x *xpathRun) axis(s *xpathStep, n *xmlNode) ([]*xmlNode, error) {
	var found []*xmlNode
	visited := 0
	take := func(candidate *xmlNode) {
		visited++
		if s.test.takes(candidate, s.axis) {
			found = append(found, candidate)
		}
	}
	// A visit costs more than is left only once: the longest axis is the document.
	x.visit(s.axis, n, take)
	return found, x.budget.spend(visited)
}

func (x *xpathRun) visit(axis xpathAxis, n *xmlNode, take func(*xmlNode)) {
	switch axis {
	case axisSelf:
		take(n)
	case axisChild:
		each(n.children, take)
	case axisAttribute:
		each(n.attributes, take)
	case axisParent:
		if n.parent != nil {
			take(n.parent)
		}
	case axisAncestor:
		ancestors(n.parent, take)
	case axisAncestorOrSelf:
		ancestors(n, take)
	case axisDescendant:
		x.between(n.order+1, n.last+1, take)
	case axisDescendantOrSelf:
		take(n)
		x.between(n.order+1, n.last+1, take)
	case axisFollowing:
		x.between(n.last+1, len(x.doc.nodes), take)
	case axisPreceding:
		x.preceding(n, take)
	case axisFollowingSibling:
		each(siblings(n, 1), take)
	case axisPrecedingSibling:
		each(siblings(n, -1), take)
	}
}

func each(nodes []*xmlNode, take func(*xmlNode)) {
	for _, n := range nodes {
		take(n)
	}
}

func ancestors(n *xmlNode, take func(*xmlNode)) {
	for ; n != nil; n = n.parent {
		take(n)
	}
}

// between goes through the document from one place up to another; attributes
// are on no axis but their own.
func (x *xpathRun) between(from, to int, take func(*xmlNode)) {
	for _, n := range x.doc.nodes[from:to] {
		if n.kind != xmlAttribute {
			take(n)
		}
	}
}

// preceding goes back through the document, leaving out the ancestors of n.
func (x *xpathRun) preceding(n *xmlNode, take func(*xmlNode)) {
	above := n.parent
	for _, before := range slices.Backward(x.doc.nodes[:n.order]) {
		if before == above {
			above = before.parent
			continue
		}
		if before.kind != xmlAttribute {
			take(before)
		}
	}
}

// siblings gives those after n, or with -1 those before it, the nearest first.
func siblings(n *xmlNode, direction int) []*xmlNode {
	if n.parent == nil || n.kind == xmlAttribute {
		return nil
	}
	all := n.parent.children
	at, _ := slices.BinarySearchFunc(all, n, func(a, b *xmlNode) int { return a.order - b.order })
	if direction > 0 {
		return all[at+1:]
	}
	before := slices.Clone(all[:at])
	slices.Reverse(before)
	return before
}
