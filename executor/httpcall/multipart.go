package httpcall

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// part is one part of a multipart body.
type part struct {
	name        string
	contentType string // empty: none is written
	file        bool   // written with a file name, so that servers take it as a file
	content     []byte
}

// encodeMultipart writes an object member by member (OpenAPI, Encoding Object).
// The boundary follows from the parts, so that a retry carries the same bytes.
func encodeMultipart(b *executor.Body, boundary string) ([]byte, string, error) {
	if text, ok := b.Value.Str(); ok {
		if boundary == "" {
			return nil, "", errors.New("the payload is text, so the content type must name its boundary")
		}
		return []byte(text), b.ContentType, nil
	}
	if b.Value.Kind() != value.KindObject {
		return nil, "", fmt.Errorf("it is written from an object or a string, the payload is of type %s", b.Value.Kind())
	}
	parts, err := multipartParts(b.Value, b.Declared)
	if err != nil {
		return nil, "", err
	}
	contentType := b.ContentType
	if boundary == "" {
		boundary = deriveBoundary(parts)
		contentType = strings.TrimRight(contentType, "; ") + "; boundary=" + boundary
	}
	body, err := writeParts(parts, boundary)
	return body, contentType, err
}

func multipartParts(v value.Value, declared *source.MediaType) ([]part, error) {
	var parts []part
	for _, m := range v.Members() {
		items, err := partValues(m, declared)
		if err != nil {
			return nil, fmt.Errorf("the part %q: %w", m.Name, err)
		}
		for _, item := range items {
			if item.IsNull() {
				continue
			}
			p, err := multipartPart(m.Name, item, declared)
			if err != nil {
				return nil, fmt.Errorf("the part %q: %w", m.Name, err)
			}
			parts = append(parts, p)
		}
	}
	return parts, nil
}

// partValues gives what the parts of a member hold: of a list each element a part, or
// all of them one, where Swagger 2.0 describes it.
func partValues(m value.Member, declared *source.MediaType) ([]value.Value, error) {
	if m.Value.Kind() != value.KindArray {
		return []value.Value{m.Value}, nil
	}
	if declared == nil || declared.Encoding[m.Name] == nil {
		return m.Value.Items(), nil
	}
	separator, joined := declared.Encoding[m.Name].Extensions[source.SeparatorKey].(string)
	if !joined {
		return m.Value.Items(), nil
	}
	s, err := flatten(m.Value)
	if err != nil || s.isEmptyList() {
		return nil, err
	}
	return []value.Value{value.String(strings.Join(s.items, separator))}, nil
}

func multipartPart(name string, v value.Value, declared *source.MediaType) (part, error) {
	p := part{name: name}
	if declared != nil {
		if e := declared.Encoding[name]; e != nil {
			p.contentType = firstType(e.ContentType)
		}
		schemas := properties(declared.Schema, name)
		p.file = slices.ContainsFunc(schemas, isBinary)
		untyped := declared.Version >= "3.1" && v.IsScalar() && isUntyped(schemas)
		if (p.file || untyped) && p.contentType == "" {
			p.contentType = "application/octet-stream"
		}
	}
	kind, _ := parseMedia(p.contentType)
	switch {
	case kind == "" && !v.IsScalar():
		p.contentType = "application/json"
		var err error
		p.content, err = writeJSON(v)
		return p, err
	case kind != "" && !isJSON(kind) && !strings.HasPrefix(kind, "text/") && kind != formType:
		p.file = true
	}
	if err := checkField("Content-Type", p.contentType); err != nil {
		return p, err
	}
	text := v.Text()
	if kind != "" {
		var err error
		if text, err = contentText(v, p.contentType); err != nil {
			return p, err
		}
	}
	p.content = []byte(text)
	return p, nil
}

// properties gives the schemas of a member, with what they are composed of by allOf; of
// a list, those of its elements.
func properties(s *openapi3.Schema, name string) []*openapi3.Schema {
	var found []*openapi3.Schema
	for _, part := range composed(s) {
		if ref := part.Properties[name]; ref != nil {
			found = append(found, composed(ref.Value)...)
		}
	}
	for _, p := range found {
		if p.Items != nil && p.Items.Value != nil {
			return composed(p.Items.Value)
		}
	}
	return found
}

// composed gives a schema and what must hold with it by allOf, each once.
func composed(s *openapi3.Schema) []*openapi3.Schema {
	var all []*openapi3.Schema
	for open := []*openapi3.Schema{s}; len(open) > 0; open = open[1:] {
		at := open[0]
		if at == nil || slices.Contains(all, at) {
			continue
		}
		all = append(all, at)
		for _, ref := range at.AllOf {
			if ref != nil {
				open = append(open, ref.Value)
			}
		}
	}
	return all
}

// isUntyped tells whether a member is described by schemas that say nothing of its type:
// its part is then one of bytes (OpenAPI 3.1, Encoding Object).
func isUntyped(schemas []*openapi3.Schema) bool {
	typed := func(s *openapi3.Schema) bool {
		return s.Type != nil || len(s.Enum) > 0 || s.Const != nil || len(s.AnyOf) > 0 || len(s.OneOf) > 0 || s.ContentEncoding != ""
	}
	return len(schemas) > 0 && !slices.ContainsFunc(schemas, typed)
}

// isBinary tells whether a schema describes the bytes of a file: as OpenAPI 3.0
// writes it by format, or as 3.1 does by a media type without an encoding.
func isBinary(s *openapi3.Schema) bool {
	return s != nil && (s.Format == "binary" || s.ContentMediaType != "" && s.ContentEncoding == "" && !isJSON(s.ContentMediaType))
}

// firstType gives the first of the media types that an encoding allows; bytes
// where that is a range.
func firstType(list string) string {
	first, _, _ := strings.Cut(list, ",")
	first = strings.TrimSpace(first)
	if strings.Contains(first, "*") {
		return "application/octet-stream"
	}
	return first
}

// deriveBoundary gives a boundary that follows from the parts alone and occurs in
// none of them.
func deriveBoundary(parts []part) string {
	digest := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(digest, "%q %q %d ", p.name, p.contentType, len(p.content))
		digest.Write(p.content)
	}
	for {
		boundary := "weft-" + hex.EncodeToString(digest.Sum(nil)[:15])
		if !occurs(boundary, parts) {
			return boundary
		}
		digest.Write([]byte{0})
	}
}

func occurs(boundary string, parts []part) bool {
	for _, p := range parts {
		if bytes.Contains(p.content, []byte(boundary)) {
			return true
		}
	}
	return false
}

func writeParts(parts []part, boundary string) ([]byte, error) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, fmt.Errorf("its boundary %q: %w", boundary, err)
	}
	for _, p := range parts {
		field, err := w.CreatePart(p.header())
		if err != nil {
			return nil, err
		}
		if _, err := field.Write(p.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return body.Bytes(), err
}

// dispositionEscape keeps a name inside its quotes.
var dispositionEscape = strings.NewReplacer("\r", "%0D", "\n", "%0A", `"`, "%22")

func (p part) header() textproto.MIMEHeader {
	name := dispositionEscape.Replace(p.name)
	disposition := `form-data; name="` + name + `"`
	if p.file {
		disposition += `; filename="` + name + `"`
	}
	h := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if p.contentType != "" {
		h["Content-Type"] = []string{p.contentType}
	}
	return h
}
