package asyncapi

import (
	"errors"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// Schema is what a payload or headers must be like.
type Schema struct {
	// Node is the schema. Where IsJSON, a reference in its place is followed, and
	// those inside it lead to Catalog.Files; else it is as written.
	Node   *arazzo.Node
	Format string // its media type, with AsyncAPI's default filled in
	Merged bool   // traits have made it of several: as a whole it stands nowhere
}

// The media types of the formats that are JSON Schema, or nearly.
var jsonFormats = map[string]bool{
	"application/vnd.aai.asyncapi": true,
	"application/schema":           true,
	"application/vnd.oai.openapi":  true,
}

// IsJSON tells whether the schema is written in JSON Schema or a dialect of it:
// AsyncAPI's own, or OpenAPI's. Avro, Protobuf, RAML and others are not.
func (s *Schema) IsJSON() bool {
	format, _, _ := strings.Cut(s.Format, ";")
	format = strings.ToLower(strings.TrimSpace(format))
	format = strings.TrimSuffix(strings.TrimSuffix(format, "+json"), "+yaml")
	return jsonFormats[format]
}

// schema reads a schema; of 3.x it may be wrapped with its format (Multi Format
// Schema Object).
func (r *reader) schema(n *arazzo.Node, format string) *Schema {
	if r.major == 3 {
		n, format = r.unwrapped(n)
	}
	if n == nil || n.Kind == value.KindNull {
		return nil
	}
	s := &Schema{Node: n, Format: format}
	if format == "" {
		s.Format = "application/vnd.aai.asyncapi;version=" + r.catalog.Version
	}
	if !s.IsJSON() {
		return s // a reference in it may mean something else
	}
	if s.Node = r.follow(n); s.Node == nil {
		return nil
	}
	s.Merged = r.merged[s.Node]
	r.walkSchema(s.Node)
	return s
}

// unwrapped gives the schema of 3.x and its format, where one is said.
func (r *reader) unwrapped(n *arazzo.Node) (*arazzo.Node, string) {
	n = r.follow(n)
	if n == nil || n.Kind != value.KindObject {
		return n, ""
	}
	inner, format := r.member(n, "schema"), r.text(n, "schemaFormat")
	switch {
	case inner != nil:
		return inner, format
	case format != "":
		r.fault(n, errors.New("there is a schemaFormat, but no schema"))
		return nil, ""
	}
	return n, ""
}

// part is a part of a schema: a schema, or an object whose keys are names that
// its author chose.
type part struct {
	node  *arazzo.Node
	names bool
}

// walkSchema follows whatever a schema refers to, so that the files are there,
// and what is missing is known, when the schema is needed.
func (r *reader) walkSchema(n *arazzo.Node) {
	pending := []part{{node: n}}
	for len(pending) > 0 && r.stopped == nil {
		at := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if at.node == nil || r.walked[at.node] {
			continue
		}
		r.walked[at.node] = true
		pending = r.parts(at, pending)
	}
}

// parts adds what is to be looked at in a part of a schema.
func (r *reader) parts(of part, to []part) []part {
	n := of.node
	if ref := r.refOf(n); ref != nil && !of.names && !isAnchor(ref.Text) {
		return append(to, part{node: r.follow(n)})
	}
	for _, item := range n.Items {
		to = append(to, part{node: item})
	}
	if n.Get("$id") != nil && n.Parent() != nil && !of.names {
		return to // references in it resolve against that
	}
	for _, m := range n.Members {
		if of.names || !isData(m.Key.Text) {
			to = append(to, part{m.Value, !of.names && nameMaps[m.Key.Text]})
		}
	}
	return to
}

// nameMaps are the keywords under which the keys are names that the author chose.
var nameMaps = map[string]bool{
	"properties": true, "patternProperties": true, "definitions": true, "$defs": true,
	"dependencies": true, "dependentSchemas": true,
}

// isAnchor tells whether a reference names an anchor, which only JSON Schema knows.
func isAnchor(ref string) bool {
	_, fragment, ok := strings.Cut(ref, "#")
	return ok && fragment != "" && fragment[0] != '/' && fragment[0] != '%'
}

// isData tells whether a keyword's value is the author's own data.
func isData(keyword string) bool {
	switch keyword {
	case "example", "examples", "default", "enum", "const":
		return true
	default:
		return strings.HasPrefix(keyword, "x-")
	}
}
