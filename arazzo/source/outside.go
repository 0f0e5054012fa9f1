package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// maxReferred bounds how many other files one description may refer to: each
// may be a request to a server that the description chose.
const maxReferred = 500

// outside reads the files that one description refers to, under the rules that
// hold for the description itself.
type outside struct {
	*reader
	ctx    context.Context
	root   *url.URL // where the description is
	left   int64    // bytes that may still be read
	opened int      // files asked for so far

	folder string // where what is not beside the description is looked for too; empty: nowhere
}

func newOutside(ctx context.Context, l *Loader, at *url.URL, size int) *outside {
	o := &outside{reader: &l.reader, ctx: ctx, root: at, left: l.reader.maxBytes - int64(size)}
	if at.Scheme == "file" {
		o.folder = l.root
	}
	return o
}

// fetch gives the bytes of a file that a reference names, and where they are
// from. Whoever asks keeps what he gets: each call counts against the limits.
func (o *outside) fetch(location string) ([]byte, string, error) {
	if o.opened++; o.opened > maxReferred {
		return nil, "", fmt.Errorf("it refers to more than %d other files", maxReferred)
	}
	limited := *o.reader
	limited.maxBytes = max(o.left, 0)
	data, _, err := limited.read(o.ctx, location)
	if under := o.beneathFolder(location); under != "" && errors.Is(err, ErrAbsent) {
		if found, _, second := limited.read(o.ctx, under); !errors.Is(second, ErrAbsent) {
			data, err, location = found, second, under
		}
	}
	if errors.Is(err, ErrAbsent) {
		// It is the referring description that has a fault, not one that is absent.
		return nil, "", fmt.Errorf("%s: %s", Display(location), strings.TrimPrefix(err.Error(), ErrAbsent.Error()+": "))
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", Display(location), err)
	}
	o.left -= int64(len(data))
	return data, location, nil
}

// beneathFolder gives the place under the folder that has the same path from
// there as location has from the description; empty where there is none.
func (o *outside) beneathFolder(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Scheme != "file" || o.folder == "" {
		return ""
	}
	relative, err := filepath.Rel(filepath.Dir(filePath(o.root)), filePath(u))
	if err != nil {
		return ""
	}
	under, err := beneath(o.folder, &url.URL{Path: filepath.ToSlash(relative)})
	if err != nil {
		return ""
	}
	return under
}

// locate decides whether and where a reference may be read.
func (o *outside) locate(u *url.URL) (string, error) { return locate(o.root, u) }

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
