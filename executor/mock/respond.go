package mock

import (
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// response is an answer that is being made.
type response struct {
	status  int
	media   string // content type; empty: there is no body
	shape   together
	example value.Value // as the description writes it; absent: it writes none
	body    value.Value
	header  http.Header
}

// shape gives what the description says of a good answer.
func (in *incoming) shape() together {
	if m := negotiate(goodResponse(in.route.operation), in.header.Values("Accept")); m != nil {
		return flatten(m.Schema)
	}
	return nil
}

// respond makes a good answer: the state of a resource where there is one, else
// the example, else something that fits the schema, with what the request said of
// members that the answer has.
func (in *incoming) respond(state value.Value) response {
	described := goodResponse(in.route.operation)
	out := response{status: statusOf(described), header: http.Header{}}
	if described != nil {
		for _, h := range described.Headers {
			if v, ok := native(h.Example); ok {
				out.header.Set(h.Name, v.Text())
			} else if h.Required && h.Schema != nil {
				out.header.Set(h.Name, made(flatten(h.Schema)).Text())
			}
		}
	}
	media := negotiate(described, in.header.Values("Accept"))
	if media == nil {
		return out
	}
	out.media, out.shape = media.Type, flatten(media.Schema)
	if example, ok := native(media.Example); ok {
		out.example = example
		out.body = withFixed(example, out.shape)
	} else if media.Schema != nil {
		out.body = made(out.shape)
	}
	if state.IsAbsent() {
		out.body = in.echo(out.body, out.shape)
		return out
	}
	if len(out.shape.properties()) == 0 || out.body.Kind() != value.KindObject {
		out.body = state
		return out
	}
	out.body = out.shape.show(out.body, state)
	return out
}

// show gives of a resource's state what an answer with this schema tells: all of
// it, unless the schema is closed, and from a made-up body what must be there
// besides.
func (t together) show(body, state value.Value) value.Value {
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
func (in *incoming) echo(body value.Value, shape together) value.Value {
	if body.Kind() != value.KindObject || !in.effectful() {
		return body
	}
	for _, m := range in.body.Members() {
		p := shape.property(m.Name)
		_, fixed := p.fixed()
		if p == nil && body.Get(m.Name).IsAbsent() || fixed || p.readOnly() {
			continue
		}
		body = set(body, m.Name, m.Value)
	}
	return body
}

// answer writes a response as bytes.
func (in *incoming) answer(out response) *reply {
	r := &reply{status: out.status, header: out.header}
	if r.header == nil {
		r.header = http.Header{}
	}
	if out.media == "" || !bodyAllowed(out.status) {
		return r
	}
	mediaType := out.media
	if strings.Contains(mediaType, "*") {
		mediaType = jsonType
	}
	r.header.Set("Content-Type", mediaType)
	r.body = encode(out.body, plainType(mediaType))
	return r
}

// set gives an object with one member changed; absent takes the member away.
func set(v value.Value, name string, member value.Value) value.Value {
	var members []value.Member
	replaced := false
	for _, m := range v.Members() {
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
	body := out.body
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
