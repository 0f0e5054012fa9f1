package mock

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
	"github.com/weft-flow/weft/arazzo/value"
)

// ChannelMessages names what comes on a channel of AsyncAPI, as Asked and the faults of
// webhooks have it.
func ChannelMessages(channel string) string { return "receive " + channel }

// Told is a message that comes on a channel of AsyncAPI, or a webhook, though no request has
// caused it.
type Told struct {
	Asked
	// To is the URL at which it is received.
	To string
	// Header are fields beside those that are described.
	Header map[string]string
	// Edits change what the description says of the payload.
	Edits []Edit
	// Reference is by what whoever waits for it recognises it.
	Reference string
}

// Tell has a message come on a channel, or a webhook, after DefaultSendAfter and with the fault
// that is planned for it. It is an error if there is neither, or nothing is sent because
// SendWebhooks was not called.
func (s *Server) Tell(t Told) error {
	o := s.outbox.Load()
	if o == nil {
		return fmt.Errorf("%w: no receiver was named", ErrWebhooks)
	}
	at := slices.IndexFunc(s.routes.webhooks, func(h *webhook) bool {
		return h.source == t.Source && h.name == t.Operation && h.operation.Kind == source.Webhook
	})
	if at < 0 {
		return fmt.Errorf("%w: %s has no channel or webhook for %q", ErrWebhooks, t.Source, t.Operation)
	}
	target, err := url.Parse(t.To)
	if err != nil || !o.reachable(target) {
		return fmt.Errorf("%w: %q is no URL of this machine or of the receiver", ErrWebhooks, t.To)
	}
	m := &message{
		webhook: s.routes.webhooks[at].with(t), number: o.made.Add(1), reference: t.Reference,
		target: target, after: DefaultSendAfter, due: s.options.Now().Add(DefaultSendAfter),
	}
	m.id = m.newID("")
	m.fill(value.Absent, nil, value.Absent)
	for _, e := range t.Edits {
		m.payload = e.In(m.payload)
	}
	o.dispatch(-1, []*message{m}) // no request has caused it
	return nil
}

// with gives the webhook as one message of it is sent.
func (h *webhook) with(t Told) *webhook {
	one := *h
	one.header = h.header.Clone()
	for name, text := range t.Header {
		one.header.Set(name, text)
	}
	return &one
}

// readdress puts another reference in the header and the address of a message on a
// channel; it tells whether it stood there.
func (m *message) readdress(reference, other string) (moved bool) {
	if !m.isChannel() || reference == "" {
		return false
	}
	one := *m.webhook
	one.header = m.header.Clone()
	for name, values := range one.header {
		for i, text := range values {
			if text == reference {
				one.header[name][i], moved = other, true
			}
		}
	}
	m.webhook = &one
	target := *m.target
	segments := strings.Split(target.EscapedPath(), "/")
	for i, s := range segments {
		if i > 2 && s == url.PathEscape(reference) { // behind where it is received
			segments[i], moved = url.PathEscape(other), true
		}
	}
	target.RawPath = strings.Join(segments, "/")
	target.Path, _ = url.PathUnescape(target.RawPath)
	m.target = &target
	return moved
}

// channelMessages gives what comes on a channel as the webhook that it is.
func channelMessages(c *asyncapi.Catalog, channel *asyncapi.Channel) *source.Operation {
	op := &source.Operation{
		Kind: source.Webhook, ID: ChannelMessages(channel.Key), Method: channelMethod(c, channel), Path: channel.Key,
		Body: &source.RequestBody{},
	}
	inlined := inliner{catalog: c}
	for _, m := range channel.Messages {
		op.Params = append(op.Params, inlined.headers(m)...)
		inlined.describe(op.Body, m)
	}
	if len(op.Body.Content) == 0 {
		op.Body.Content = []*source.MediaType{{Type: jsonType, Schema: &openapi3.Schema{}}}
	}
	return op
}

// describe adds what a message says; of several in one form each may come.
func (in *inliner) describe(body *source.RequestBody, m *asyncapi.Message) {
	contentType := firstText(m.ContentType, jsonType)
	schema := in.schema(m.Payload)
	for _, known := range body.Content {
		if known.Type == contentType {
			if len(known.Schema.OneOf) == 0 || known.Schema.Type != nil {
				known.Schema = &openapi3.Schema{OneOf: openapi3.SchemaRefs{{Value: known.Schema}}}
			}
			known.Schema.OneOf = append(known.Schema.OneOf, &openapi3.SchemaRef{Value: schema})
			return
		}
	}
	media := &source.MediaType{Type: contentType, Schema: schema}
	if examples := m.Node.Get("examples"); examples != nil && len(examples.Items) > 0 {
		if payload := examples.Items[0].Get("payload"); payload != nil {
			media.Example = payload.Value().Native()
		}
	}
	body.Content = append(body.Content, media)
}

// headers gives the header fields that a message must have.
func (in *inliner) headers(m *asyncapi.Message) []*source.Parameter {
	schema := in.schema(m.Headers)
	var all []*source.Parameter
	for _, name := range schema.Required {
		if p := valueOf(schema.Properties[name]); p != nil && isFieldName(name) {
			all = append(all, &source.Parameter{Name: name, In: "header", Required: true, Style: "simple", Schema: p})
		}
	}
	return all
}

func isFieldName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) })
}

// inliner reads schemas of AsyncAPI as those that OpenAPI has: references in them are
// replaced by what they lead to.
type inliner struct {
	catalog *asyncapi.Catalog
	files   map[string]value.Value
	left    int // values that may yet be written
}

// deepestReference bounds how far references lead into each other: past it a schema speaks
// of itself.
const deepestReference = 6

// schema gives a schema; an empty one where it is of another kind, or cannot be read.
func (in *inliner) schema(s *asyncapi.Schema) *openapi3.Schema {
	made := &openapi3.Schema{}
	if s == nil || s.Node == nil || !s.IsJSON() {
		return made
	}
	in.left = largestExample * 10
	text := value.AppendJSON(nil, in.value(s.Node.Value(), in.locationOf(s.Node), 0))
	if json.Unmarshal(text, made) != nil {
		return &openapi3.Schema{}
	}
	return made
}

func (in *inliner) locationOf(n *arazzo.Node) string { return in.catalog.File(n) }

func (in *inliner) file(location string) value.Value {
	if in.files == nil {
		in.files = map[string]value.Value{}
	}
	if _, known := in.files[location]; !known {
		if root := in.catalog.Files[location]; root != nil {
			in.files[location] = root.Value()
		}
	}
	return in.files[location]
}

func (in *inliner) value(v value.Value, location string, depth int) value.Value {
	if in.left--; in.left <= 0 {
		return value.Object()
	}
	if ref, isReference := v.Get("$ref").Str(); isReference {
		if depth >= deepestReference {
			return value.Object()
		}
		to, at := in.follow(ref, location)
		return in.value(to, at, depth+1)
	}
	switch v.Kind() {
	case value.KindArray:
		items := slices.Clone(v.Items())
		for i, item := range items {
			items[i] = in.value(item, location, depth)
		}
		return value.Array(items...)
	case value.KindObject:
		members := slices.Clone(v.Members())
		for i, m := range members {
			switch m.Name {
			case "enum", "const", "default", "examples", "example":
				continue
			case "properties":
				m.Value = schemasOnly(m.Value)
			}
			members[i].Value = in.value(m.Value, location, depth)
		}
		return value.Object(members...)
	}
	return v
}

// schemasOnly writes the schemas that are true or false as objects.
func schemasOnly(v value.Value) value.Value {
	members := slices.Clone(v.Members())
	for i, m := range members {
		if m.Value.Kind() == value.KindBool {
			members[i].Value = value.Object()
		}
	}
	return value.Object(members...)
}

// follow gives what a reference leads to, and where that stands.
func (in *inliner) follow(ref, location string) (value.Value, string) {
	file, fragment, _ := strings.Cut(ref, "#")
	if file != "" {
		base, err := url.Parse(location)
		if err != nil {
			return value.Object(), location
		}
		to, err := base.Parse(file)
		if err != nil {
			return value.Object(), location
		}
		location = to.String()
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	at, err := value.ParsePointer(fragment)
	if err != nil {
		return value.Object(), location
	}
	found := at.In(in.file(location))
	if found.Kind() != value.KindObject {
		return value.Object(), location
	}
	return found, location
}
