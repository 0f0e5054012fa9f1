package source

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// Set is one document with everything that its source descriptions name.
type Set struct {
	Document *arazzo.Document
	Location string // where the document came from, as a URL
	Base     string // its base URI: $self resolved, else the location
	Sources  []*Description
}

// Description is one source description. One that could not be loaded has a
// Problem, and neither OpenAPI nor Arazzo nor AsyncAPI.
type Description struct {
	Name     string
	Type     string // openapi, arazzo or asyncapi: what it is, whatever the document says
	URL      string // as the document writes it
	Identity string // resolved against the document's base URI
	Location string // where it was read from
	OpenAPI  *Catalog
	Arazzo   *Set
	AsyncAPI *asyncapi.Catalog
	Tree     *arazzo.Node   // of asyncapi: as it is written
	Faults   []arazzo.Fault // of arazzo and asyncapi: what is wrong with its shape
	Problem  *Problem       // nil: it was loaded
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

// Problem is a source that could not be loaded, with the place that names it.
type Problem struct {
	Source  string // name
	File    string // the name of the document that names the source
	Span    arazzo.Span
	Pointer string
	Message string
	Offline bool // not tried because of Options.Offline
}
