package source

import (
	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi3"
)

// StyleTab is the style of a list with tabs between its elements: collectionFormat tsv
// of Swagger 2.0, which OpenAPI has no style for.
const StyleTab = "tabDelimited"

// SeparatorKey names the extension of an encoding that says what stands between the
// elements of a list in one part of a multipart body. Swagger 2.0 writes them so.
const SeparatorKey = "x-weft-separator"

// keepCollectionFormats writes the collectionFormat of each list in the parameters of a
// Swagger 2.0 description into what the library made of it: the library knows that of
// queries alone, and not that csv is what holds where none is written.
func keepCollectionFormats(from *openapi2.T, to *openapi3.T) {
	for path, item := range from.Paths {
		made := to.Paths.Value(path)
		if item == nil || made == nil {
			continue
		}
		formats := collectionFormats{from: from}
		formats.keep(item.Parameters, made.Parameters, nil)
		for method, operation := range item.Operations() {
			if o := made.GetOperation(method); o != nil {
				formats.keep(operation.Parameters, o.Parameters, o.RequestBody)
				formats.keep(item.Parameters, nil, o.RequestBody)
			}
		}
	}
}

type collectionFormats struct{ from *openapi2.T }

func (f collectionFormats) keep(written openapi2.Parameters, made openapi3.Parameters, body *openapi3.RequestBodyRef) {
	for _, p := range written {
		p = f.referred(p)
		switch {
		case p == nil || !p.Type.Is(openapi3.TypeArray):
		case p.In == "formData":
			keepFormat(p, body)
		default:
			for _, ref := range made {
				if ref.Value != nil && ref.Value.Name == p.Name && ref.Value.In == p.In {
					style, explode := styleOf(p)
					ref.Value.Style, ref.Value.Explode = style, &explode
				}
			}
		}
	}
}

// referred follows a reference to the parameters of the description.
func (f collectionFormats) referred(p *openapi2.Parameter) *openapi2.Parameter {
	const prefix = "#/parameters/"
	for range maxChain {
		if p == nil || p.Ref == "" {
			return p
		}
		if len(p.Ref) <= len(prefix) || p.Ref[:len(prefix)] != prefix {
			return nil
		}
		p = f.from.Parameters[p.Ref[len(prefix):]]
	}
	return nil
}

// keepFormat says in a body made of form parameters how a list is written. A property
// that another parameter of that name overrides has its format already.
func keepFormat(p *openapi2.Parameter, body *openapi3.RequestBodyRef) {
	if body == nil || body.Value == nil {
		return
	}
	for _, media := range body.Value.Content {
		if media == nil || media.Encoding[p.Name] != nil {
			continue
		}
		if media.Encoding == nil {
			media.Encoding = map[string]*openapi3.Encoding{}
		}
		style, explode := styleOf(p)
		e := &openapi3.Encoding{Style: style, Explode: &explode}
		if separator := separators[style]; !explode && separator != "" {
			e.Extensions = map[string]any{SeparatorKey: separator}
		}
		media.Encoding[p.Name] = e
	}
}

var separators = map[string]string{
	openapi3.SerializationForm: ",", openapi3.SerializationSpaceDelimited: " ",
	openapi3.SerializationPipeDelimited: "|", StyleTab: "\t",
}

// styleOf gives a collectionFormat as a style. What is none, or has no meaning in its
// place, stays as it is written: there is no such style, and a step that uses it is
// refused by that name.
func styleOf(p *openapi2.Parameter) (style string, explode bool) {
	inForm := p.In == openapi3.ParameterInQuery || p.In == "formData"
	switch {
	case (p.CollectionFormat == "" || p.CollectionFormat == "csv") && inForm:
		return openapi3.SerializationForm, false
	case p.CollectionFormat == "" || p.CollectionFormat == "csv":
		return openapi3.SerializationSimple, false
	case p.CollectionFormat == "ssv":
		return openapi3.SerializationSpaceDelimited, false
	case p.CollectionFormat == "tsv":
		return StyleTab, false
	case p.CollectionFormat == "pipes":
		return openapi3.SerializationPipeDelimited, false
	case p.CollectionFormat == "multi" && inForm:
		return openapi3.SerializationForm, true
	default:
		return "collectionFormat " + p.CollectionFormat, false
	}
}

// KnownStyle tells whether a style is one of OpenAPI's, or StyleTab. A value of any
// other cannot be written.
func KnownStyle(style string) bool {
	switch style {
	case openapi3.SerializationSimple, openapi3.SerializationLabel, openapi3.SerializationMatrix, openapi3.SerializationForm,
		openapi3.SerializationSpaceDelimited, openapi3.SerializationPipeDelimited, openapi3.SerializationDeepObject,
		styleCookie, StyleTab, "":
		return true
	}
	return false
}
