package httpcall

import (
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// encodeFormBody writes application/x-www-form-urlencoded: text as it is, an
// object member by member.
func encodeFormBody(b *executor.Body) ([]byte, error) {
	if text, ok := b.Value.Str(); ok {
		return []byte(text), nil
	}
	var encoding map[string]*openapi3.Encoding
	if b.Declared != nil {
		encoding = b.Declared.Encoding
	}
	return encodeForm(b.Value, encoding)
}

func encodeForm(v value.Value, encoding map[string]*openapi3.Encoding) ([]byte, error) {
	if v.Kind() != value.KindObject {
		return nil, fmt.Errorf("a form is written from an object or a string, the value is of type %s", v.Kind())
	}
	var form pairs
	for _, m := range v.Members() {
		if err := addField(&form, m, encoding[m.Name]); err != nil {
			return nil, fmt.Errorf("the field %q: %w", m.Name, err)
		}
	}
	return form.text, nil
}

// addField writes one member. Where the description gives a style, that one is
// used; else a list repeats its name, and an object inside is JSON (OpenAPI,
// Encoding Object).
func addField(form *pairs, m value.Member, e *openapi3.Encoding) error {
	if e != nil && (e.Style != "" || e.Explode != nil || e.AllowReserved) {
		p := fieldParameter(m, e)
		if !source.KnownStyle(p.style) {
			return fmt.Errorf("nothing is known of how to write it: %s", p.style)
		}
		return form.add(p)
	}
	items := m.Value.Items()
	if m.Value.Kind() != value.KindArray {
		items = []value.Value{m.Value}
	}
	for _, item := range items {
		if item.IsNull() {
			continue
		}
		text, err := fieldText(item, e)
		if err != nil {
			return err
		}
		form.name(m.Name)
		form.text = plain.append(form.text, text)
	}
	return nil
}

func fieldText(v value.Value, e *openapi3.Encoding) (string, error) {
	if e != nil && e.ContentType != "" {
		return contentText(v, firstType(e.ContentType))
	}
	if !v.IsScalar() {
		text, err := writeJSON(v)
		return string(text), err
	}
	return v.Text(), nil
}

func fieldParameter(m value.Member, e *openapi3.Encoding) parameter {
	p := parameter{name: m.Name, in: inQuery, value: m.Value, style: e.Style, reserved: e.AllowReserved}
	if p.style == "" {
		p.style = styleForm
	}
	p.explode = p.style == styleForm
	if e.Explode != nil {
		p.explode = *e.Explode
	}
	return p
}
