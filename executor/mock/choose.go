package mock

import (
	"net/http"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// Asked is a request that has found its operation and is about to be answered.
type Asked struct {
	Source    string
	Operation string // the operation's id, else its method and path
}

// Answer is what a request is answered, in the place of what the server would say by
// itself.
type Answer struct {
	// Status of the answer. With a 2xx the request is carried out and has its effect, as
	// always; with any other nothing is done.
	Status int
	// Header are fields beside those that are described; one with an empty value is
	// left out.
	Header map[string]string
	// Edits change, in their order, the body that the server has for the status: what it
	// would say, else an example or something that fits the schema.
	Edits []Edit
	// Body is the body itself; absent: it is the edited one.
	Body value.Value
	// MediaType is the form of the body, such as application/xml, whatever the client
	// likes best; empty: the form in which the server answers by itself.
	MediaType string
	// Text is the body as it is written, in whatever form; empty: it is the one above.
	Text string
	// Rewrite changes the body as it is written, last of all: what the server has for the
	// status in MediaType, which may be nothing. nil: it stays.
	Rewrite func(body []byte) []byte
}

// Edit sets one value in a body.
type Edit struct {
	At    value.Pointer
	Value value.Value // absent: there is none at the place
}

// choose asks for the answer to a request; nil: it is the server's own.
func (s *Server) choose(to *route) *Answer {
	if s.options.Choose == nil {
		return nil
	}
	return s.options.Choose(Asked{Source: to.source, Operation: to.name})
}

// refuses tells whether the chosen answer says that nothing was done.
func (in *incoming) refuses() bool { return in.chosen != nil && in.chosen.Status/100 != 2 }

// asChosen gives the chosen answer; own is the server's own, nil where it made none.
func (in *incoming) asChosen(own *reply) *reply {
	if in.chosen == nil {
		return own
	}
	made := own
	if own == nil || own.status != in.chosen.Status {
		made = in.route.byStatus(in.chosen.Status, in.chosen.MediaType)
	}
	made = made.copy()
	if own != nil && own.status/100 == 2 && in.chosen.Status/100 == 2 {
		made.tellsOf(own)
	}
	for name, text := range in.chosen.Header {
		if text == "" {
			made.header.Del(name)
			continue
		}
		made.header.Set(name, text)
	}
	in.edit(made)
	in.chosen.write(made)
	return made
}

// write puts the text of the answer in the place of a body, and brings it into its form.
func (a *Answer) write(made *reply) {
	if a.MediaType != "" && plainType(made.header.Get("Content-Type")) != plainType(a.MediaType) {
		made.header.Set("Content-Type", a.MediaType)
		made.body = nil // what there is has another form
	}
	if a.Text != "" {
		made.body = []byte(a.Text)
	}
	if a.Rewrite != nil {
		made.body = a.Rewrite(made.body)
	}
}

// tellsOf has an answer of another status tell what really came about: the members that both
// have are those of the server's own answer, so that ids and references are the same.
func (r *reply) tellsOf(own *reply) {
	if r.status == own.status || !isJSON(plainType(r.header.Get("Content-Type"))) {
		return
	}
	body, err := value.ParseJSON(r.body)
	was, unread := value.ParseJSON(own.body)
	if err != nil || unread != nil || body.Kind() != value.KindObject {
		return
	}
	for _, m := range body.Members() {
		if v := was.Get(m.Name); v.Kind() == m.Value.Kind() {
			body = set(body, m.Name, v)
		}
	}
	r.body = encode(body, plainType(r.header.Get("Content-Type")))
}

// statusIn is a status, answered in a form.
type statusIn struct {
	status    int
	mediaType string // empty: any
}

// byStatus gives what the description says of a status, with an example of its body.
func (r *route) byStatus(status int, mediaType string) *reply {
	key := statusIn{status, mediaType}
	if made, ok := r.others.Load(key); ok {
		return made.(*reply)
	}
	made := describedAs(r.operation, r.operation.Response(status), key)
	r.others.Store(key, made)
	return made
}

func describedAs(op *source.Operation, response *source.Response, in statusIn) *reply {
	status := in.status
	made := &reply{status: status, header: http.Header{}}
	if response == nil {
		return made
	}
	d := describe(op, response)
	made.header = d.header
	shown := d.in(in.mediaType)
	if shown == nil {
		shown = d.negotiate(nil)
	}
	if shown != nil && bodyAllowed(status) {
		made.header.Set("Content-Type", shown.contentType)
		made.body = shown.encode(shown.body)
	}
	return made
}

// Example gives header and body of the answer with a status that an operation
// describes: its example, else something that fits its schema. Both are empty where
// nothing is described; ok tells whether there is such an operation.
// mediaType is the form that is wanted, where several are described; empty: any.
func (a *APIs) Example(of Asked, status int, mediaType string) (header http.Header, body []byte, ok bool) {
	for _, r := range a.routes.all {
		if r.source == of.Source && r.name == of.Operation {
			made := r.byStatus(status, mediaType)
			return made.header.Clone(), made.body, true
		}
	}
	return nil, nil, false
}

// edit changes the body of an answer as it was chosen.
func (in *incoming) edit(made *reply) {
	body := in.chosen.Body
	if body.IsAbsent() {
		if len(in.chosen.Edits) == 0 {
			return
		}
		body, _ = value.ParseJSON(made.body) // what is no JSON is begun anew
	}
	for _, e := range in.chosen.Edits {
		body = setAt(in.withItems(body, e.At), e.At, e.Value)
	}
	if made.header.Get("Content-Type") == "" {
		made.header.Set("Content-Type", jsonType)
	}
	made.body = encode(body, plainType(made.header.Get("Content-Type")))
}

// setAt gives a value with another one at a place, and what leads there.
func setAt(v value.Value, at value.Pointer, to value.Value) value.Value {
	if len(at) == 0 {
		return to
	}
	token := at[0]
	if i, ok := value.ArrayIndex(token); ok && (v.Kind() == value.KindArray || v.IsNothing()) {
		return setItem(v.Items(), i, at[1:], to)
	}
	if v.Kind() != value.KindObject {
		if to.IsAbsent() {
			return v
		}
		v = value.Object()
	}
	return set(v, token, setAt(v.Get(token), at[1:], to))
}

// mostItems bounds the lists that an edit makes.
const mostItems = 100

func setItem(old []value.Value, i int, at value.Pointer, to value.Value) value.Value {
	items := append([]value.Value(nil), old...)
	switch {
	case to.IsAbsent() && len(at) == 0:
		if i < len(items) {
			items = items[:i]
		}
		return value.Array(items...)
	case i >= mostItems:
		return value.Array(items...)
	}
	for len(items) <= i {
		items = append(items, value.Null)
	}
	items[i] = setAt(items[i], at, to)
	return value.Array(items...)
}

// Matching gives a text that matches a regular expression; ok is false where none is
// found.
func Matching(pattern string) (text string, ok bool) { return fromPattern(pattern, 0) }

// In gives a body with the edit made.
func (e Edit) In(body value.Value) value.Value { return setAt(body, e.At, e.Value) }

// MessageExample gives header and body of a webhook or callback as the description shows
// it; ok tells whether there is such a one.
func (a *APIs) MessageExample(of Asked) (header http.Header, body []byte, ok bool) {
	a.routes.compileSends()
	for _, h := range a.routes.webhooks {
		if h.source == of.Source && h.name == of.Operation {
			header = h.header.Clone()
			if h.contentType != "" {
				header.Set("Content-Type", h.contentType)
			}
			return header, h.encode(h.body), true
		}
	}
	return nil, nil, false
}
