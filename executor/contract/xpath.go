package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// xmlForm is the document that answers, or messages, of XML are made from.
type xmlForm struct {
	mediaType string
	doc       *element
}

// readXPath notes the places that an XPath looks at, and what would matter there.
func (w *wishes) readXPath(version, condition string) {
	compiled, open := compileXPath(version, condition)
	if compiled == nil {
		return
	}
	for _, look := range compiled.Looks() {
		if len(look.Path) == 0 {
			continue
		}
		v := variable{part: xmlPart, at: look.String()}
		if look.Counted {
			v.part = xmlCountPart
		}
		wanted := w.at(v)
		wanted.look = &look
		w.compareXML(wanted, look, open)
	}
}

// compareXML notes what stands beside what a place is compared with.
func (w *wishes) compareXML(wanted *wish, look selector.Look, open map[string]*expression.Expression) {
	for _, v := range look.Compared {
		n, isNumber := v.Int64()
		switch {
		case open[v.Text()] != nil:
			wanted.open = append(wanted.open, open[v.Text()])
		case look.Counted && isNumber:
			wanted.add(value.Int(n), value.Int(n+1), value.Int(max(n-1, 0)))
		case look.Measured && isNumber && n >= 0 && n < mostMeasured:
			for _, length := range []int64{n, n + 1, max(n-1, 0)} {
				wanted.add(value.String(strings.Repeat("x", int(length))))
			}
		default:
			wanted.add(beside(v)...)
		}
	}
	if look.Counted {
		wanted.add(value.Int(0), value.Int(1))
		return
	}
	if len(look.Compared) == 0 {
		wanted.add(value.String(anything))
	}
	wanted.add(value.Absent)
}

// mostMeasured bounds the texts that are made to have a length.
const mostMeasured = 1000

// compileXPath reads a condition. What it takes from the run is not known yet: a name stands
// in for each.
func compileXPath(version, condition string) (compiled *selector.Selector, open map[string]*expression.Expression) {
	segments, err := expression.ParseEmbedded(condition, nil)
	if err != nil {
		return nil, nil
	}
	var text strings.Builder
	open = map[string]*expression.Expression{}
	for i, s := range segments {
		if s.Expression == nil {
			text.WriteString(s.Text)
			continue
		}
		name := fmt.Sprintf("~value %d~", i)
		open[name] = s.Expression
		text.WriteString(name)
	}
	compiled, err = selector.Compile(selector.XPath, version, text.String())
	if err != nil {
		return nil, nil
	}
	return compiled, open
}

// beyondXPath tells for what of an XPath no answers are made up; empty: they are.
func (c *criterionModel) beyondXPath() string {
	compiled, _ := compileXPath(c.model.Type.Version, c.model.Condition.Value)
	context, err := expression.Parse(c.model.Context.Value, nil)
	if err != nil || compiled == nil {
		return "an XPath that is made of values of the run"
	}
	place, ok := placeOfExpression(context)
	switch {
	case !ok || place.part != bodyPart || place.at != "":
		return "an XPath in another context than $response.body or $message.payload"
	case len(compiled.Looks()) == 0:
		return "an XPath that finds by other ways than names, positions and attributes"
	}
	return ""
}

// lookIntoXML tells whether criteria look at places in XML.
func (w *wishes) lookIntoXML() bool {
	return slices.ContainsFunc(w.all, func(one *wish) bool { return one.inXML() })
}

// tryXML tries a status with a body of XML.
func (a *answers) tryXML(status int, w *wishes) {
	response := a.step.operation.Response(status)
	mediaType := "application/xml"
	if response != nil {
		if media := xmlIn(response.Content); media != nil {
			mediaType = media.Type
		}
	}
	header, raw, _ := a.apis.Example(a.step.asked, status, mediaType)
	if header = header.Clone(); header == nil {
		header = http.Header{}
	}
	if check := header.Get("Content-Type"); check != mediaType {
		raw = nil // it has another form
	}
	header.Set("Content-Type", mediaType)
	a.xml = &xmlForm{mediaType, parseElements(raw)}
	a.combineAll(status, header, value.Absent, a.placesOf(w, status, xmlPart, xmlCountPart))
	a.xml = nil
}

// tryXMLMessages tries messages with a payload of XML.
func (a *answers) tryXMLMessages(w *wishes) {
	header, raw, ok := a.apis.MessageExample(a.step.asked)
	mediaType := header.Get("Content-Type")
	if !ok || !isXML(mediaType) {
		mediaType, raw = "application/xml", nil
	}
	a.xml = &xmlForm{mediaType, parseElements(raw)}
	a.combineAll(0, nil, value.Absent, a.placesOf(w, 0, xmlPart, xmlCountPart))
	a.xml = nil
}

func isXML(mediaType string) bool {
	plain, _, _ := strings.Cut(mediaType, ";")
	plain = strings.ToLower(strings.TrimSpace(plain))
	return plain == "application/xml" || plain == "text/xml" || strings.HasSuffix(plain, "+xml")
}

func xmlIn(content []*source.MediaType) *source.MediaType {
	for _, m := range content {
		if isXML(m.Type) {
			return m
		}
	}
	return nil
}

// edited gives the document with a candidate's edits, and has the candidate make them;
// false: they cannot be made.
func (f *xmlForm) edited(c *candidate) (value.Value, bool) {
	doc := f.doc.clone()
	for _, e := range c.xml {
		if !e.apply(doc) {
			return value.Absent, false
		}
	}
	if doc.root() == nil {
		return value.Absent, len(c.xml) == 0
	}
	c.answer.MediaType = f.mediaType
	if edits := c.xml; len(edits) > 0 {
		c.answer.Rewrite = func(body []byte) []byte {
			changed, _ := rewrite(edits, body)
			return changed
		}
	}
	return value.String(string(doc.bytes())), true
}

// described gives what is said of the XML of answers with a status, or of messages.
func (a *answers) described(status int) (response *source.Response, media *source.MediaType) {
	switch {
	case !a.message:
		response = a.step.operation.Response(status)
	case a.step.operation.Body != nil:
		response = &source.Response{Content: a.step.operation.Body.Content}
	}
	if response != nil {
		media = xmlIn(response.Content)
	}
	return response, media
}

// breaksXML tells whether the description does not allow what a document says.
func (a *answers) breaksXML(status int, body value.Value) bool {
	response, media := a.described(status)
	if media == nil || media.Schema == nil {
		return a.message && response != nil && len(response.Content) > 0 && media == nil
	}
	text, _ := body.Str()
	said, ok := mock.ReadXML(media.Schema, []byte(text))
	if !ok {
		return true
	}
	if a.message {
		return len(a.checker.Value(a.step.operation, media, said).Findings) > 0
	}
	return len(a.checker.Against(check.ResponseSchema(a.step.operation, response, media), said).Findings) > 0
}

// enumInXML gives the values that the schema names as the possible ones at a place.
func (a *answers) enumInXML(status int, look *selector.Look) []value.Value {
	_, media := a.described(status)
	if media == nil || len(look.Path) == 0 {
		return nil
	}
	_, local, found := strings.Cut(look.Path[len(look.Path)-1].Name, ":")
	if !found {
		local = look.Path[len(look.Path)-1].Name
	}
	return enumNamed(media.Schema, local, 0)
}

// enumNamed finds the values of the first property of a name that lists them.
func enumNamed(s *openapi3.Schema, name string, depth int) []value.Value {
	if s == nil || depth > deepestNamed {
		return nil
	}
	for _, part := range slices.Concat(s.AllOf, s.OneOf, s.AnyOf, openapi3.SchemaRefs{s.Items}) {
		if found := enumNamed(schemaOf(part), name, depth+1); len(found) > 0 {
			return found
		}
	}
	for _, property := range slices.Sorted(mapKeys(s.Properties)) {
		p := schemaOf(s.Properties[property])
		if p != nil && (property == name || p.XML != nil && p.XML.Name == name) {
			if found := enumIn(p, nil, 0); len(found) > 0 {
				return found
			}
		}
		if found := enumNamed(p, name, depth+1); len(found) > 0 {
			return found
		}
	}
	return nil
}

// deepestNamed bounds how far a name is looked for in schemas.
const deepestNamed = 6
