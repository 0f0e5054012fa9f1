package source

import (
	"context"
	"fmt"
	"net/url"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// references reads the files that the $refs of one OpenAPI description name.
type references struct {
	*outside
	seen map[string]*referred
}

// referred is a file that was read because something refers to it.
type referred struct {
	tree *yaml.Node
	err  error
}

// newReferences knows the description itself: what it refers to may refer back.
func newReferences(ctx context.Context, l *Loader, at *url.URL, tree *yaml.Node, size int) *references {
	return &references{
		outside: newOutside(ctx, l, at, size),
		seen:    map[string]*referred{at.String(): {tree: tree}},
	}
}

// check tells why a reference of the description itself cannot be followed.
func (r *references) check(ref string) error {
	u, err := url.Parse(ref)
	if err != nil {
		return fmt.Errorf("it is no URI reference: %s", urlReason(err))
	}
	location, err := r.locate(r.root.ResolveReference(u))
	if err != nil {
		return err
	}
	file := r.open(location)
	if file.err != nil || u.Fragment == "" {
		return file.err
	}
	m := newMender(file.tree)
	m.literal = true // the library reads other files without knowing what is a reference in them
	if m.follow("#"+u.EscapedFragment(), maxChain) == nil {
		return fmt.Errorf("%s has nothing there", Display(location))
	}
	return nil
}

// read gives the library a file that a reference names.
func (r *references) read(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
	location, err := r.locate(u)
	if err != nil {
		return nil, err
	}
	file := r.open(location)
	if file.err != nil {
		return nil, file.err
	}
	return asJSON(file.tree)
}

func (r *references) open(location string) *referred {
	file := r.seen[location]
	if file == nil {
		file = &referred{}
		file.tree, file.err = r.parse(location)
		r.seen[location] = file
	}
	return file
}

// parse reads a file and makes it fit for the library, as the description itself is.
func (r *references) parse(location string) (*yaml.Node, error) {
	data, location, err := r.fetch(location)
	if err != nil {
		return nil, err
	}
	tree, err := parseTree(data)
	if err == nil {
		_, err = mend(tree, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(location), err)
	}
	return tree, nil
}
