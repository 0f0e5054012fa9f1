package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// parseAsyncAPI catalogs an AsyncAPI description and reads the files that it
// refers to.
func (l *Loader) parseAsyncAPI(ctx context.Context, root *arazzo.Node, size int, location string) (*asyncapi.Catalog, error) {
	at, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	files := &asyncFiles{outside: newOutside(ctx, l, at, size), trees: map[string]*arazzo.Node{at.String(): root}}
	return asyncapi.Read(root, location, files.open)
}

// asyncFiles opens the files that one AsyncAPI description refers to.
type asyncFiles struct {
	*outside
	trees map[string]*arazzo.Node
}

func (f *asyncFiles) open(u *url.URL) (*arazzo.Node, error) {
	location, err := f.locate(u)
	if err != nil {
		return nil, err
	}
	if tree := f.trees[location]; tree != nil {
		return tree, nil
	}
	data, from, err := f.fetch(location)
	if errors.Is(err, errOffline) {
		return nil, notTried{err}
	}
	if err != nil {
		return nil, err
	}
	tree, faults := arazzo.ParseTree(data)
	if tree == nil {
		return nil, fmt.Errorf("%s: %w", Display(from), faultsError(faults))
	}
	f.trees[location] = tree
	return tree, nil
}

// notTried makes an error one that asyncapi knows, and keeps its words.
type notTried struct{ error }

func (e notTried) Unwrap() error { return e.error }

// Is tells that the file was not looked for.
func (notTried) Is(target error) bool { return target == asyncapi.ErrNotTried }
