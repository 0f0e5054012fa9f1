package asyncapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// Read catalogs a description that was read from a location. The error says that
// it cannot be read at all: it is of another version, or the opener was
// canceled.
func Read(root *arazzo.Node, location string, open Opener) (*Catalog, error) {
	version := scalar(root.Get("asyncapi"))
	major, err := majorOf(version)
	if err != nil {
		return nil, err
	}
	r := newReader(root, location, open)
	r.catalog.Version, r.major = version, major
	r.catalog.Title = r.text(r.field(root, "info"), "title")
	r.catalog.ContentType = r.text(root, "defaultContentType")
	r.readSecuritySchemes()
	r.readServers()
	if major == 2 {
		r.readChannelItems()
	} else {
		r.readChannels()
		r.readOperations()
	}
	if r.stopped != nil {
		return nil, r.stopped
	}
	r.sortFaults()
	r.catalog.index()
	return r.catalog, nil
}

// majorOf gives 2 or 3. A minor version that is not known yet is read as the
// newest that is: it only adds.
func majorOf(version string) (int, error) {
	switch {
	case version == "2" || strings.HasPrefix(version, "2."):
		return 2, nil
	case version == "3" || strings.HasPrefix(version, "3."):
		return 3, nil
	}
	return 0, fmt.Errorf("AsyncAPI %q cannot be read: expected 2.0 to 2.6, 3.0 or 3.1", version)
}

// reader is one Read at work. The maps hold what was made of a node, so that
// whatever is referred to is read once, however often that is done.
type reader struct {
	catalog *Catalog
	major   int
	open    Opener
	stopped error // the opener was canceled: nothing that was read counts

	keys     map[*arazzo.Node]map[string]*arazzo.Node // of large objects
	hops     map[*arazzo.Node]hop                     // by the object that has the $ref
	failed   map[string]error                         // files that cannot be opened
	depth    int                                      // of references within the way of references
	faulty   map[told]bool
	merged   map[*arazzo.Node]bool // objects that stand nowhere: made by traits
	copied   int                   // members that traits have given so far
	walked   map[*arazzo.Node]bool // parts of schemas
	schemes  map[*arazzo.Node]*SecurityScheme
	servers  map[*arazzo.Node]*Server
	channels map[*arazzo.Node]*Channel
	messages map[*arazzo.Node]*Message
	contents map[*Channel]*contents
}

func newReader(root *arazzo.Node, location string, open Opener) *reader {
	return &reader{
		catalog: &Catalog{
			Node:      root,
			Files:     map[string]*arazzo.Node{location: root},
			locations: map[*arazzo.Node]string{root: location},
		},
		open:     open,
		keys:     map[*arazzo.Node]map[string]*arazzo.Node{},
		hops:     map[*arazzo.Node]hop{},
		failed:   map[string]error{},
		faulty:   map[told]bool{},
		merged:   map[*arazzo.Node]bool{},
		walked:   map[*arazzo.Node]bool{},
		schemes:  map[*arazzo.Node]*SecurityScheme{},
		servers:  map[*arazzo.Node]*Server{},
		channels: map[*arazzo.Node]*Channel{},
		messages: map[*arazzo.Node]*Message{},
		contents: map[*Channel]*contents{},
	}
}

// told is a fault that was noted: what is referred to twice has it once.
type told struct {
	node    *arazzo.Node
	message string
}

// fault notes what cannot be read at a node.
func (r *reader) fault(n *arazzo.Node, err error) {
	this := told{n, err.Error()}
	if r.faulty[this] {
		return
	}
	r.faulty[this] = true
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		r.stopped = err
		return
	}
	r.catalog.Faults = append(r.catalog.Faults, Fault{
		Node: n, File: r.catalog.File(n), Message: this.message, Offline: errors.Is(err, ErrNotTried),
	})
}

// sortFaults puts the faults in the order of their places, those of the
// description itself first.
func (r *reader) sortFaults() {
	main := r.catalog.File(r.catalog.Node)
	slices.SortStableFunc(r.catalog.Faults, func(a, b Fault) int {
		switch {
		case a.File == b.File:
			return a.Node.Span.Start.Offset - b.Node.Span.Start.Offset
		case a.File == main:
			return -1
		case b.File == main:
			return 1
		default:
			return strings.Compare(a.File, b.File)
		}
	})
}

// field gives the value of a field, its reference followed; nil where the field
// is absent, null, or leads nowhere.
func (r *reader) field(n *arazzo.Node, name string) *arazzo.Node {
	return r.follow(r.member(n, name))
}

// text gives a scalar field as text; empty where there is none.
func (r *reader) text(n *arazzo.Node, name string) string { return scalar(r.member(n, name)) }

// scalar gives a scalar as text: a version or an address may look like a number.
func scalar(n *arazzo.Node) string {
	if n == nil {
		return ""
	}
	switch n.Kind {
	case value.KindString, value.KindNumber, value.KindBool:
		return n.Text
	}
	return ""
}

// optional gives a scalar field with its place, and without one where it is
// absent, null or no scalar.
func (r *reader) optional(n *arazzo.Node, name string) arazzo.Text {
	at := r.member(n, name)
	if at == nil || at.Kind == value.KindNull || at.Kind == value.KindArray || at.Kind == value.KindObject {
		return arazzo.Text{}
	}
	return arazzo.Text{Node: at, Value: at.Text}
}

// texts gives the scalars of a list.
func (r *reader) texts(n *arazzo.Node, name string) []string {
	var all []string
	for _, item := range r.items(n, name) {
		if text := scalar(item); text != "" || item.Kind == value.KindString {
			all = append(all, text)
		}
	}
	return all
}

// entries gives the members of a field that is a map, references in them not
// followed yet.
func (r *reader) entries(n *arazzo.Node, name string) []arazzo.Member {
	at := r.field(n, name)
	if at == nil || !r.is(at, value.KindObject, name) {
		return nil
	}
	return at.Members
}

// items gives the items of a field that is a list, references in them not
// followed yet.
func (r *reader) items(n *arazzo.Node, name string) []*arazzo.Node {
	at := r.field(n, name)
	if at == nil || !r.is(at, value.KindArray, name) {
		return nil
	}
	return at.Items
}

// object follows what should be an object of the specification; nil where it is none.
func (r *reader) object(n *arazzo.Node, what string) *arazzo.Node {
	n = r.follow(n)
	if n == nil || !r.is(n, value.KindObject, what) {
		return nil
	}
	return n
}

func (r *reader) is(n *arazzo.Node, kind value.Kind, what string) bool {
	if n.Kind == kind {
		return true
	}
	if n.Kind != value.KindNull {
		r.fault(n, fmt.Errorf("%s should be an %s, this is of type %s", what, kind, n.Kind))
	}
	return false
}
