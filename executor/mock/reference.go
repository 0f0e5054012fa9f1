package mock

import (
	"slices"
	"strings"
)

// The business reference of an effect is what a client knew before it asked, and
// what somebody can look for who never saw the answer: the order's number, not the
// id that the server made up for it.

// learnReferences reads off a route by which members items are found.
func (k *known) learnReferences(r *route) {
	at := r.collectionTemplate()
	add := func(name string) {
		if name != "" && !slices.Contains(k.references[at], name) {
			k.references[at] = append(k.references[at], name)
		}
	}
	switch r.role.kind {
	case lookup:
		add(r.role.member)
	case collection:
		for _, p := range r.operation.Params {
			if p.In == "query" && isReference(p.Name) {
				add(p.Name)
			}
		}
	}
}

// isReference tells whether a name is that of a reference.
func isReference(name string) bool {
	name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
	for _, word := range []string{"reference", "ref", "orderid", "ordernumber"} {
		if strings.HasSuffix(name, word) {
			return true
		}
	}
	return false
}

// reference gives the business reference of what a request was about: as the
// resource has it, else as the request says it.
func (w *world) reference(in *incoming, id string) string {
	holder := in.removed
	if holder == nil && id != "" {
		c := w.at(in)
		if at := c.byID(id); at >= 0 {
			holder = c.items[at]
		}
	}
	for _, name := range in.route.known.references[in.route.collectionTemplate()] {
		if holder != nil {
			if v := holder.state.Get(name); v.IsScalar() && !v.IsNull() {
				return v.Text()
			}
		}
		if v := in.body.Get(name); v.IsScalar() && !v.IsNull() {
			return v.Text()
		}
	}
	for _, m := range in.body.Members() {
		if isReference(m.Name) && m.Value.IsScalar() && !m.Value.IsNull() {
			return m.Value.Text()
		}
	}
	return ""
}
