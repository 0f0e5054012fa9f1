package source

import (
	"cmp"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/value"
)

// builder turns a parsed OpenAPI description into a catalog.
type builder struct {
	doc       *openapi3.T
	at        *url.URL
	location  string
	servers   []Server
	security  []SecurityRequirement
	callbacks []*Operation
	path      []*openapi3.Operation // from the outermost operation down: callbacks may refer to themselves
}

// catalogOf catalogs what a description offers.
func catalogOf(doc *openapi3.T, at *url.URL) *Catalog {
	b := &builder{doc: doc, at: at, location: at.String()}
	b.servers = b.serversOf(doc.Servers)
	if len(doc.Servers) == 0 {
		b.servers = b.serversOf(openapi3.Servers{{URL: "/"}})
	}
	b.security = requirementsOf(doc.Security)
	c := &Catalog{Version: doc.OpenAPI, Servers: b.servers, Security: b.schemes()}
	if doc.Info != nil {
		c.Title = doc.Info.Title
	}
	paths := doc.Paths.Map()
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		c.Operations = append(c.Operations, b.pathItem(Request, name, value.Pointer{"paths", name}, paths[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Webhooks)) {
		c.Operations = append(c.Operations, b.pathItem(Webhook, name, value.Pointer{"webhooks", name}, doc.Webhooks[name])...)
	}
	c.Operations = append(c.Operations, b.callbacks...)
	c.keepVersion()
	c.index()
	return c
}

// keepVersion lets the bodies know the version that they are described in.
func (c *Catalog) keepVersion() {
	for _, o := range c.Operations {
		if o.Body == nil {
			continue
		}
		for _, media := range o.Body.Content {
			media.Version = c.Version
		}
	}
}

// pathItem catalogs the operations of a path item, in the order of their methods.
func (b *builder) pathItem(kind OperationKind, path string, pointer value.Pointer, item *openapi3.PathItem) []*Operation {
	if item == nil {
		return nil
	}
	operations := item.Operations()
	var out []*Operation
	for _, method := range slices.Sorted(maps.Keys(operations)) {
		operation := operations[method]
		if operation == nil || slices.Contains(b.path, operation) {
			continue
		}
		here := slices.Concat(pointer, value.Pointer{strings.ToLower(method)})
		if _, ok := item.AdditionalOperations[method]; ok {
			here = slices.Concat(pointer, value.Pointer{"additionalOperations", method})
		}
		o := &Operation{
			Kind: kind, ID: operation.OperationID, Method: method, Path: path,
			Pointer: here.String(), Source: b.location, Summary: operation.Summary,
		}
		b.fill(o, item, operation)
		out = append(out, o)
		b.path = append(b.path, operation)
		o.Callbacks = b.callbacksOf(here, operation)
		b.path = b.path[:len(b.path)-1]
	}
	return out
}

func (b *builder) fill(o *Operation, item *openapi3.PathItem, operation *openapi3.Operation) {
	switch {
	case operation.Servers != nil && len(*operation.Servers) > 0:
		o.Servers = b.serversOf(*operation.Servers)
	case len(item.Servers) > 0:
		o.Servers = b.serversOf(item.Servers)
	default:
		o.Servers = b.servers
	}
	o.Security = b.security
	if operation.Security != nil {
		o.Security = requirementsOf(*operation.Security)
	}
	o.Params = parametersOf(item.Parameters, operation.Parameters)
	if operation.RequestBody != nil && operation.RequestBody.Value != nil {
		body := operation.RequestBody.Value
		o.Body = &RequestBody{Required: body.Required, Content: contentOf(body.Content)}
	}
	o.Responses = responsesOf(operation.Responses)
}

// callbacksOf catalogs what an operation's callbacks describe.
func (b *builder) callbacksOf(pointer value.Pointer, operation *openapi3.Operation) []*Operation {
	var out []*Operation
	for _, name := range slices.Sorted(maps.Keys(operation.Callbacks)) {
		ref := operation.Callbacks[name]
		if ref == nil || ref.Value == nil {
			continue
		}
		items := ref.Value.Map()
		for _, expression := range slices.Sorted(maps.Keys(items)) {
			here := slices.Concat(pointer, value.Pointer{"callbacks", name, expression})
			out = append(out, b.pathItem(Callback, expression, here, items[expression])...)
		}
	}
	b.callbacks = append(b.callbacks, out...)
	return out
}

// responsesOf lists responses: exact statuses, then ranges, then the default.
func responsesOf(responses *openapi3.Responses) []*Response {
	described := responses.Map()
	statuses := slices.SortedFunc(maps.Keys(described), func(a, b string) int {
		if ra, rb := statusRank(a), statusRank(b); ra != rb {
			return ra - rb
		}
		return strings.Compare(a, b)
	})
	var out []*Response
	for _, status := range statuses {
		ref := described[status]
		if ref == nil || ref.Value == nil {
			continue
		}
		out = append(out, &Response{
			Status:  status,
			Headers: headersOf(ref.Value.Headers),
			Content: contentOf(ref.Value.Content),
		})
	}
	return out
}

func statusRank(status string) int {
	switch {
	case status == "default":
		return 2
	case strings.HasSuffix(strings.ToUpper(status), "XX"):
		return 1
	default:
		return 0
	}
}

// contentOf lists media types in the order of the description, those that are
// references, or came from another file, sorted.
func contentOf(content openapi3.Content) []*MediaType {
	place := func(name string) float64 {
		if described := content[name]; described != nil {
			if n, ok := described.Extensions[orderKey].(float64); ok {
				return n
			}
		}
		return math.Inf(1)
	}
	names := slices.SortedFunc(maps.Keys(content), func(a, b string) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), strings.Compare(a, b))
	})
	var out []*MediaType
	for _, name := range names {
		described := content[name]
		if described == nil {
			continue
		}
		out = append(out, &MediaType{
			Type:     name,
			Schema:   schemaOf(described.Schema),
			Example:  exampleOf(described.Example, described.Examples),
			Encoding: described.Encoding,
		})
	}
	return out
}

func schemaOf(ref *openapi3.SchemaRef) *openapi3.Schema {
	if ref == nil {
		return nil
	}
	return ref.Value
}

// exampleOf gives the example, else the first of the examples by name that has a value.
func exampleOf(example any, examples openapi3.Examples) any {
	if example != nil {
		return example
	}
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		ref := examples[name]
		if ref == nil || ref.Value == nil {
			continue
		}
		if ref.Value.Value != nil {
			return ref.Value.Value
		}
		// OpenAPI 3.2 has another name for it, which the library does not know.
		if data := ref.Value.Extensions["dataValue"]; data != nil {
			return data
		}
	}
	return nil
}
