package selector

import (
	"github.com/theory/jsonpath/spec"
	"github.com/weft-flow/weft/arazzo/value"
)

// located is a value with the way to it from the root.
type located struct {
	value  value.Value
	native any // the same for the library's filters; nil where the query has none
	parent *located
	name   string
	index  int // -1 for a member
}

// mark gives the edit of the place that n is at.
func (n *located) mark(root *edit) *edit {
	if n.parent == nil {
		return root
	}
	if n.index >= 0 {
		return n.parent.mark(root).item(n.index)
	}
	return n.parent.mark(root).name(n.name)
}

func (n *located) member(at int) *located {
	m := n.value.Members()[at]
	child := &located{value: m.Value, parent: n, name: m.Name, index: -1}
	if native, ok := n.native.(map[string]any); ok {
		child.native = native[m.Name]
	}
	return child
}

func (n *located) item(at int) *located {
	child := &located{value: n.value.At(at), parent: n, index: at}
	if native, ok := n.native.([]any); ok {
		child.native = native[at]
	}
	return child
}

// child gives the element or member at a position in document order.
func (n *located) child(at int) *located {
	if n.value.Kind() == value.KindArray {
		return n.item(at)
	}
	return n.member(at)
}

// walk is one evaluation of a query.
type walk struct {
	root   *located
	size   measure
	budget *budget
	found  []*located
}

func (q *jsonPathQuery) find(v value.Value) ([]*located, error) {
	w := &walk{root: &located{value: v, index: -1}, budget: newBudget()}
	if q.filtered {
		w.root.native = v.Native()
		w.size = measured(v)
	}
	list := []*located{w.root}
	for i := range q.segments {
		w.found = nil
		for _, n := range list {
			if err := w.segment(&q.segments[i], n); err != nil {
				return nil, err
			}
		}
		list = w.found
	}
	return list, nil
}

// segment applies s to n, and where s is a descendant segment to all beneath n,
// each node before its children (RFC 9535, section 2.5.2.2).
func (w *walk) segment(s *segment, n *located) error {
	if err := w.budget.spend(1); err != nil {
		return err
	}
	for i, sel := range s.selectors {
		if err := w.selector(sel, s.costs[i], n); err != nil {
			return err
		}
	}
	if !s.descendant {
		return nil
	}
	for at := range n.value.Len() {
		if err := w.segment(s, n.child(at)); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) add(n *located) error {
	w.found = append(w.found, n)
	return w.budget.spend(1)
}

func (w *walk) selector(sel spec.Selector, cost *filterCost, n *located) error {
	switch sel := sel.(type) {
	case spec.Name:
		return w.name(string(sel), n)
	case spec.Index:
		return w.index(int(sel), n)
	case spec.SliceSelector:
		return w.slice(sel, n)
	case *spec.FilterSelector:
		return w.filter(sel, cost, n)
	default: // the wildcard
		for at := range n.value.Len() {
			if err := w.add(n.child(at)); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *walk) name(name string, n *located) error {
	found := n.value.Get(name)
	if found.IsAbsent() {
		return nil
	}
	child := &located{value: found, parent: n, name: name, index: -1}
	if native, ok := n.native.(map[string]any); ok {
		child.native = native[name]
	}
	return w.add(child)
}

func (w *walk) index(at int, n *located) error {
	count := len(n.value.Items())
	if at < 0 {
		at += count
	}
	if at < 0 || at >= count {
		return nil
	}
	return w.add(n.item(at))
}

func (w *walk) slice(sel spec.SliceSelector, n *located) error {
	count, step := len(n.value.Items()), sel.Step()
	lower, upper := sel.Bounds(count)
	if step > 0 {
		for at := lower; at < upper; at += min(step, count) {
			if err := w.add(n.item(at)); err != nil {
				return err
			}
		}
		return nil
	}
	for at := upper; step < 0 && at > lower; at += max(step, -count) {
		if err := w.add(n.item(at)); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) filter(sel *spec.FilterSelector, cost *filterCost, n *located) error {
	for at := range n.value.Len() {
		child := n.child(at)
		if err := w.budget.spend(cost.of(child.value, w.size)); err != nil {
			return err
		}
		if sel.Eval(child.native, w.root.native) {
			if err := w.add(child); err != nil {
				return err
			}
		}
	}
	return nil
}
