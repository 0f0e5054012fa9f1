package mock

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// unnamedRoot is the name of a whole document whose schema has none.
const unnamedRoot = "root"

// isXML tells whether a media type is XML (RFC 7303).
func isXML(mediaType string) bool {
	return mediaType == "application/xml" || mediaType == "text/xml" || strings.HasSuffix(mediaType, "+xml")
}

// xmlForm is what the schemas of a value say of how it is written (XML Object).
type xmlForm struct{ openapi3.XML }

func (t *together) xmlForm() xmlForm {
	var form xmlForm
	for _, s := range t.all() {
		if s.XML == nil {
			continue
		}
		form.Name = firstText(form.Name, s.XML.Name)
		form.Prefix = firstText(form.Prefix, s.XML.Prefix)
		form.Namespace = firstText(form.Namespace, s.XML.Namespace)
		form.Attribute = form.Attribute || s.XML.Attribute
		form.Wrapped = form.Wrapped || s.XML.Wrapped
	}
	return form
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// name gives the name of the element or attribute of a value that is known by one.
func (f xmlForm) name(known string) string {
	name := firstText(f.Name, known)
	if f.Prefix != "" {
		name = f.Prefix + ":" + name
	}
	return name
}

// itemName gives the name of the elements of an array that is known by a name.
func (t *together) itemName(known string) string {
	return t.items().xmlForm().name(firstText(t.xmlForm().Name, known))
}

// xmlWriter writes values as XML in the way that their schemas say.
type xmlWriter struct{ out []byte }

// document writes a value as a whole document: name is what the schema is called.
func (w *xmlWriter) document(name string, v value.Value, t *together) {
	root := t.xmlForm().name(firstText(name, unnamedRoot))
	if v.Kind() != value.KindArray {
		w.element(root, v, t)
		return
	}
	w.open(root, t.xmlForm())
	w.out = append(w.out, '>')
	w.items(t.items().xmlForm().name("item"), v, t)
	w.close(root)
}

func (w *xmlWriter) open(name string, form xmlForm) {
	w.out = append(append(w.out, '<'), name...)
	if form.Namespace == "" {
		return
	}
	declared := "xmlns"
	if form.Prefix != "" {
		declared += ":" + form.Prefix
	}
	w.attribute(declared, form.Namespace)
}

func (w *xmlWriter) close(name string) {
	w.out = append(append(append(w.out, "</"...), name...), '>')
}

func (w *xmlWriter) attribute(name, text string) {
	w.out = append(append(append(w.out, ' '), name...), `="`...)
	w.text(text)
	w.out = append(w.out, '"')
}

func (w *xmlWriter) text(text string) {
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(text)) // a Buffer takes everything
	w.out = append(w.out, escaped.Bytes()...)
}

func (w *xmlWriter) items(name string, v value.Value, t *together) {
	for _, item := range v.Items() {
		w.element(name, item, t.items())
	}
}

// element writes one element: attributes first, then what is in it.
func (w *xmlWriter) element(name string, v value.Value, t *together) {
	w.open(name, t.xmlForm())
	if v.Kind() != value.KindObject {
		w.out = append(w.out, '>')
		if v.Kind() == value.KindArray { // a list in a list
			w.items(t.itemName("item"), v, t)
		} else if !v.IsNothing() {
			w.text(v.Text())
		}
		w.close(name)
		return
	}
	for _, m := range v.Members() {
		if form := t.property(m.Name).xmlForm(); form.Attribute {
			w.attribute(form.name(m.Name), m.Value.Text())
		}
	}
	w.out = append(w.out, '>')
	for _, m := range v.Members() {
		if !t.property(m.Name).xmlForm().Attribute {
			w.member(m, t.property(m.Name))
		}
	}
	w.close(name)
}

// member writes one member of an object; of an array that is not wrapped one element for
// each of its own.
func (w *xmlWriter) member(m value.Member, t *together) {
	form := t.xmlForm()
	switch {
	case m.Value.Kind() != value.KindArray:
		w.element(form.name(m.Name), m.Value, t)
	case form.Wrapped:
		w.open(form.name(m.Name), form)
		w.out = append(w.out, '>')
		w.items(t.itemName(m.Name), m.Value, t)
		w.close(form.name(m.Name))
	default:
		w.items(t.itemName(m.Name), m.Value, t)
	}
}

// rootNameOf gives the name of the component that a schema is; empty: it has none.
func rootNameOf(op *source.Operation, m *source.MediaType, below ...string) string {
	media := writtenAt(op.Written, op.Pointer, append(slices.Clone(below), "content", m.Type)...)
	ref, _ := media.Get("schema").Get("$ref").Str()
	_, name, found := strings.Cut(ref, "#/components/schemas/")
	if !found || strings.Contains(name, "/") {
		return ""
	}
	return name
}

// xmlNode is an element as it was read.
type xmlNode struct {
	name       string
	attributes []value.Member
	children   []*xmlNode
	text       string
}

// ReadXML gives what a document of XML says as the value that a schema describes, by the
// names, attributes and lists that its XML Objects tell; what the schema does not speak of
// is found under its own name. ok is false where the text is no XML.
func ReadXML(schema *openapi3.Schema, text []byte) (v value.Value, ok bool) {
	root := readNode(text)
	if root == nil {
		return value.Absent, false
	}
	t := flatten(schema)
	if t.kind() == openapi3.TypeArray {
		items := make([]value.Value, len(root.children))
		for i, child := range root.children {
			items[i] = child.value(t.items())
		}
		return value.Array(items...), true
	}
	return root.value(t), true
}

// readNode reads the root element; nil: there is none, or the text is no XML.
func readNode(text []byte) *xmlNode {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	var root *xmlNode
	var open []*xmlNode
	for {
		token, err := decoder.RawToken()
		if err != nil {
			if root == nil || len(open) > 0 {
				return nil
			}
			return root
		}
		switch x := token.(type) {
		case xml.StartElement:
			node := &xmlNode{name: rawName(x.Name)}
			for _, a := range x.Attr {
				if x := rawName(a.Name); x != "xmlns" && a.Name.Space != "xmlns" {
					node.attributes = append(node.attributes, value.Member{Name: x, Value: value.String(a.Value)})
				}
			}
			if len(open) > 0 {
				above := open[len(open)-1]
				above.children = append(above.children, node)
			} else if root == nil {
				root = node
			} else {
				return nil
			}
			open = append(open, node)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != rawName(x.Name) {
				return nil
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				open[len(open)-1].text += string(x)
			}
		}
	}
}

func rawName(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// value gives what an element says.
func (n *xmlNode) value(t *together) value.Value {
	isObject := t.kind() == openapi3.TypeObject || len(t.properties()) > 0
	if !isObject && len(n.children)+len(n.attributes) == 0 {
		return typed([]string{strings.TrimSpace(n.text)}, t)
	}
	var members []value.Member
	taken := map[string]bool{}
	for _, name := range t.properties() {
		p := t.property(name)
		if v := n.member(name, p, taken); !v.IsAbsent() {
			members = append(members, value.Member{Name: name, Value: v})
		}
	}
	for _, a := range n.attributes {
		if !taken["@"+a.Name] {
			members = append(members, a)
		}
	}
	for _, child := range n.children {
		if !taken[child.name] {
			members = append(members, value.Member{Name: child.name, Value: child.value(nil)})
		}
	}
	return value.Object(members...)
}

// member finds what an element says of one property, and notes the names that it has
// taken.
func (n *xmlNode) member(name string, p *together, taken map[string]bool) value.Value {
	form := p.xmlForm()
	if form.Attribute {
		taken["@"+form.name(name)] = true
		for _, a := range n.attributes {
			if a.Name == form.name(name) {
				return typed([]string{a.Value.Text()}, p)
			}
		}
		return value.Absent
	}
	if p.kind() != openapi3.TypeArray {
		taken[form.name(name)] = true
		if all := n.named(form.name(name)); len(all) > 0 {
			return all[0].value(p)
		}
		return value.Absent
	}
	all, item := n.named(p.itemName(name)), p.itemName(name)
	if form.Wrapped {
		item = form.name(name)
		wrappers := n.named(item)
		if all = nil; len(wrappers) > 0 {
			all = wrappers[0].named(p.itemName(name))
		}
		if len(wrappers) == 0 {
			return value.Absent
		}
	}
	taken[item] = true
	items := make([]value.Value, len(all))
	for i, one := range all {
		items[i] = one.value(p.items())
	}
	return value.Array(items...) // no element at all is an empty list
}

func (n *xmlNode) named(name string) []*xmlNode {
	return slices.DeleteFunc(slices.Clone(n.children), func(c *xmlNode) bool { return c.name != name })
}
