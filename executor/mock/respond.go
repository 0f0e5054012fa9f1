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
	out.body = in.project(out, state)
	return out
}

// project gives of a resource's state what an answer has: all of it, where the
// schema does not close the answer.
func (in *incoming) project(out response, state value.Value) value.Value {
	body := state
	for _, m := range out.body.Members() {
		if state.Get(m.Name).IsAbsent() && isRequired(out.shape, m.Name) {
			body = set(body, m.Name, m.Value)
		}
	}
	for _, s := range out.shape {
		if closed := s.AdditionalProperties.Has; closed == nil || *closed {
			continue
		}
		for _, m := range body.Members() {
			if out.shape.property(m.Name) == nil {
				body = set(body, m.Name, value.Absent)
			}
		}
	}
	return body
}

func isRequired(t together, name string) bool {
	for _, s := range t {
		for _, required := range s.Required {
			if required == name {
				return true
			}
		}
	}
	return false
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

// overlayKnown sets the members of over in an object, where the object or the
// schemas have members of that name; all of them where no schemas are given.
func overlayKnown(body, over value.Value, shape together) value.Value {
	if body.Kind() != value.KindObject {
		return body
	}
	for _, m := range over.Members() {
		if shape == nil || !body.Get(m.Name).IsAbsent() || shape.property(m.Name) != nil {
			body = set(body, m.Name, m.Value)
		}
	}
	return body
}
