package arazzo

import (
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

var documentShape = shape[Document]{name: "an Arazzo document", fields: []field[Document]{
	{name: "arazzo", read: keep},
	{name: "$self", since: Version11, read: (*decoder).self},
	{name: "info", required: true, read: func(d *decoder, n *Node, into *Document) {
		into.Info.Node = n
		infoShape.read(d, n, &into.Info)
	}},
	{name: "sourceDescriptions", required: true, read: objects(list{"source descriptions", 1}, (*decoder).source,
		func(into *Document) *[]*SourceDescription { return &into.Sources })},
	{name: "workflows", required: true, read: objects(list{"workflows", 1}, (*decoder).workflow,
		func(into *Document) *[]*Workflow { return &into.Workflows })},
	{name: "components", read: func(d *decoder, n *Node, into *Document) {
		into.Components.Node = n
		componentsShape.read(d, n, &into.Components)
	}},
	{name: "x-weft-states", read: func(d *decoder, n *Node, into *Document) { into.States = d.states(n) }},
	{name: "x-weft-idempotency", read: func(d *decoder, n *Node, into *Document) { into.Idempotency = d.idempotency(n) }},
}}

// keep is for a field that was read before the others.
func keep(*decoder, *Node, *Document) {}

var infoShape = shape[Info]{name: "an info object", fields: []field[Info]{
	{name: "title", required: true, read: str(func(i *Info) *Text { return &i.Title })},
	{name: "summary", read: str(func(i *Info) *Text { return &i.Summary })},
	{name: "description", read: str(func(i *Info) *Text { return &i.Description })},
	{name: "version", required: true, read: str(func(i *Info) *Text { return &i.Version })},
}}

var sourceTypes = []word{{name: "openapi"}, {name: "arazzo"}, {name: "asyncapi", since: Version11}}

var sourceShape = shape[SourceDescription]{name: "a source description", fields: []field[SourceDescription]{
	{name: "name", required: true, read: (*decoder).sourceName},
	{name: "url", required: true, read: str(func(s *SourceDescription) *Text { return &s.URL })},
	{name: "type", read: oneOf("schema", sourceTypes, func(s *SourceDescription) *Text { return &s.Type })},
}}

var componentsShape = shape[Components]{name: "a components object", fields: []field[Components]{
	{name: "inputs", read: named("input schemas", (*decoder).schema,
		func(c *Components) *[]Named[*Node] { return &c.Inputs })},
	{name: "parameters", read: named("parameters", (*decoder).plainParameter,
		func(c *Components) *[]Named[*Parameter] { return &c.Parameters })},
	{name: "successActions", read: named("success actions", (*decoder).plainSuccessAction,
		func(c *Components) *[]Named[*Action] { return &c.SuccessActions })},
	{name: "failureActions", read: named("failure actions", (*decoder).plainFailureAction,
		func(c *Components) *[]Named[*Action] { return &c.FailureActions })},
}}

// named reads one map of the components.
func named[E any](what string, read func(*decoder, *Node) *E, at func(*Components) *[]Named[*E]) func(*decoder, *Node, *Components) {
	return func(d *decoder, n *Node, into *Components) {
		for _, m := range d.members(n, "schema", what) {
			if e := read(d, m.Value); e != nil {
				*at(into) = append(*at(into), Named[*E]{Name: Text{Node: m.Key, Value: m.Key.Text}, Value: e})
			}
		}
	}
}

// document reads the whole document.
func (d *decoder) document(file string, n *Node) *Document {
	document := &Document{Node: n, File: file}
	if n.Kind == value.KindObject {
		d.readVersion(n, document)
	} else {
		d.version = Version11
	}
	documentShape.read(d, n, document)
	return document
}

// foreign are fields by which other kinds of descriptions are known.
var foreign = []struct{ field, name string }{
	{"openapi", "an OpenAPI description"}, {"swagger", "a Swagger description"},
	{"asyncapi", "an AsyncAPI description"}, {"overlay", "an OpenAPI Overlay"}, {"$schema", "a JSON Schema"},
}

// readVersion decides which version the document is read as. Where it is one
// that is not known, nothing more is said of the document's shape.
func (d *decoder) readVersion(n *Node, document *Document) {
	d.version, document.Version = Version11, VersionUnknown
	written := n.Get("arazzo")
	if written == nil {
		for _, f := range foreign {
			if n.Get(f.field) != nil {
				d.fault("schema", n, "this is %s, not an Arazzo document: the field \"arazzo\" is missing", f.name)
				d.mute = true
				return
			}
		}
		d.fault("schema", n, `an Arazzo document needs the field "arazzo" with its version, 1.0.x or 1.1.x: arazzo: 1.1.0`)
		return
	}
	document.Arazzo = Text{Node: written, Value: written.Text}
	d.written = shorten(written.Text)
	version, exact := versionOf(written.Text)
	if version != VersionUnknown {
		d.version, document.Version = version, version
	}
	if written.Kind == value.KindString && exact {
		return
	}
	d.unsupported(written, version)
	d.mute = version == VersionUnknown
}

func (d *decoder) unsupported(n *Node, version Version) {
	switch {
	case n.broken:
	case version != VersionUnknown:
		d.fault("schema", n, "arazzo: the version is written with three numbers, as %s.0; this is %s", versionName(version), quote(n.Text))
	case n.Kind == value.KindString || n.Kind == value.KindNumber:
		d.fault("schema", n, "unsupported Arazzo version %s: 1.0.x and 1.1.x are supported", quote(n.Text))
	default:
		d.fault("schema", n, "arazzo: expected a version, 1.0.x or 1.1.x, this is %s", describe(n))
	}
}

func versionName(v Version) string {
	if v == Version10 {
		return "1.0"
	}
	return "1.1"
}

// versionOf tells which version s names, and whether s is written as the
// specification demands: major.minor.patch and perhaps a suffix.
func versionOf(s string) (version Version, exact bool) {
	switch {
	case s == "1.0" || strings.HasPrefix(s, "1.0."):
		version = Version10
	case s == "1.1" || strings.HasPrefix(s, "1.1."):
		version = Version11
	default:
		return VersionUnknown, false
	}
	if len(s) < len("1.0.0") {
		return version, false
	}
	patch, suffix, hasSuffix := strings.Cut(s[len("1.0."):], "-")
	digits, rest := cutDigits(patch)
	return version, digits != "" && rest == "" && (!hasSuffix || suffix != "")
}

func (d *decoder) self(n *Node, into *Document) {
	into.Self = d.text(n)
	if _, err := url.Parse(n.Text); err != nil && n.Kind == value.KindString {
		d.faultAt("schema", n.Span, n, "$self: expected a URI reference (RFC 3986, section 4.1), this is %q", n.Text)
		return
	}
	if at := strings.IndexByte(n.Text, '#'); at >= 0 && n.Kind == value.KindString {
		d.faultAt("schema", n.Part(at, len(n.Text)), n, "$self: a fragment (from '#' on) is not allowed: it names the whole document")
	}
}

func (d *decoder) source(n *Node) *SourceDescription {
	s := &SourceDescription{Node: n}
	if !sourceShape.read(d, n, s) {
		return nil
	}
	return s
}

func (d *decoder) sourceName(n *Node, into *SourceDescription) {
	into.Name = d.text(n)
	if n.Kind == value.KindString && !isName(n.Text, "_-") {
		d.fault("source-name-pattern", n, "name: a source's name may have letters, digits, '_' and '-' only, this is %s", quote(n.Text))
	}
}

// schema reads a JSON Schema, which is an object or a boolean. What is in it is
// for others to check.
func (d *decoder) schema(n *Node) *Node {
	if n.Kind != value.KindBool {
		d.isObject(n, "a JSON Schema")
	}
	return n
}
