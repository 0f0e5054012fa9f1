package source

import (
	"github.com/getkin/kin-openapi/openapi3"
)

// OperationKind tells who calls whom.
type OperationKind uint8

// The kinds of operation.
const (
	Request  OperationKind = iota // the client calls the API
	Webhook                       // the API calls an address that was agreed beforehand
	Callback                      // the API calls an address that a request named
)

// Operation is one operation of an OpenAPI description.
type Operation struct {
	Kind      OperationKind
	ID        string // operationId; empty where it has none
	Method    string // upper case
	Path      string // the template; of a webhook its name, of a callback its expression
	Pointer   string // JSON Pointer in its description
	Servers   []Server
	Params    []*Parameter // the operation's and its path item's, merged
	Body      *RequestBody // nil: none is described
	Responses []*Response
	Security  []SecurityRequirement // alternatives; empty: none needed
	Summary   string
	// Webhooks and callbacks that this operation describes.
	Callbacks []*Operation
}

// Server is one server with its variables filled by their defaults.
type Server struct {
	URL string // absolute where the description's location makes it so, without a trailing slash
}

// Parameter is one parameter of an operation.
type Parameter struct {
	Name, In      string
	Required      bool
	Style         string // with OpenAPI's default filled in
	Explode       bool   // with OpenAPI's default filled in
	AllowReserved bool
	ContentType   string // where it is described by content; Schema is then that media type's
	Schema        *openapi3.Schema
	Example       any // nil: none
}

// RequestBody is the described content of a request.
type RequestBody struct {
	Required bool
	Content  []*MediaType // in the order of the description where known, else sorted
}

// Response is one described response.
type Response struct {
	Status  string // "200", "2XX" or "default"
	Headers []*Parameter
	Content []*MediaType
}

// MediaType is one described representation.
type MediaType struct {
	Type     string
	Schema   *openapi3.Schema
	Example  any // the first example; nil: none
	Encoding map[string]*openapi3.Encoding
}

// SecurityRequirement is a set of schemes that are needed together, by name.
type SecurityRequirement map[string][]string

// MediaType gives the described request content for a content type: the exact
// one, else a range that covers it; nil where none does.
func (o *Operation) MediaType(contentType string) *MediaType {
	if o.Body == nil {
		return nil
	}
	return matchMedia(o.Body.Content, contentType)
}

// Parameter gives the declared parameter of that name and place, or nil. Header
// names are compared without regard to case.
func (o *Operation) Parameter(name, in string) *Parameter {
	panic("not built")
}

func matchMedia(content []*MediaType, contentType string) *MediaType {
	panic("not built")
}
