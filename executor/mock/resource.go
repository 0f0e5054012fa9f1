package mock

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// kept gives what is kept of a resource that is created: what is answered, and,
// where the answer tells less than the request said, the rest of the request.
func (in *incoming) kept(out response) value.Value {
	state := out.content
	if state.Kind() != value.KindObject {
		state = value.Object()
	}
	members := slices.Clone(state.Members())
	for _, m := range in.body.Members() {
		if state.Get(m.Name).IsAbsent() {
			members = append(members, m)
		}
	}
	if len(members) == state.Len() {
		return state
	}
	return value.Object(members...)
}

// goOn moves the properties on that their schemas say go on when they are read.
func (r *resource) goOn(shape *together) {
	before := r.state
	for _, name := range shape.properties() {
		then := shape.property(name).then()
		if n := r.reads[name]; n < len(then) {
			r.before = before
			r.reads[name] = n + 1
			r.state = set(r.state, name, then[n])
		}
	}
}

// earlier gives the state before the last change.
func (r *resource) earlier() value.Value {
	if r.before.IsAbsent() {
		return r.state
	}
	return r.before
}

// settle sets a property for good: it does not go on by itself any more.
func (r *resource) settle(name string, v value.Value) {
	r.state = set(r.state, name, v)
	r.hold(name)
	if r.writes == nil {
		r.writes = map[string]int{}
	}
	r.writes[name]++
}

// hold lets a property not go on by being read any more.
func (r *resource) hold(name string) {
	const done = 1 << 30
	r.reads[name] = done
}

// replace does what a PUT asks for: what the request could have said and did not
// is gone, what only the server says stays.
func (r *resource) replace(in *incoming) {
	if in.body.Kind() != value.KindObject {
		return
	}
	if in.media != nil {
		for _, name := range flatten(in.media.Schema).properties() {
			if in.body.Get(name).IsAbsent() && name != in.route.role.idMember(in.as().shape) {
				r.state = set(r.state, name, value.Absent)
			}
		}
	}
	r.change(in)
}

// change does what a PATCH asks for, as a merge patch (RFC 7396). The id stays, and
// so does what only the server says.
func (r *resource) change(in *incoming) {
	shape := in.as().shape
	for _, m := range in.body.Members() {
		if m.Name == in.route.role.idMember(shape) || shape.property(m.Name).readOnly() {
			continue
		}
		r.settle(m.Name, merge(r.state.Get(m.Name), m.Value))
	}
}

func merge(old, patch value.Value) value.Value {
	if patch.IsNull() {
		return value.Absent
	}
	if patch.Kind() != value.KindObject {
		return patch
	}
	if old.Kind() != value.KindObject {
		old = value.Object()
	}
	for _, m := range patch.Members() {
		old = set(old, m.Name, merge(old.Get(m.Name), m.Value))
	}
	return old
}

// answersItem tells whether what an action answers is the item itself: its schema
// is the one by which the item is read, or it asks for nothing that the item lacks.
func (in *incoming) answersItem(shape *together, r *resource) bool {
	for _, s := range in.route.known.shapes[in.route.collectionTemplate()].all() {
		if slices.Contains(shape.all(), s) {
			return true
		}
	}
	for _, name := range shape.properties() {
		if r.state.Get(name).IsAbsent() {
			return false
		}
	}
	return true
}

// become makes of an item what an action says: the values that its answer fixes;
// where an example of the answer is written, the values that it has for enums; and
// what the request says of properties of the item.
func (r *resource) become(in *incoming, out response) {
	id := in.route.role.idMember(out.shape)
	for _, name := range out.shape.properties() {
		p := out.shape.property(name)
		if name == id {
			continue
		}
		if fixed, ok := p.fixed(); ok {
			r.settle(name, fixed)
			continue
		}
		if said := in.body.Get(name); !said.IsAbsent() && !p.readOnly() {
			r.settle(name, said)
			continue
		}
		if shown := out.example.Get(name); !shown.IsAbsent() && p.hasEnum() {
			r.settle(name, shown)
		}
	}
}
