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
	"go.yaml.in/yaml/v4"
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
	root, err := parseTree(data)
	if err != nil {
		return nil, "", err
	}
	if err := checkVersion(f, root); err != nil {
		return nil, "", err
	}
	references := newReferences(ctx, l, at, root, len(data))
	unresolved, err := mend(root, references.check)
	if err != nil {
		return nil, "", err
	}
	loader := openapi3.NewLoader()
	loader.Context = ctx
	loader.ReadFromURIFunc = references.read
	doc, err := decode(f, root, loader, at)
	if err != nil {
		return nil, "", fmt.Errorf("it cannot be read as OpenAPI: %w", misread(err, root))
	}
	c = catalogOf(doc, at)
	c.keepWritten(references.written())
	c.Unresolved = unresolved
	return c, selfOf(doc, at), nil
}

// decode gives the description as the library's model of OpenAPI 3, its references resolved.
func decode(f flavour, root *yaml.Node, loader *openapi3.Loader, at *url.URL) (*openapi3.T, error) {
	if f == flavourSwagger {
		return decodeSwagger(root, loader, at)
	}
	doc := &openapi3.T{}
	if err := root.Decode(doc); err != nil {
		return nil, err
	}
	return doc, loader.ResolveRefsIn(doc, at)
}

// decodeSwagger turns Swagger 2.0 into OpenAPI 3.0. The library reads it from
// JSON alone.
func decodeSwagger(root *yaml.Node, loader *openapi3.Loader, at *url.URL) (*openapi3.T, error) {
	data, err := asJSON(root)
	if err != nil {
		return nil, err
	}
	var doc openapi2.T
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	made, err := openapi2conv.ToV3WithLoader(&doc, loader, at)
	if err == nil {
		keepCollectionFormats(&doc, made)
	}
	return made, err
}

// asJSON writes a tree down again.
func asJSON(root *yaml.Node) ([]byte, error) {
	var plain any
	if err := root.Decode(&plain); err != nil {
		return nil, err
	}
	return json.Marshal(plain)
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

// shorten strips what the library's messages say about itself.
func shorten(err error) error {
	text := strings.TrimPrefix(err.Error(), "failed to unmarshal data: ")
	if text == err.Error() {
		return err
	}
	return errors.New(text)
}
