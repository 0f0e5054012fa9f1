package contract

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"
)

// element is one element of a document of XML; with a name that is empty it is a text. The
// document itself is one that holds the root alone.
type element struct {
	name       string // with its prefix
	attributes []attribute
	children   []*element
	text       string
}

type attribute struct{ name, text string }

// parseElements reads a document; what is no XML is one without a root.
func parseElements(text []byte) *element {
	doc := &element{}
	open := []*element{doc}
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.RawToken()
		if err != nil {
			if len(open) > 1 {
				return &element{}
			}
			return doc
		}
		above := open[len(open)-1]
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: nameOf(x.Name)}
			for _, a := range x.Attr {
				e.attributes = append(e.attributes, attribute{nameOf(a.Name), a.Value})
			}
			above.children = append(above.children, e)
			open = append(open, e)
		case xml.EndElement:
			if len(open) == 1 {
				return &element{}
			}
			open = open[:len(open)-1]
		case xml.CharData:
			if above != doc {
				above.children = append(above.children, &element{text: string(x)})
			}
		}
	}
}

func nameOf(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return n.Space + ":" + n.Local
}

// clone copies an element with all that is in it.
func (e *element) clone() *element {
	made := *e
	made.attributes = slices.Clone(e.attributes)
	made.children = make([]*element, len(e.children))
	for i, child := range e.children {
		made.children[i] = child.clone()
	}
	return &made
}

// root gives the first element in one, which of a document is its root; nil: there is none.
func (e *element) root() *element {
	for _, child := range e.children {
		if child.name != "" {
			return child
		}
	}
	return nil
}

// bytes writes a document.
func (e *element) bytes() []byte {
	var b bytes.Buffer
	for _, child := range e.children {
		child.write(&b)
	}
	return b.Bytes()
}

func (e *element) write(b *bytes.Buffer) {
	if e.name == "" {
		_ = xml.EscapeText(b, []byte(e.text)) // a Buffer takes everything
		return
	}
	b.WriteString("<" + e.name)
	for _, a := range e.attributes {
		b.WriteString(" " + a.name + `="`)
		_ = xml.EscapeText(b, []byte(a.text))
		b.WriteString(`"`)
	}
	b.WriteString(">")
	for _, child := range e.children {
		child.write(b)
	}
	b.WriteString("</" + e.name + ">")
}

// say lets the element hold nothing but a text.
func (e *element) say(text string) { e.children = []*element{{text: text}} }

func (e *element) setAttribute(name, text string) {
	for i, a := range e.attributes {
		if a.name == name {
			e.attributes[i].text = text
			return
		}
	}
	e.attributes = append(e.attributes, attribute{name, text})
}

func (e *element) hasAttribute(name string) bool {
	return slices.ContainsFunc(e.attributes, func(a attribute) bool { return isNamed(a.name, name) })
}

func (e *element) dropAttribute(name string) {
	e.attributes = slices.DeleteFunc(e.attributes, func(a attribute) bool { return isNamed(a.name, name) })
}

// isNamed tells whether a name is the one that an XPath says.
func isNamed(name, said string) bool {
	if prefix, any := strings.CutSuffix(said, "*"); any {
		return name != "" && !strings.HasPrefix(name, "xmlns") && strings.HasPrefix(name, prefix)
	}
	return name == said
}

// declare declares the prefix of a name at the root, where nothing does.
func (e *element) declare(name string) {
	prefix, _, prefixed := strings.Cut(name, ":")
	if root := e.root(); prefixed && root != nil && prefix != "xml" && !root.hasAttribute("xmlns:"+prefix) {
		root.setAttribute("xmlns:"+prefix, "urn:x-weft:"+prefix)
	}
}
