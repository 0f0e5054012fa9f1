package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v4"
)

// maxReferred bounds how many other files one description may refer to: each
// may be a request to a server that the description chose.
const maxReferred = 500

// references reads the files that the $refs of one OpenAPI description name,
// under the rules that hold for the description itself.
type references struct {
	*reader
	ctx  context.Context
	root *url.URL // where the description is
	left int64    // bytes that may still be read
	seen map[string]*referred

	folder string // where what is not beside the description is looked for too; empty: nowhere
}

// referred is a file that was read because something refers to it.
type referred struct {
	tree *yaml.Node
	err  error
}

// newReferences knows the description itself: what it refers to may refer back.
func newReferences(ctx context.Context, l *Loader, at *url.URL, tree *yaml.Node, size int) *references {
	r := &references{
		reader: &l.reader, ctx: ctx, root: at,
		left: l.reader.maxBytes - int64(size),
		seen: map[string]*referred{at.String(): {tree: tree}},
	}
	if at.Scheme == "file" {
		r.folder = l.root
	}
	return r
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
	if len(r.seen) > maxReferred {
		return nil, fmt.Errorf("it refers to more than %d other files", maxReferred)
	}
	limited := *r.reader
	limited.maxBytes = max(r.left, 0)
	data, _, err := limited.read(r.ctx, location)
	if under := r.beneathFolder(location); under != "" && errors.Is(err, errAbsent) {
		if found, _, second := limited.read(r.ctx, under); !errors.Is(second, errAbsent) {
			data, err, location = found, second, under
		}
	}
	if errors.Is(err, errAbsent) {
		// It is the referring description that has a fault, not one that is absent.
		return nil, fmt.Errorf("%s: %s", Display(location), strings.TrimPrefix(err.Error(), errAbsent.Error()+": "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(location), err)
	}
	r.left -= int64(len(data))
	tree, err := parseTree(data)
	if err == nil {
		_, err = mend(tree, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(location), err)
	}
	return tree, nil
}

// beneathFolder gives the place under the folder that has the same path from
// there as location has from the description; empty where there is none.
func (r *references) beneathFolder(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "file" || r.folder == "" {
		return ""
	}
	relative, err := filepath.Rel(filepath.Dir(filePath(r.root)), filePath(u))
	if err != nil {
		return ""
	}
	under, err := beneath(r.folder, &url.URL{Path: filepath.ToSlash(relative)})
	if err != nil {
		return ""
	}
	return under
}

// locate decides whether and where a reference may be read.
func (r *references) locate(u *url.URL) (string, error) { return locate(r.root, u) }

// locate does so for the references of the description at root. The library
// gives a path without scheme where the description wrote an absolute path.
func locate(root, u *url.URL) (string, error) {
	u = withoutFragment(u)
	if u.Scheme == "" {
		u = root.ResolveReference(u)
	}
	switch u.Scheme {
	case "file":
		if root.Scheme != "file" {
			return "", fmt.Errorf("a description from the network cannot refer to the file %s", u)
		}
		return fileURL(filepath.Clean(filePath(u))), nil
	case "http", "https":
		return u.String(), nil
	default:
		return "", fmt.Errorf("a %s: URI names something, but not where it can be fetched", u.Scheme)
	}
}
