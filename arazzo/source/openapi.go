package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
)

// parseOpenAPI reads an OpenAPI description and catalogs it. It gives the
// identity that the description gives itself ($self, OpenAPI 3.2), or nothing.
// Nothing is validated beyond what has to be understood: large real
// descriptions break rules that no workflow depends on.
func (l *Loader) parseOpenAPI(ctx context.Context, f flavour, data []byte, location string) (c *Catalog, identity string, err error) {
	// The library walks what strangers wrote and has panicked on some of it. A
	// broken description must never take the program down.
	defer func() {
		if r := recover(); r != nil {
			c, identity, err = nil, "", fmt.Errorf("it cannot be read as OpenAPI: the parser failed on it (%v)", r)
		}
	}()
	at, err := url.Parse(location)
	if err != nil {
		return nil, "", err
	}
	references := &references{reader: &l.reader, ctx: ctx, root: at, known: l.root, left: l.reader.maxBytes - int64(len(data))}
	loader := openapi3.NewLoader()
	loader.Context = ctx
	loader.ReadFromURIFunc = references.read
	var doc *openapi3.T
	if f == flavourSwagger {
		doc, err = parseSwagger(loader, data, at)
	} else {
		doc, err = parseOpenAPI3(loader, data, at)
	}
	if err != nil {
		return nil, "", fmt.Errorf("it cannot be read as OpenAPI: %w", clean(err))
	}
	return catalogOf(doc, at), selfOf(doc, at), nil
}

// parseOpenAPI3 takes JSON by the decoder that needs a third of the memory.
func parseOpenAPI3(loader *openapi3.Loader, data []byte, at *url.URL) (*openapi3.T, error) {
	if err := checkShape(data); err != nil {
		return nil, err
	}
	if isJSON(data) {
		doc := &openapi3.T{}
		if err := json.Unmarshal(data, doc); err == nil {
			return doc, loader.ResolveRefsIn(doc, at)
		}
		// YAML in flow style looks like JSON too.
	}
	return loader.LoadFromDataWithPath(data, at)
}

// parseSwagger reads Swagger 2.0 and turns it into OpenAPI 3.0.
func parseSwagger(loader *openapi3.Loader, data []byte, at *url.URL) (*openapi3.T, error) {
	if err := checkShape(data); err != nil {
		return nil, err
	}
	var doc openapi2.T
	if err := openapi2.UnmarshalFromData(data, &doc); err != nil {
		return nil, err
	}
	return openapi2conv.ToV3WithLoader(&doc, loader, at)
}

// selfOf gives the URI by which a description calls itself.
func selfOf(doc *openapi3.T, at *url.URL) string {
	self, _ := doc.Extensions["$self"].(string)
	if self == "" {
		return ""
	}
	ref, err := url.Parse(self)
	if err != nil {
		return ""
	}
	return withoutFragment(at.ResolveReference(ref)).String()
}

// clean keeps the last line of the library's message: it repeats itself over several.
func clean(err error) error {
	text := strings.TrimPrefix(err.Error(), "failed to unmarshal data: ")
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
