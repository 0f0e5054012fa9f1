package mock

import (
	"net/http"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// known is what the descriptions say of collections, each by its source and its
// path without the names of parameters.
type known struct {
	// creatable are those in which a client can create items. Of the others nobody
	// knows what they hold.
	creatable map[string]bool
	// seeds are what they hold from the start.
	seeds map[string]seed
	// shapes are by which schemas their items are read.
	shapes map[string]*together
	// references are the members by which a client that did not see an id finds items.
	references map[string][]string

	checker  *check.Checker
	examined examined
}

// seed is the example that the description writes of a list.
type seed struct {
	items []value.Value
	id    string // the member that holds an item's id
}

// collectionTemplate names the collection that an operation is about.
func (r *route) collectionTemplate() string { return r.collection }

// learn reads what there is to know off the routes, and tells each of them.
func learn(all []*route) {
	k := &known{creatable: map[string]bool{}, seeds: map[string]seed{}, shapes: map[string]*together{}, references: map[string][]string{}, checker: &check.Checker{}}
	for _, r := range all {
		r.known = k
		k.learnReferences(r)
		if media := firstJSON(goodResponse(r.operation)); media != nil && r.operation.Method == http.MethodGet {
			switch r.role.kind {
			case collection:
				k.seeds[r.collectionTemplate()] = readSeed(r, media)
			case item:
				k.shapes[r.collectionTemplate()] = flatten(media.Schema)
			}
		}
		creates := r.role.kind == collection && r.operation.Method == http.MethodPost ||
			r.role.kind == item && r.operation.Method == http.MethodPut
		if creates {
			k.creatable[r.collectionTemplate()] = true
		}
	}
}

// readSeed reads the items of the example that the description of a list writes.
func readSeed(r *route, media *source.MediaType) seed {
	example, ok := exampleOf(r.operation, media, "responses", goodResponse(r.operation).Status)
	if !ok {
		return seed{}
	}
	property, items, ok := listIn(flatten(media.Schema))
	if !ok {
		return seed{}
	}
	if property != "" {
		example = example.Get(property)
	}
	return seed{items: example.Items(), id: r.role.idMember(items)}
}
