package selector

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// xmlKind is a kind of node of the XPath data model.
type xmlKind uint8

const (
	xmlRoot xmlKind = iota
	xmlElement
	xmlAttribute
	xmlText
	xmlComment
	xmlInstruction
)

// xmlNode is one node of an XML document, with the bytes that it was read from.
type xmlNode struct {
	kind          xmlKind
	prefix, local string // as the document writes the name
	uri           string // what the prefix stands for
	text          string // of attributes, text, comments and instructions
	parent        *xmlNode
	children      []*xmlNode
	attributes    []*xmlNode
	order, last   int // the node's place in document order, and that of its last descendant

	// start and end are byte offsets: of an attribute's value between its
	// quotes, of a text, of what stands between an element's tags. Of an
	// element without an end tag both are the place of the slash.
	start, end int
	closedTag  bool // the element is written <a/>
}

// name gives the name as the document writes it.
func (n *xmlNode) name() string {
	if n.prefix != "" {
		return n.prefix + ":" + n.local
	}
	return n.local
}

// xmlDocument is a parsed document: its nodes in document order, the root first.
type xmlDocument struct {
	source string
	nodes  []*xmlNode
}

// parseXML reads a whole document. Nothing outside the text is ever read.
func parseXML(source string) (*xmlDocument, error) {
	if len(source) > MaxXMLSize {
		return nil, &LimitError{What: "bytes of XML", Limit: MaxXMLSize}
	}
	source, err := xmlInUTF8(source)
	if err != nil {
		return nil, xmlError(err)
	}
	r := &xmlReader{doc: &xmlDocument{source: source}, scopes: []xmlScope{{"xml": "http://www.w3.org/XML/1998/namespace"}}}
	r.decoder = xml.NewDecoder(strings.NewReader(source))
	r.decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil } // it is UTF-8 by now
	r.current = r.add(&xmlNode{kind: xmlRoot, end: len(source)})
	for {
		from := int(r.decoder.InputOffset())
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			return r.finish()
		}
		if err == nil {
			err = r.token(token, from, int(r.decoder.InputOffset()))
		}
		if err != nil {
			return nil, xmlError(err)
		}
	}
}

func xmlError(err error) error {
	var limit *LimitError
	if errors.As(err, &limit) {
		return err
	}
	var syntax *xml.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("XML that is not read: %w", err)
	}
	return fmt.Errorf("not well-formed XML: %s", strings.TrimPrefix(err.Error(), "XML syntax error on "))
}

// xmlScope maps the prefixes that one element declares to what they stand for.
type xmlScope map[string]string

type xmlReader struct {
	doc     *xmlDocument
	decoder *xml.Decoder
	current *xmlNode
	depth   int
	scopes  []xmlScope
}

func (r *xmlReader) add(n *xmlNode) *xmlNode {
	n.order = len(r.doc.nodes)
	n.last = n.order
	r.doc.nodes = append(r.doc.nodes, n)
	return n
}

// append adds n as the last child of the current element.
func (r *xmlReader) append(n *xmlNode) {
	n.parent = r.current
	r.current.children = append(r.current.children, r.add(n))
}

func (r *xmlReader) token(token xml.Token, from, to int) error {
	switch t := token.(type) {
	case xml.StartElement:
		return r.open(t, from, to)
	case xml.EndElement:
		r.close(from)
	case xml.CharData:
		return r.text(string(t), from, to)
	case xml.Comment:
		r.append(&xmlNode{kind: xmlComment, text: string(t), start: from, end: to})
	case xml.ProcInst:
		if t.Target != "xml" {
			r.append(&xmlNode{kind: xmlInstruction, local: t.Target, text: strings.TrimSpace(string(t.Inst)), start: from, end: to})
		}
	case xml.Directive:
		if strings.ContainsAny(string(t), "[") {
			return errors.New("a document type that declares something is refused")
		}
	}
	return nil
}

func (r *xmlReader) text(text string, from, to int) error {
	if r.current.kind == xmlRoot {
		if strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) != "" {
			return errors.New("text outside the root element")
		}
		return nil
	}
	if count := len(r.current.children); count > 0 {
		if before := r.current.children[count-1]; before.kind == xmlText { // text beside CDATA is one node
			before.text += text
			before.end = to
			return nil
		}
	}
	if text != "" {
		r.append(&xmlNode{kind: xmlText, text: text, start: from, end: to})
	}
	return nil
}

func (r *xmlReader) open(t xml.StartElement, from, to int) error {
	if r.depth++; r.depth > MaxXMLDepth {
		return &LimitError{What: "elements nested in XML", Limit: MaxXMLDepth}
	}
	if r.current.kind == xmlRoot && r.doc.element() != nil {
		return errors.New("a second root element")
	}
	tag := r.doc.source[from:to]
	n := &xmlNode{kind: xmlElement, start: to, end: to}
	if strings.HasSuffix(tag, "/>") {
		n.closedTag = true
		n.start, n.end = to-2, to-2
	}
	name, written := readTag(tag)
	n.prefix, n.local = splitName(name)
	scope := xmlScope{}
	if len(written) != len(t.Attr) {
		return fmt.Errorf("the tag of <%s> cannot be read", name)
	}
	for i, a := range written {
		switch prefix, local := splitName(a.name); {
		case prefix == "xmlns":
			scope[local] = t.Attr[i].Value
		case a.name == "xmlns":
			scope[""] = t.Attr[i].Value
		}
	}
	r.scopes = append(r.scopes, scope)
	uri, ok := r.resolve(n.prefix)
	if !ok {
		return fmt.Errorf("the prefix %q is not declared", n.prefix)
	}
	n.uri = uri
	r.append(n)
	r.current = n
	return r.attributes(n, t, written, from)
}

// attributes adds the attributes of n but for the declarations of prefixes.
func (r *xmlReader) attributes(n *xmlNode, t xml.StartElement, written []writtenAttribute, from int) error {
	seen := make(map[string]bool, len(written))
	for i, a := range written {
		prefix, local := splitName(a.name)
		if seen[a.name] {
			return fmt.Errorf("<%s> has the attribute %s twice", n.name(), a.name)
		}
		seen[a.name] = true
		if prefix == "xmlns" || a.name == "xmlns" {
			continue
		}
		attribute := &xmlNode{kind: xmlAttribute, prefix: prefix, local: local, parent: n, start: from + a.start, end: from + a.end}
		attribute.text = normalizeAttribute(r.doc.source[attribute.start:attribute.end], t.Attr[i].Value)
		if prefix != "" {
			uri, ok := r.resolve(prefix)
			if !ok {
				return fmt.Errorf("the prefix %q is not declared", prefix)
			}
			attribute.uri = uri
		}
		n.attributes = append(n.attributes, r.add(attribute))
	}
	return nil
}

// normalizeAttribute makes a blank of each line break and tab that an attribute's
// value is written with, but not of one written as a reference (XML 1.0, section
// 3.3.3). The decoder tells the two apart no more.
func normalizeAttribute(written, decoded string) string {
	if !strings.ContainsAny(written, "\t\r\n") {
		return decoded
	}
	if !strings.Contains(written, "&") {
		return strings.NewReplacer("\n", " ", "\t", " ").Replace(decoded)
	}
	blank := strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ", ">", "&gt;").Replace(written)
	var normalized string
	if err := xml.Unmarshal([]byte("<a>"+blank+"</a>"), &normalized); err != nil {
		return decoded
	}
	return normalized
}

func (r *xmlReader) resolve(prefix string) (uri string, ok bool) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if uri, ok := r.scopes[i][prefix]; ok {
			return uri, prefix == "" || uri != ""
		}
	}
	return "", prefix == ""
}

func (r *xmlReader) close(from int) {
	n := r.current
	if !n.closedTag {
		n.end = from
	}
	n.last = len(r.doc.nodes) - 1
	r.current = n.parent
	r.depth--
	r.scopes = r.scopes[:len(r.scopes)-1]
}

func (r *xmlReader) finish() (*xmlDocument, error) {
	if r.doc.element() == nil {
		return nil, errors.New("not well-formed XML: there is no root element")
	}
	r.doc.nodes[0].last = len(r.doc.nodes) - 1
	return r.doc, nil
}

// element gives the root element.
func (d *xmlDocument) element() *xmlNode {
	for _, child := range d.nodes[0].children {
		if child.kind == xmlElement {
			return child
		}
	}
	return nil
}

func splitName(name string) (prefix, local string) {
	if before, after, found := strings.Cut(name, ":"); found {
		return before, after
	}
	return "", name
}

// writtenAttribute is an attribute with the place of its value in its tag.
type writtenAttribute struct {
	name       string
	start, end int
}

// readTag gives the name and the attributes of a start tag that the decoder
// has accepted.
func readTag(tag string) (name string, attributes []writtenAttribute) {
	const space = " \t\r\n"
	at := 1
	word := func(stop string) string {
		from := at
		for at < len(tag) && strings.IndexByte(stop, tag[at]) < 0 {
			at++
		}
		return tag[from:at]
	}
	skip := func(what string) {
		for at < len(tag) && strings.IndexByte(what, tag[at]) >= 0 {
			at++
		}
	}
	name = word(space + "/>")
	for {
		skip(space + "/")
		if at >= len(tag) || tag[at] == '>' {
			return name, attributes
		}
		attribute := word(space + "=")
		skip(space + "=")
		if at >= len(tag) {
			return name, attributes
		}
		quote := tag[at : at+1]
		at++
		from := at
		word(quote)
		attributes = append(attributes, writtenAttribute{attribute, from, at})
		at++
	}
}
