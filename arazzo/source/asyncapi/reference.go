package asyncapi

import (
	"cmp"
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
)

// hop is where one reference leads.
type hop struct {
	to  *arazzo.Node
	err error
}

var (
	errCircle = errors.New("it leads back to itself")
	errChain  = fmt.Errorf("it begins a circle, or more than %d that follow each other", maxChain)
)

// refOf gives the $ref of an object that is a reference, else nil.
func (r *reader) refOf(n *arazzo.Node) *arazzo.Node {
	if n == nil || n.Kind != value.KindObject {
		return nil
	}
	if ref := r.member(n, "$ref"); ref != nil && ref.Kind == value.KindString {
		return ref
	}
	return nil
}

// keyUnder gives the key of a node in a map of that name, else nothing.
func keyUnder(n *arazzo.Node, name string) string {
	if parent := n.Parent(); parent.Parent() != nil && parent.Token() == name {
		return n.Token()
	}
	return ""
}

// follow gives what a node stands for in the end: itself, unless it is a
// reference; nil where it leads nowhere, which is noted, or is absent or null.
func (r *reader) follow(n *arazzo.Node) *arazzo.Node {
	return r.followTo(n, nowhere)
}

func nowhere(*arazzo.Node) bool { return false }

// followTo is follow, but ends at the first place on the way that is known.
func (r *reader) followTo(n *arazzo.Node, known func(*arazzo.Node) bool) *arazzo.Node {
	to, at, err := r.chase(n, known)
	if err != nil {
		r.fault(at, err)
	}
	return to
}

// chase follows references until it is at what is none, or is known. Of an error
// it gives the place.
func (r *reader) chase(n *arazzo.Node, known func(*arazzo.Node) bool) (to, at *arazzo.Node, err error) {
	start := n
	for range maxChain {
		if n == nil || n.Kind == value.KindNull {
			return nil, nil, nil
		}
		if known(n) {
			return n, nil, nil
		}
		ref := r.refOf(n)
		if ref == nil {
			return n, nil, nil
		}
		h := r.hop(n, ref.Text)
		if h.err != nil {
			return nil, ref, h.err
		}
		n = h.to
	}
	return nil, r.refOf(start), &lostError{ref: r.refOf(start).Text, err: errChain}
}

// lostError tells why a reference cannot be followed.
type lostError struct {
	ref string
	way string // the reference on its way that cannot be; empty: none
	err error
}

func (e *lostError) Error() string {
	if e.way != "" {
		return fmt.Sprintf("the reference %q cannot be followed: on its way, %q cannot: %v", e.ref, e.way, e.err)
	}
	return fmt.Sprintf("the reference %q cannot be followed: %v", e.ref, e.err)
}

func (e *lostError) Unwrap() error { return e.err }

// hop follows one reference one time.
func (r *reader) hop(n *arazzo.Node, ref string) hop {
	if h, ok := r.hops[n]; ok {
		return h
	}
	r.hops[n] = hop{err: &lostError{ref: ref, err: errCircle}} // until it is known to be none
	to, err := r.target(n, ref)
	var inner *lostError
	switch {
	case errors.As(err, &inner):
		err = &lostError{ref: ref, way: cmp.Or(inner.way, inner.ref), err: inner.err}
	case err != nil:
		err = &lostError{ref: ref, err: err}
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
		if at, err = r.step(at, token); err != nil {
			return nil, err
		}
		if at == nil {
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
func (r *reader) step(n *arazzo.Node, token string) (*arazzo.Node, error) {
	if next := r.child(n, token); next != nil || r.refOf(n) == nil {
		return next, nil
	}
	to, _, err := r.chase(n, nowhere)
	if to == nil || err != nil {
		return nil, err
	}
	return r.child(to, token), nil
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
