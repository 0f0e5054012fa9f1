package mock

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/value"
)

// world is the state that the played APIs share: collections of resources.
type world struct {
	mu          sync.Mutex
	collections map[string]*collectionState
}

// collectionState is one collection: what is in it, in the order of creation.
type collectionState struct {
	items []*resource
	next  int // number of the next id that is made up
}

// resource is one thing that was created.
type resource struct {
	id    string
	state value.Value
	// before is the state before the last change; absent: it was never changed.
	before value.Value
	reads  map[string]int // how far a property has gone on (x-weft-mock)
	writes map[string]int // how often requests have set a property; nil: never
}

func newWorld() *world { return &world{collections: map[string]*collectionState{}} }

// done tells what a request was about.
type done struct {
	resource  string // the id of the resource that was acted on; empty: none was
	reference string // by which the business knows it; empty: by none that is known
	messages  []*message
}

// act carries one request out, alone: no other request sees it half done.
func (w *world) act(in *incoming) (*reply, done) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if missing := w.missingParent(in); missing != nil {
		return missing, done{}
	}
	answer, resource := w.play(in)
	if !in.effectful() {
		return answer, done{resource: resource}
	}
	d := done{resource: resource, reference: w.reference(in, resource)}
	d.messages = w.announce(in, answer, d)
	return answer, d
}

// play gives the answer and the id of the resource that was acted on.
func (w *world) play(in *incoming) (answer *reply, resource string) {
	switch in.route.role.kind {
	case collection:
		return w.onCollection(in)
	case item, lookup:
		return w.onItem(in)
	case action:
		return w.onAction(in)
	default:
		return in.answer(in.respond(value.Absent)), ""
	}
}

// at gives the collection that a request is about, with what its description says
// it holds from the start.
func (w *world) at(in *incoming) *collectionState { return w.holding(in, in.route.role.depth) }

// holding gives the collection that the first segments of a request's path name.
func (w *world) holding(in *incoming, depth int) *collectionState {
	key := in.collectionKey(depth)
	c, ok := w.collections[key]
	if !ok {
		c = &collectionState{next: 1}
		seed := in.route.known.seeds[in.route.source+in.route.prefix(depth)]
		for _, state := range seed.items {
			if id := state.Get(seed.id); id.IsScalar() {
				c.items = append(c.items, &resource{id: id.Text(), state: state, reads: map[string]int{}})
			}
		}
		w.collections[key] = c
	}
	return c
}

func (in *incoming) collectionKey(depth int) string {
	return in.route.source + "\x00" + strings.Join(in.path[:depth], "\x00")
}

// missingParent refuses a request below an item that does not exist, where items
// can be created and the operation knows a 404.
func (w *world) missingParent(in *incoming) *reply {
	depth := in.route.role.within
	if depth == 0 || !in.route.known.creatable[in.route.source+in.route.prefix(depth)] {
		return nil
	}
	id := in.path[depth]
	if w.holding(in, depth).byID(id) >= 0 {
		return nil
	}
	if !declares(in.route.operation, http.StatusNotFound) {
		return nil
	}
	return notFound(in.path[depth-1], id)
}

func notFound(collection, id string) *reply {
	return problem(http.StatusNotFound, "no-such-resource", fmt.Sprintf("There is no %q in %s.", id, collection))
}

func (c *collectionState) byID(id string) int {
	return slices.IndexFunc(c.items, func(r *resource) bool { return r.id == id })
}

func (w *world) onCollection(in *incoming) (*reply, string) {
	switch in.method {
	case http.MethodPost:
		return w.create(in)
	case http.MethodGet, http.MethodHead:
		return w.list(in), ""
	default:
		return in.answer(in.respond(value.Absent)), ""
	}
}

func (w *world) create(in *incoming) (*reply, string) {
	c := w.at(in)
	r := &resource{reads: map[string]int{}}
	out := in.respond(value.Absent)
	// An answer that tells nothing of the resource may still make one that can be read.
	shape := out.shape
	name := in.route.role.idMember(shape)
	if name == "" {
		shape = in.route.known.shapes[in.route.collectionTemplate()]
		name = in.route.role.idMember(shape)
	}
	r.id = in.chosenID(name)
	if r.id == "" {
		r.id = c.newID(shape.property(name), in.path[in.route.role.depth-1])
	}
	out.content = withID(out.content, out.shape, name, r.id)
	r.state = withID(in.kept(out), shape, name, r.id)
	c.put(r)
	answer := in.answer(out)
	if answer.status == http.StatusCreated && answer.header.Get("Location") == "" {
		answer.header.Set("Location", strings.TrimSuffix(in.escapedPath, "/")+"/"+url.PathEscape(r.id))
	}
	return answer, r.id
}

// put adds a resource; one of the same id makes room for it.
func (c *collectionState) put(r *resource) {
	if at := c.byID(r.id); at >= 0 {
		c.items[at] = r
		return
	}
	c.items = append(c.items, r)
}

// onItem reads, replaces, changes or removes one resource.
func (w *world) onItem(in *incoming) (*reply, string) {
	c := w.at(in)
	picked := in.path[len(in.path)-1]
	at := c.byID(picked)
	if in.route.role.kind == lookup || at < 0 {
		at = c.byMember(in.route.role.member, picked)
	}
	if at < 0 {
		return w.unknownItem(in, c, picked)
	}
	r := c.items[at]
	switch in.method {
	case http.MethodPut:
		r.before = r.state
		r.replace(in)
	case http.MethodPatch:
		r.before = r.state
		r.change(in)
	case http.MethodDelete:
		c.items = slices.Delete(c.items, at, at+1)
		in.removed = r
	case http.MethodGet, http.MethodHead:
		if in.stale {
			return in.answer(in.respond(r.earlier())), r.id
		}
		r.goOn(in.as().shape)
	}
	return in.answer(in.respond(r.state)), r.id
}

func (c *collectionState) byMember(name, text string) int {
	return slices.IndexFunc(c.items, func(r *resource) bool {
		member := r.state.Get(name)
		return member.IsScalar() && member.Text() == text
	})
}

// unknownItem answers a request for a resource that was never created. Where the
// description offers no way to create one, nobody can know what exists: then the
// example is as good as any.
func (w *world) unknownItem(in *incoming, c *collectionState, id string) (*reply, string) {
	creatable := in.route.known.creatable[in.route.collectionTemplate()]
	known404 := declares(in.route.operation, http.StatusNotFound)
	switch {
	case in.method == http.MethodPut && in.route.role.kind == item:
		r := &resource{id: id, reads: map[string]int{}}
		out := in.respond(value.Absent)
		out.content = withID(out.content, out.shape, in.route.role.idMember(out.shape), id)
		r.state = withID(in.kept(out), out.shape, in.route.role.idMember(out.shape), id)
		c.items = append(c.items, r)
		return in.answer(out), id
	case creatable && known404:
		return notFound(in.path[in.route.role.depth-1], id), ""
	default:
		out := in.respond(value.Absent)
		if in.route.role.kind == item {
			out.content = withID(out.content, out.shape, in.route.role.idMember(out.shape), id)
		} else {
			out.content = withID(out.content, out.shape, in.route.role.member, id)
		}
		return in.answer(out), id
	}
}

// onAction does something to an item: what the answer fixes becomes so.
func (w *world) onAction(in *incoming) (*reply, string) {
	c := w.at(in)
	id := in.path[in.route.role.depth]
	at := c.byID(id)
	if at < 0 {
		at = c.byMember(in.route.role.member, id)
	}
	if at < 0 {
		if in.route.known.creatable[in.route.collectionTemplate()] && declares(in.route.operation, http.StatusNotFound) {
			return notFound(in.path[in.route.role.depth-1], id), ""
		}
		out := in.respond(value.Absent)
		out.content = withID(out.content, out.shape, in.route.role.idMember(out.shape), id)
		return in.answer(out), id
	}
	r := c.items[at]
	if !in.effectful() {
		return in.answer(in.respond(value.Absent)), r.id
	}
	out := in.respond(value.Absent)
	if in.answersItem(out.shape, r) {
		r.before = r.state
		r.become(in, out)
		out = in.respond(r.state)
	} else {
		out.content = in.recall(out, r.state, in.route.role.idMember(in.route.known.shapes[in.route.collectionTemplate()]))
	}
	return in.answer(out), r.id
}
