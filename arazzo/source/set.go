package source

import (
	"context"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// Set is one document with everything that its source descriptions name.
type Set struct {
	Document *arazzo.Document
	Location string // where the document came from, as a URL
	Base     string // its base URI: $self resolved, else the location
	Sources  []*Description
}

// Description is one loaded source description.
type Description struct {
	Name     string
	Type     string // openapi, arazzo or asyncapi
	URL      string // as the document writes it
	Identity string // resolved against the document's base URI
	Location string // where it was read from
	OpenAPI  *Catalog
	Arazzo   *Set
}

// Source gives the named source, or nil.
func (s *Set) Source(name string) *Description {
	for _, d := range s.Sources {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// Catalog is what one OpenAPI description offers.
type Catalog struct {
	Title      string
	Version    string       // of OpenAPI
	Operations []*Operation // requests, then webhooks, then callbacks; each in the order of path and method
}

// ByID gives the operations with that operationId: none, one, or more where the
// description breaks its own rule.
func (c *Catalog) ByID(id string) []*Operation { panic("not built") }

// ByPointer gives the operation that a JSON Pointer into the description names.
// The error says how far the pointer leads.
func (c *Catalog) ByPointer(pointer value.Pointer) (*Operation, error) { panic("not built") }

// Problem is a source that could not be loaded, with the place that names it.
type Problem struct {
	Source  string // name
	Span    arazzo.Span
	Pointer string
	Message string
	Offline bool // not tried because of Options.Offline
}

// Loader loads source descriptions; each once, whoever asks.
type Loader struct{}

// Load parses nothing twice: doc is known under location, and its sources are
// loaded with theirs.
func (l *Loader) Load(ctx context.Context, doc *arazzo.Document, location string) (*Set, []Problem) {
	panic("not built")
}
