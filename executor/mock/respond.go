package mock

import (
	"net/http"
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// response is an answer that is being made.
type response struct {
	*representation
	status  int
	header  http.Header
	content value.Value // absent: there is no body
}

// as gives the representation that the client is answered with, with the example that
// has the name of the example which the request is; an empty one where there is no body.
func (in *incoming) as() *representation {
	if in.form == nil {
		in.form = in.representation()
	}
	return in.form
}

func (in *incoming) representation() *representation {
	d := in.route.described()
	r := d.negotiate(in.header.Values("Accept"))
	if in.chosen != nil && d.in(in.chosen.MediaType) != nil {
		r = d.in(in.chosen.MediaType)
	}
	if r == nil {
		return &representation{}
	}
	for _, named := range r.named {
		if in.asks(named.name) {
			return named.representation
		}
	}
	return r
}

// respond makes a good answer: the state of a resource where there is one, else
// the example, else something that fits the schema, with what the request said of
// members that the answer has.
func (in *incoming) respond(state value.Value) response {
	d := in.route.described()
	out := response{representation: in.as(), status: d.status, header: d.header.Clone()}
	switch {
	case out.contentType == "":
	case state.IsAbsent():
		out.content = in.echo(out.body, out.shape)
	case len(out.shape.properties()) == 0 || out.body.Kind() != value.KindObject:
		out.content = state
	default:
		out.content = out.shape.show(out.body, state)
	}
	return out
}

// show gives of a resource's state what an answer with this schema tells: all of
// it, unless the schema is closed, and from a made-up body what must be there
// besides.
func (t *together) show(body, state value.Value) value.Value {
	shown := state
	for _, m := range body.Members() {
		if state.Get(m.Name).IsAbsent() && t.requires(m.Name) {
			shown = set(shown, m.Name, m.Value)
		}
	}
	if !t.closed() {
		return shown
	}
	for _, m := range shown.Members() {
		if t.property(m.Name) == nil {
			shown = set(shown, m.Name, value.Absent)
		}
	}
	return shown
}

// echo lets an answer say again what the request said: members of the body that
// the answer has too, unless they are fixed or only the server's to say.
func (in *incoming) echo(body value.Value, shape *together) value.Value {
	if body.Kind() != value.KindObject || !in.effectful() {
		return body
	}
	members := slices.Clone(body.Members())
	for _, m := range in.body.Members() {
		p := shape.property(m.Name)
		_, fixed := p.fixed()
		if p == nil && body.Get(m.Name).IsAbsent() || fixed || p.readOnly() {
			continue
		}
		members = append(members, m) // of two with one name the last holds, at the place of the first
	}
	return value.Object(members...)
}

// answer writes a response as bytes.
func (in *incoming) answer(out response) *reply {
	r := &reply{status: out.status, header: out.header}
	if out.contentType == "" || !bodyAllowed(out.status) {
		return r
	}
	r.header.Set("Content-Type", out.contentType)
	r.body = out.encode(out.content)
	return r
}

// set gives an object with one member changed; absent takes the member away.
func set(v value.Value, name string, member value.Value) value.Value {
	old := v.Members()
	members := make([]value.Member, 0, len(old)+1)
	replaced := false
	for _, m := range old {
		if m.Name == name {
			m.Value, replaced = member, true
		}
		members = append(members, m)
	}
	if !replaced {
		members = append(members, value.Member{Name: name, Value: member})
	}
	return value.Object(members...)
}

// recall says in an answer that is about something else what is known of the item
// that it was done to: members of the same name, but for its states and its id,
// which is found under the name of the path parameter at most.
func (in *incoming) recall(out response, state value.Value, idMember string) value.Value {
	body := out.content
	for _, m := range state.Members() {
		p := out.shape.property(m.Name)
		_, fixed := p.fixed()
		if p == nil || m.Name == idMember || fixed || p.hasEnum() || !in.body.Get(m.Name).IsAbsent() {
			continue
		}
		body = set(body, m.Name, m.Value)
	}
	if name := in.route.role.itemParam; out.shape.property(name) != nil {
		body = withID(body, out.shape, name, in.params[name])
	}
	return body
}
