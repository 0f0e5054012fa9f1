package httpcall

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// pairs collects name=value pairs as a query or a form holds them.
type pairs struct{ text []byte }

// name begins a pair; its value is appended to text.
func (q *pairs) name(parts ...string) {
	if len(q.text) > 0 {
		q.text = append(q.text, '&')
	}
	for i, part := range parts {
		if i > 0 {
			q.text = append(q.text, "%5B"...)
		}
		q.text = plain.append(q.text, part)
		if i > 0 {
			q.text = append(q.text, "%5D"...)
		}
	}
	q.text = append(q.text, '=')
}

// raw adds what is a part of a query already.
func (q *pairs) raw(text string) {
	if text == "" {
		return
	}
	if len(q.text) > 0 {
		q.text = append(q.text, '&')
	}
	q.text = queryLiteral.append(q.text, text)
}

// add writes one parameter in its style.
func (q *pairs) add(p parameter) error {
	escape := plain.append
	if p.reserved {
		escape = queryReserved.append
	}
	if p.style == styleDeep && p.content == "" && p.value.Kind() == value.KindObject {
		return q.deep(p.value, escape, p.name)
	}
	s, err := p.shape()
	if err != nil {
		return err
	}
	switch {
	case s.isEmptyList():
		return nil
	case s.kind == value.KindString:
		q.name(p.name)
		q.text = escape(q.text, s.text)
	case p.explode || p.style == styleDeep:
		q.exploded(p.name, s, escape)
	default:
		q.name(p.name)
		q.text = s.joined(q.text, delimiter(p.style), false, escape)
	}
	return nil
}

// delimiter is what stands between the elements of a list in a URL.
func delimiter(style string) string {
	switch style {
	case styleSpace:
		return "%20"
	case stylePipe:
		return "%7C"
	case source.StyleTab:
		return "%09"
	default:
		return ","
	}
}

func (q *pairs) exploded(name string, s shape, escape func([]byte, string) []byte) {
	for _, item := range s.items {
		q.name(name)
		q.text = escape(q.text, item)
	}
	for _, m := range s.pairs {
		q.name(m.name)
		q.text = escape(q.text, m.text)
	}
}

// deep writes name[a][b]=value; a list inside repeats its name.
func (q *pairs) deep(v value.Value, escape func([]byte, string) []byte, path ...string) error {
	switch v.Kind() {
	case value.KindObject:
		for _, m := range v.Members() {
			if err := q.deep(m.Value, escape, append(path[:len(path):len(path)], m.Name)...); err != nil {
				return err
			}
		}
	case value.KindArray:
		for _, item := range v.Items() {
			if !item.IsScalar() {
				return errors.New("a list of lists or objects cannot be written in the style deepObject")
			}
			if err := q.deep(item, escape, path...); err != nil {
				return err
			}
		}
	case value.KindNull:
	default:
		q.name(path...)
		q.text = escape(q.text, v.Text())
	}
	return nil
}

// buildQuery joins the query of the server URL, that of the path, and the
// parameters, in this order.
func buildQuery(server, path string, args, whole []parameter) (string, error) {
	var q pairs
	q.raw(server)
	q.raw(path)
	if len(whole) > 1 {
		return "", fmt.Errorf("the parameters %q and %q are each the whole query string", whole[0].name, whole[1].name)
	}
	for _, p := range whole {
		if len(args) > 0 {
			return "", p.fault(fmt.Errorf("it is the whole query string, so the query parameter %q cannot be sent beside it", args[0].name))
		}
		text, err := queryText(p)
		if err != nil {
			return "", p.fault(err)
		}
		q.raw(text)
	}
	for _, p := range args {
		if err := q.add(p); err != nil {
			return "", p.fault(err)
		}
	}
	return string(q.text), nil
}

// queryText writes the value of a querystring parameter (OpenAPI 3.2). A string
// is the query itself; anything else is encoded as the description says, as a
// form where it says nothing.
func queryText(p parameter) (string, error) {
	if text, ok := p.value.Str(); ok {
		return text, nil
	}
	kind, _ := parseMedia(p.content)
	if kind == "" || kind == formType {
		body, err := encodeForm(p.value, nil)
		return string(body), err
	}
	text, err := contentText(p.value, p.content)
	return plain.text(text), err
}
