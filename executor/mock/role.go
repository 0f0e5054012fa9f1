package mock

import (
	"net/http"
)

// role is what an operation's path says of the resources that it is about.
type role struct {
	kind roleKind
	// depth is how many leading segments of the path name the collection.
	depth int
	// member is the path parameter that picks one resource; empty for collections.
	member string
	// itemParam is the path parameter that stands for an item's id in the same
	// collection; empty where no path leads to an item.
	itemParam string
	// within is the depth of the collection in which the collection's own parent
	// is an item; 0: it has none.
	within int
}

type roleKind uint8

const (
	// the zero kind: no resource is kept: /login, /me, /orders/search.
	_ roleKind = iota
	// collection: /orders.
	collection
	// item: /orders/{orderId}.
	item
	// lookup: /payments/by-reference/{reference}: one resource, picked by a member.
	lookup
	// action: /orders/{orderId}/close: something done to an item.
	action
)

// assignRoles reads the roles of one source's routes off their paths: what has
// items below it is a collection; what hangs below an item and is no collection
// itself is an action on it.
func assignRoles(all []*route) {
	templates := map[string]bool{}   // paths with parameters without their names
	collections := map[string]bool{} // of these, the ones that hold items
	lists := map[string]int{}        // bit 1: can be read, bit 2: can be posted to
	for _, r := range all {
		templates[r.prefix(len(r.segments))] = true
		if !r.last().literal() {
			continue
		}
		switch r.operation.Method {
		case http.MethodGet:
			if answersList(r.operation) {
				lists[r.prefix(len(r.segments))] |= 1
			}
		case http.MethodPost:
			lists[r.prefix(len(r.segments))] |= 2
		}
	}
	for _, r := range all {
		parent := r.prefix(len(r.segments) - 1)
		if _, sole := r.last().sole(); !sole || len(r.segments) < 2 {
			continue
		}
		if templates[parent] || r.operation.Method == http.MethodPut {
			collections[parent] = true
		}
	}
	for path, can := range lists {
		if can == 3 {
			collections[path] = true
		}
	}
	addLookedUp(all, templates, collections)
	itemParams := map[string]string{}
	for _, r := range all {
		r.role = r.readRole(collections)
		if r.role.kind == item {
			itemParams[r.prefix(r.role.depth)] = r.role.member
		}
	}
	for _, r := range all {
		r.role.itemParam = itemParams[r.prefix(r.role.depth)]
		r.collection = r.source + r.prefix(r.role.depth)
	}
}

// addLookedUp finds the collections whose items are only ever looked up:
// /payments, where there is /payments/by-reference/{reference} alone.
func addLookedUp(all []*route, templates, collections map[string]bool) {
	for _, r := range all {
		if _, sole := r.last().sole(); !sole || r.operation.Method != http.MethodGet {
			continue
		}
		if n := len(r.segments); n > 2 && !templates[r.prefix(n-1)] && templates[r.prefix(n-2)] && r.segments[n-3].literal() {
			collections[r.prefix(n-2)] = true
		}
	}
}

func (r *route) readRole(collections map[string]bool) role {
	n := len(r.segments)
	made := func(kind roleKind, depth int, member string) role {
		out := role{kind: kind, depth: depth, member: member}
		if depth > 2 && !r.segments[depth-2].literal() && collections[r.prefix(depth-2)] {
			out.within = depth - 2
		}
		return out
	}
	if collections[r.prefix(n)] {
		return made(collection, n, "")
	}
	if name, sole := r.last().sole(); sole {
		switch {
		case collections[r.prefix(n-1)]:
			return made(item, n-1, name)
		case n > 2 && r.segments[n-2].literal() && collections[r.prefix(n-2)]:
			return made(lookup, n-2, name)
		}
		return role{}
	}
	if n > 2 && r.last().literal() {
		if name, sole := r.segments[n-2].sole(); sole && collections[r.prefix(n-2)] {
			return made(action, n-2, name)
		}
	}
	return role{}
}

func (r *route) last() segment { return r.segments[len(r.segments)-1] }

// prefix writes the first n segments with the names of parameters left out, so
// that /orders/{id} and /orders/{orderId} are the same.
func (r *route) prefix(n int) string { return r.prefixes[max(n, 0)] }

// prefixesOf gives the first segments of a path, none of them first, with the names of
// parameters left out.
func prefixesOf(segments []segment) []string {
	prefixes := make([]string, 1, len(segments)+1)
	for i, s := range segments {
		prefixes = append(prefixes, prefixes[i]+"/"+templateParameter.ReplaceAllString(s.text, "{}"))
	}
	return prefixes
}
