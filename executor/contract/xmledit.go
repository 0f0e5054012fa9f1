package contract

import (
	"slices"
	"strconv"

	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
)

// mostElements bounds how many elements of one name an edit makes.
const mostElements = 50

// xmlEdit changes a document at the places that an XPath looks at.
type xmlEdit struct {
	look *selector.Look
	// to is the text that is to be there; absent: nothing is to be there. Where how many
	// are there is what counts, it is their number.
	to      value.Value
	counted bool
}

// String tells the edit to a person.
func (e xmlEdit) String() string {
	switch {
	case e.counted:
		return " with " + e.to.Text() + " of " + e.look.String()
	case e.to.IsAbsent():
		return " without " + e.look.String()
	}
	return " with " + e.look.String() + " = " + strconv.Quote(e.to.Text())
}

// apply changes a document; false: it cannot be so there.
func (e xmlEdit) apply(doc *element) bool {
	switch n, isNumber := e.to.Int64(); {
	case e.counted && isNumber:
		return resize(doc, e.look.Path, int(n))
	case e.to.IsAbsent():
		remove(doc, e.look.Path)
		return true
	}
	return put(doc, e.look.Path, e.to.Text())
}

// rewrite makes edits in a body.
func rewrite(edits []xmlEdit, body []byte) ([]byte, bool) {
	doc := parseElements(body)
	for _, e := range edits {
		if !e.apply(doc) {
			return body, false
		}
	}
	return doc.bytes(), true
}

// spot is an element in the one above it.
type spot struct {
	above *element
	at    int
}

func (s spot) element() *element { return s.above.children[s.at] }

// spotsOf finds the elements that a step names below one.
func spotsOf(below *element, step selector.LookStep) []spot {
	var found []spot
	for i, child := range below.children {
		if child.name != "" && isNamed(child.name, step.Name) {
			found = append(found, spot{below, i})
		}
		if step.Deep {
			found = append(found, spotsOf(child, step)...)
		}
	}
	return found
}

// owners finds the elements that a path leads to, whatever it says of what is in them; of
// an attribute those that may have it.
func owners(from *element, path []selector.LookStep) []spot {
	found := []spot{}
	here := []*element{from}
	for _, step := range path {
		if step.Attribute {
			if step.Deep {
				return everywhere(here)
			}
			break
		}
		found = found[:0:0]
		for _, e := range here {
			found = append(found, spotsOf(e, step)...)
		}
		here = here[:0:0]
		for _, s := range found {
			here = append(here, s.element())
		}
	}
	return found
}

func everywhere(from []*element) []spot {
	var found []spot
	for _, e := range from {
		found = append(found, spotsOf(e, selector.LookStep{Deep: true, Name: "*"})...)
	}
	return found
}

// remove takes away all that a path leads to.
func remove(doc *element, path []selector.LookStep) {
	if len(path) == 0 {
		return
	}
	last := path[len(path)-1]
	all := owners(doc, path)
	for _, s := range slices.Backward(all) {
		if last.Attribute {
			s.element().dropAttribute(last.Name)
		} else {
			s.above.children = slices.Delete(s.above.children, s.at, s.at+1)
		}
	}
}

// put has a text stand where a path leads first.
func put(doc *element, path []selector.LookStep, text string) bool {
	e := doc
	for _, step := range path {
		if step.Attribute {
			e = e.withAttribute(step, doc)
			if e == nil {
				return false
			}
			e.setAttribute(e.attributeName(step.Name), text)
			return e.name != ""
		}
		if e = reach(doc, e, step); e == nil {
			return false
		}
	}
	if e == doc {
		return false
	}
	if text != anything || e.root() == nil { // what is in it is something as well
		e.say(text)
	}
	return true
}

// anything is the text that stands for whatever there may be.
const anything = "x"

// withAttribute gives the element that an attribute is to be set at: one below that has it,
// where any may, else the element itself; nil: there is none.
func (e *element) withAttribute(step selector.LookStep, doc *element) *element {
	if step.Deep {
		all := everywhere([]*element{e})
		for _, s := range all {
			if s.element().hasAttribute(step.Name) {
				return s.element()
			}
		}
		if e == doc {
			return doc.root()
		}
	}
	return e
}

// attributeName gives the name under which an attribute is set.
func (e *element) attributeName(said string) string {
	for _, a := range e.attributes {
		if isNamed(a.name, said) {
			return a.name
		}
	}
	return said
}

// reach gives the element that a step leads to, and makes it, and what it says must be
// below it; nil: it cannot be.
func reach(doc, from *element, step selector.LookStep) *element {
	all := spotsOf(from, step)
	for len(all) < max(1, step.Position) {
		if len(all) > mostElements || !grow(doc, from, step, all) {
			return nil
		}
		all = spotsOf(from, step)
	}
	e := all[max(1, step.Position)-1].element()
	for _, w := range step.Where {
		if !satisfy(e, w) {
			return nil
		}
	}
	doc.declare(e.name)
	return e
}

// grow adds one more of what a step names: like those that there are, else an empty one.
func grow(doc, from *element, step selector.LookStep, all []spot) bool {
	if len(all) > 0 {
		last := all[len(all)-1]
		if last.above == doc {
			return false // there is but one root
		}
		last.above.children = slices.Insert(last.above.children, last.at+1, last.element().clone())
		return true
	}
	name := step.Name
	if name == "*" {
		name = "item"
	}
	if from != doc {
		from.children = append(from.children, &element{name: name})
		return true
	}
	switch root := doc.root(); {
	case root == nil:
		doc.children = append(doc.children, &element{name: name})
	case step.Deep:
		root.children = append(root.children, &element{name: name})
	case root.name == "root": // the description does not say how it is called
		root.name = name
	default:
		return false
	}
	return true
}

// satisfy lets an element be as a predicate says.
func satisfy(e *element, w selector.Look) bool {
	if w.Counted || w.Measured {
		return true // it may be so; whoever evaluates it will see
	}
	text := anything
	if len(w.Compared) > 0 {
		text = w.Compared[0].Text()
	}
	if len(w.Path) == 0 {
		e.say(text)
		return true
	}
	if len(w.Compared) == 0 && len(owners(e, w.Path)) > 0 && !w.Path[len(w.Path)-1].Attribute {
		return true
	}
	return put(e, w.Path, text)
}

// resize lets there be so many of what a path leads to.
func resize(doc *element, path []selector.LookStep, n int) bool {
	if len(path) == 0 || n < 0 || n > mostElements || path[len(path)-1].Attribute {
		return false
	}
	all := owners(doc, path)
	for len(all) > n {
		last := all[len(all)-1]
		last.above.children = slices.Delete(last.above.children, last.at, last.at+1)
		all = owners(doc, path)
	}
	for len(all) < n {
		if len(all) == 0 {
			e := doc
			for _, step := range path {
				if e = reach(doc, e, step); e == nil {
					return false
				}
			}
		} else if !grow(doc, doc, path[len(path)-1], all) {
			return false
		}
		all = owners(doc, path)
	}
	return true
}
