package httpcall

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// The places of a parameter.
const (
	inPath        = "path"
	inQuery       = "query"
	inHeader      = "header"
	inCookie      = "cookie"
	inQuerystring = "querystring"
)

// The styles of a parameter (OpenAPI, Style Values).
const (
	styleSimple = "simple"
	styleLabel  = "label"
	styleMatrix = "matrix"
	styleForm   = "form"
	styleSpace  = "spaceDelimited"
	stylePipe   = "pipeDelimited"
	styleDeep   = "deepObject"
)

// parameter is an argument with what its description says, or with OpenAPI's
// defaults for its place.
type parameter struct {
	name     string
	in       string
	value    value.Value
	style    string
	explode  bool
	reserved bool   // allowReserved
	content  string // media type, where it is described by content
}

func describe(a executor.Argument) parameter {
	p := parameter{name: a.Name, in: a.In, value: a.Value, style: defaultStyle(a.In)}
	p.explode = p.style == styleForm
	if d := a.Declared; d != nil {
		p.explode, p.reserved, p.content = d.Explode, d.AllowReserved, d.ContentType
		if d.Style != "" {
			p.style = d.Style
		}
	}
	return p
}

func defaultStyle(in string) string {
	if in == inQuery || in == inCookie {
		return styleForm
	}
	return styleSimple
}

// fault names the parameter in an error.
func (p parameter) fault(err error) error {
	return fmt.Errorf("the %s parameter %q: %w", p.in, p.name, err)
}

// shape is a value as the styles see it: one text, a list of texts, or named texts.
type shape struct {
	kind  value.Kind // KindString, KindArray or KindObject
	text  string
	items []string
	pairs []pair
}

type pair struct{ name, text string }

var errNested = errors.New("a list or object inside a list or object cannot be written in this style")

// flatten gives the shape of v. A null inside is left out, as RFC 6570, section
// 2.3, treats what is undefined.
func flatten(v value.Value) (shape, error) {
	switch v.Kind() {
	case value.KindArray:
		s := shape{kind: value.KindArray, items: make([]string, 0, v.Len())}
		for _, item := range v.Items() {
			if !item.IsScalar() {
				return shape{}, errNested
			}
			if !item.IsNull() {
				s.items = append(s.items, item.Text())
			}
		}
		return s, nil
	case value.KindObject:
		s := shape{kind: value.KindObject, pairs: make([]pair, 0, v.Len())}
		for _, m := range v.Members() {
			if !m.Value.IsScalar() {
				return shape{}, errNested
			}
			if !m.Value.IsNull() {
				s.pairs = append(s.pairs, pair{m.Name, m.Value.Text()})
			}
		}
		return s, nil
	default:
		return shape{kind: value.KindString, text: v.Text()}, nil
	}
}

// shape gives the parameter's value as the styles see it; of one described by
// content, the text of that content.
func (p parameter) shape() (shape, error) {
	if p.content == "" {
		return flatten(p.value)
	}
	text, err := contentText(p.value, p.content)
	return shape{kind: value.KindString, text: text}, err
}

// contentText writes a value as a media type inside a parameter or a form field.
func contentText(v value.Value, mediaType string) (string, error) {
	kind, _ := parseMedia(mediaType)
	switch {
	case isJSON(kind):
		text, err := writeJSON(v)
		return string(text), err
	case kind == formType:
		if _, ok := v.Str(); !ok {
			body, err := encodeForm(v, nil)
			return string(body), err
		}
		return v.Text(), nil
	case v.IsScalar():
		return v.Text(), nil
	default:
		return "", fmt.Errorf("a value of type %s cannot be written as %s", v.Kind(), mediaType)
	}
}

// joined writes a shape with one delimiter between all its parts: a,b for a
// list; k,v for an object, or k=v exploded.
func (s shape) joined(dst []byte, delimiter string, explode bool, escape func([]byte, string) []byte) []byte {
	switch s.kind {
	case value.KindArray:
		for i, item := range s.items {
			if i > 0 {
				dst = append(dst, delimiter...)
			}
			dst = escape(dst, item)
		}
	case value.KindObject:
		for i, m := range s.pairs {
			if i > 0 {
				dst = append(dst, delimiter...)
			}
			dst = escape(dst, m.name)
			if explode {
				dst = append(dst, '=')
			} else {
				dst = append(dst, delimiter...)
			}
			dst = escape(dst, m.text)
		}
	default:
		dst = escape(dst, s.text)
	}
	return dst
}

// isEmptyList tells whether nothing is left to be written: RFC 6570 treats an
// empty list as undefined.
func (s shape) isEmptyList() bool {
	return s.kind == value.KindArray && len(s.items) == 0 || s.kind == value.KindObject && len(s.pairs) == 0
}
