package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
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
	seen map[string][]byte
}

// newReferences knows the description itself: what it refers to may refer back.
func newReferences(ctx context.Context, r *reader, at *url.URL, data []byte) *references {
	return &references{
		reader: r, ctx: ctx, root: at,
		left: r.maxBytes - int64(len(data)),
		seen: map[string][]byte{at.String(): data},
	}
}

func (r *references) read(_ *openapi3.Loader, u *url.URL) ([]byte, error) {
	location, err := r.locate(u)
	if err != nil {
		return nil, err
	}
	if data, ok := r.seen[location]; ok {
		return data, nil
	}
	if len(r.seen) > maxReferred {
		return nil, fmt.Errorf("it refers to more than %d other files", maxReferred)
	}
	limited := *r.reader
	limited.maxBytes = max(r.left, 0)
	data, _, err := limited.read(r.ctx, location)
	if errors.Is(err, errAbsent) {
		// It is the referring description that cannot be used, not one that is absent.
		return nil, fmt.Errorf("%s: %s", Display(location), strings.TrimPrefix(err.Error(), errAbsent.Error()+": "))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(location), err)
	}
	// The library is to meet only what it can bear.
	if _, err := parseTree(data); err != nil {
		return nil, fmt.Errorf("%s: %w", Display(location), err)
	}
	r.seen[location] = data
	r.left -= int64(len(data))
	return data, nil
}

// locate decides whether and where a reference may be read. The library gives
// a path without scheme where the description wrote an absolute path.
func (r *references) locate(u *url.URL) (string, error) {
	u = withoutFragment(u)
	if u.Scheme == "" {
		u = r.root.ResolveReference(u)
	}
	switch u.Scheme {
	case "file":
		if r.root.Scheme != "file" {
			return "", fmt.Errorf("a description from the network cannot refer to the file %s", u)
		}
		return fileURL(filepath.Clean(filePath(u))), nil
	case "http", "https":
		return u.String(), nil
	default:
		return "", fmt.Errorf("cannot fetch a %s: URI: %s", u.Scheme, u)
	}
}
