package source

import (
	"strings"

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

// String gives the word for the kind.
func (k OperationKind) String() string {
	switch k {
	case Request:
		return "operation"
	case Webhook:
		return "webhook"
	case Callback:
		return "callback"
	default:
		return "unknown"
	}
}

// Operation is one operation of an OpenAPI description.
type Operation struct {
	Kind      OperationKind
	ID        string // operationId; empty where it has none
	Method    string // upper case; a method of additionalOperations as written
	Path      string // the template; of a webhook its name, of a callback its expression
	Pointer   string // JSON Pointer in its description
	Source    string // the location of its description
	Servers   []Server
	Params    []*Parameter          // the path item's and the operation's, merged
	Body      *RequestBody          // nil: none is described
	Responses []*Response           // in the order of their status: exact ones, ranges, default
	Security  []SecurityRequirement // alternatives; empty: none needed
	Summary   string
	// Webhooks and callbacks that this operation describes.
	Callbacks []*Operation
	Written   *Written // its description as written; Pointer leads to the operation in it
}

// Label names the operation for people: its operationId, else method and path.
func (o *Operation) Label() string {
	if o.ID != "" {
		return o.ID
	}
	return o.Method + " " + o.Path
}

// Parameter is one parameter of an operation.
type Parameter struct {
	Name, In      string // In also querystring, of OpenAPI 3.2
	Required      bool
	Style         string // with OpenAPI's default filled in
	Explode       bool   // with OpenAPI's default filled in
	AllowReserved bool
	AllowEmpty    bool   // an empty value is one, whatever the schema says; in the query alone
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
	Version  string // of OpenAPI; what a part without a type is depends on it
}

// SecurityRequirement is a set of schemes that are needed together, by name.
type SecurityRequirement map[string][]string

// SecurityScheme says how a client shows who it is (OpenAPI, Security Scheme Object).
type SecurityScheme struct {
	Name         string // the key under which requirements name it
	Type         string // apiKey, http, mutualTLS, oauth2 or openIdConnect
	In           string // of an apiKey: query, header or cookie
	Key          string // of an apiKey: the name of the parameter, header or cookie
	Scheme       string // of http: basic, bearer, …, in lower case
	BearerFormat string
	OpenIDURL    string
	Flows        []OAuthFlow
}

// OAuthFlow is one way to get a token (OpenAPI, OAuth Flow Object).
type OAuthFlow struct {
	Grant            string // implicit, password, clientCredentials or authorizationCode
	AuthorizationURL string
	TokenURL         string // absolute where the description's location makes it so
	RefreshURL       string
	Scopes           []string // sorted
}

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
	return findParameter(o.Params, name, in)
}

func findParameter(params []*Parameter, name, in string) *Parameter {
	for _, p := range params {
		if p.In == in && (p.Name == name || in == "header" && strings.EqualFold(p.Name, name)) {
			return p
		}
	}
	return nil
}

// Catalog is what one OpenAPI description offers. It is never changed after it
// was built: several sets share it.
type Catalog struct {
	Title      string
	Version    string       // of OpenAPI
	Operations []*Operation // requests, then webhooks, then callbacks; each in the order of path and method
	Servers    []Server     // those of the root
	Security   map[string]*SecurityScheme
	Unresolved []BrokenReference // what they stood for is open: anything will do

	byID      map[string][]*Operation
	byPointer map[string]*Operation
}

// keepWritten lets every operation know its description as written.
func (c *Catalog) keepWritten(w *Written) {
	for _, o := range c.Operations {
		o.Written = w
	}
}

// BrokenReference is a $ref of a description that leads nowhere.
type BrokenReference struct {
	Ref     string
	Reason  string
	Offline bool // not tried because of Options.Offline
}

// ByID gives the operations with that operationId: none, one, or more where the
// description breaks its own rule.
func (c *Catalog) ByID(id string) []*Operation {
	if c == nil {
		return nil
	}
	return c.byID[id]
}

// index makes the operations findable.
func (c *Catalog) index() {
	c.byID = make(map[string][]*Operation, len(c.Operations))
	c.byPointer = make(map[string]*Operation, len(c.Operations))
	for _, o := range c.Operations {
		if o.ID != "" {
			c.byID[o.ID] = append(c.byID[o.ID], o)
		}
		c.byPointer[o.Pointer] = o
	}
}
