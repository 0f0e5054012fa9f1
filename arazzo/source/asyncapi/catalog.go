package asyncapi

import (
	"errors"
	"net/url"

	"github.com/weft-flow/weft/arazzo"
)

// Catalog is what one AsyncAPI description offers, in the order in which it is
// written. It is never changed after it was read: several may share it.
type Catalog struct {
	Node        *arazzo.Node
	Title       string
	Version     string // of AsyncAPI, as written
	ContentType string // of messages that name none; empty: nothing is said
	Servers     []*Server
	Channels    []*Channel
	Operations  []*Operation
	Security    map[string]*SecurityScheme // those of the components, by their key
	Faults      []Fault

	// Files holds the description and whatever it refers to, by location, so
	// that the references within schemas can be followed too.
	Files map[string]*arazzo.Node

	locations map[*arazzo.Node]string // of the roots in Files
	byID      map[string][]*Operation
	byKey     map[string]*Channel
}

// Fault is a part of a description that cannot be read. What it stands for is
// left out of the catalog.
type Fault struct {
	Node    *arazzo.Node // the place, in the file that Location names
	File    string       // the location of that file
	Message string       // what is wrong, and what was expected
	Offline bool         // a file was not looked for: see ErrNotTried
}

// Opener gives the tree of a file that a description refers to, with an absolute
// URL without fragment. It is asked once for each file. An error costs what the
// file stands for; one that wraps context.Canceled or context.DeadlineExceeded
// ends the reading.
type Opener func(file *url.URL) (*arazzo.Node, error)

// ErrNotTried is wrapped by the errors of an Opener that must not look for a file.
var ErrNotTried = errors.New("not looked for")

// ByID gives the operations of that name: the key under operations, of AsyncAPI
// 2.x the operationId. There is none, one, or more where the description breaks
// its own rule.
func (c *Catalog) ByID(id string) []*Operation {
	if c == nil {
		return nil
	}
	return c.byID[id]
}

// Channel gives the channel with that key under channels, of AsyncAPI 2.x that
// address; nil where there is none.
func (c *Catalog) Channel(key string) *Channel {
	if c == nil {
		return nil
	}
	return c.byKey[key]
}

// File gives the location of the file that a node of the catalog stands in.
func (c *Catalog) File(n *arazzo.Node) string { return c.locations[rootOf(n)] }

func rootOf(n *arazzo.Node) *arazzo.Node {
	for n.Parent() != nil {
		n = n.Parent()
	}
	return n
}

// index makes operations and channels findable.
func (c *Catalog) index() {
	c.byID = make(map[string][]*Operation, len(c.Operations))
	for _, o := range c.Operations {
		if o.ID != "" {
			c.byID[o.ID] = append(c.byID[o.ID], o)
		}
	}
	c.byKey = make(map[string]*Channel, len(c.Channels))
	for _, channel := range c.Channels {
		if c.byKey[channel.Key] == nil {
			c.byKey[channel.Key] = channel
		}
	}
}
