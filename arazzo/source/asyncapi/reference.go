package asyncapi

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// The limits of what references may add up to.
const (
	maxChain = 100 // references that lead straight to references
	maxNest  = 100 // references on the way of a reference, within each other
	indexed  = 16  // members from which an object is worth a map of its keys
	refField = "$ref"
)

// hop is where one reference leads.
type hop struct {
	to  *arazzo.Node
	err error
}

var (
	errCircle = errors.New("it leads back to itself")
	errChain  = fmt.Errorf("the references that begin here go in a circle, or more than %d follow each other", maxChain)
)

// refOf gives the $ref of an object that is a reference, else nil.
func refOf(n *arazzo.Node) *arazzo.Node {
	if n == nil || n.Kind != value.KindObject {
		return nil
	}
	if ref := n.Get(refField); ref != nil && ref.Kind == value.KindString {
		return ref
	}
	return nil
}

// follow gives what a node stands for in the end: itself, unless it is a
// reference; nil where it leads nowhere, which is noted, or is absent or null.
func (r *reader) follow(n *arazzo.Node) *arazzo.Node {
	return r.followTo(n, func(*arazzo.Node) bool { return false })
}

// followTo is follow, but ends at the first place on the way that is known.
func (r *reader) followTo(n *arazzo.Node, known func(*arazzo.Node) bool) *arazzo.Node {
	start := n
	for range maxChain {
		if n == nil || n.Kind == value.KindNull {
			return nil
		}
		if known(n) {
			return n
		}
		ref := refOf(n)
		if ref == nil {
			return n
		}
		h := r.hop(n, ref)
		if h.err != nil {
			r.fault(ref, h.err)
			return nil
		}
		n = h.to
	}
	r.fault(start, errChain)
	return nil
}

// hop follows one reference one time.
func (r *reader) hop(n, ref *arazzo.Node) hop {
	if h, ok := r.hops[n]; ok {
		return h
	}
	r.hops[n] = hop{err: errCircle} // until it is known to be none
	to, err := r.target(n, ref.Text)
	if err != nil {
		err = fmt.Errorf("the reference %q cannot be followed: %w", ref.Text, err)
	}
	r.hops[n] = hop{to, err}
	return r.hops[n]
}

// target gives what a reference in n names.
func (r *reader) target(n *arazzo.Node, ref string) (*arazzo.Node, error) {
	if r.depth >= maxNest {
		return nil, fmt.Errorf("more than %d references lie on the way of each other", maxNest)
	}
	r.depth++
	defer func() { r.depth-- }()
	file, fragment, err := r.file(n, ref)
	if err != nil {
		return nil, err
	}
	pointer, err := value.ParsePointer(fragment)
	if err != nil {
		return nil, err
	}
	at := file
	for i, token := range pointer {
		if at = r.step(at, token); at == nil {
			return nil, fmt.Errorf("%s has no %q", place(pointer[:i]), token)
		}
	}
	return at, nil
}

func place(p value.Pointer) string {
	if len(p) == 0 {
		return "its root"
	}
	return p.String()
}

// file gives the root of the file that a reference names, and its fragment.
func (r *reader) file(n *arazzo.Node, ref string) (*arazzo.Node, string, error) {
	u, err := url.Parse(ref)
	if err != nil {
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, "", fmt.Errorf("it is no URI reference: %w", err)
	}
	if strings.HasPrefix(ref, "#") {
		return rootOf(n), u.Fragment, nil
	}
	base, err := url.Parse(r.catalog.File(n))
	if err != nil {
		return nil, "", err
	}
	target, fragment := base.ResolveReference(u), u.Fragment
	target.Fragment, target.RawFragment = "", ""
	file, err := r.openFile(target)
	return file, fragment, err
}

// openFile opens each file once.
func (r *reader) openFile(at *url.URL) (*arazzo.Node, error) {
	location := at.String()
	if file := r.catalog.Files[location]; file != nil {
		return file, nil
	}
	if err := r.failed[location]; err != nil {
		return nil, err
	}
	file, err := r.open(at)
	if err != nil {
		r.failed[location] = err
		return nil, err
	}
	r.catalog.Files[location] = file
	if _, known := r.catalog.locations[file]; !known { // one file may have two names
		r.catalog.locations[file] = location
	}
	return file, nil
}

// step goes from a node to what a token names in it. A reference on the way
// stands for what it leads to.
func (r *reader) step(n *arazzo.Node, token string) *arazzo.Node {
	if next := r.child(n, token); next != nil || refOf(n) == nil {
		return next
	}
	if n = r.follow(n); n == nil {
		return nil
	}
	return r.child(n, token)
}

func (r *reader) child(n *arazzo.Node, token string) *arazzo.Node {
	if n.Kind != value.KindArray {
		return r.member(n, token)
	}
	at, ok := value.ArrayIndex(token)
	if !ok || at >= len(n.Items) {
		return nil
	}
	return n.Items[at]
}

// member gives a member of an object. A description with many channels is asked
// for each of them by name.
func (r *reader) member(n *arazzo.Node, name string) *arazzo.Node {
	if n == nil || len(n.Members) < indexed {
		return n.Get(name)
	}
	index := r.keys[n]
	if index == nil {
		index = make(map[string]*arazzo.Node, len(n.Members))
		for i := len(n.Members) - 1; i >= 0; i-- { // the first of one name stays
			index[n.Members[i].Key.Text] = n.Members[i].Value
		}
		r.keys[n] = index
	}
	return index[name]
}
