package durable

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
)

// Bundle is a document with all that it refers to, as it was read: what a run is
// begun and resumed with, whatever becomes of the files.
type Bundle struct {
	Name     string   `json:"name"`           // of the document, as people call it
	Location string   `json:"location"`       // where it came from, as a URL
	Also     []string `json:"also,omitempty"` // locations of documents that are known to it by their identity
	Files    []File   `json:"files"`          // in the order of their locations
}

// File is one file of a bundle.
type File struct {
	Location string `json:"location"`        // by which it is asked for
	Final    string `json:"final,omitempty"` // where it was found in the end; empty: there
	Data     []byte `json:"data"`
}

// Recorder keeps what a source.Loader reads: give its Read to source.Options.Through.
// It may be used by several goroutines. The zero Recorder is ready for use.
type Recorder struct {
	mu    sync.Mutex
	files map[string]File
}

// Read reads and keeps; see source.Options.Through.
func (r *Recorder) Read(ctx context.Context, location string, next source.ReadFunc) (data []byte, final string, err error) {
	data, final, err = next(ctx, location)
	if err != nil {
		return data, final, err
	}
	kept := File{Location: location, Data: data}
	if final != location {
		kept.Final = final
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		r.files = map[string]File{}
	}
	r.files[location] = kept
	return data, final, nil
}

// Bundle gives all that was read as the bundle of the document of that name, as
// source.Loader.LoadDocument was given it, and location, as it gave it. Other
// documents that the loader was told of (source.Loader.Register) are given as also.
func (r *Recorder) Bundle(name, location string, also ...string) *Bundle {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := &Bundle{Name: name, Location: location, Also: also}
	for _, f := range r.files {
		b.Files = append(b.Files, f)
	}
	slices.SortFunc(b.Files, func(a, b File) int { return cmp.Compare(a.Location, b.Location) })
	return b
}

// Load reads a document with all that it refers to. It is for programs that have no
// loader of their own.
func Load(ctx context.Context, name string, options source.Options) (*Bundle, error) {
	recorder := &Recorder{}
	options.Through = recorder.Read
	loader := source.NewLoader(options)
	doc, location, faults, err := loader.LoadDocument(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := unusable(name, doc, faults); err != nil {
		return nil, err
	}
	if _, problems := loader.Load(ctx, doc, location); len(problems) > 0 {
		return nil, fmt.Errorf("%s: %s", name, problems[0].Message)
	}
	return recorder.Bundle(name, location), nil
}

// unusable tells why a document cannot be run for its shape.
func unusable(name string, doc *arazzo.Document, faults []arazzo.Fault) error {
	if blocking := executor.Blocking(faults); len(blocking) > 0 {
		return fmt.Errorf("%s: %w", name, blocking[0])
	}
	if doc == nil {
		return fmt.Errorf("%s: nothing could be read of it", name)
	}
	return nil
}

// load makes of the bundle what it was made of. Nothing else is read.
func (b *Bundle) load(ctx context.Context) (*source.Set, error) {
	files := make(map[string]File, 2*len(b.Files))
	for _, f := range b.Files {
		f.Final = cmp.Or(f.Final, f.Location)
		files[f.Location] = f
		if _, known := files[f.Final]; !known {
			files[f.Final] = f
		}
	}
	loader := source.NewLoader(source.Options{Through: func(_ context.Context, location string, _ source.ReadFunc) ([]byte, string, error) {
		f, ok := files[location]
		if !ok {
			return nil, "", fmt.Errorf("%w: it was not read when the run was started", source.ErrAbsent)
		}
		return f.Data, f.Final, nil
	}})
	main, ok := files[b.Location]
	if !ok {
		return nil, fmt.Errorf("the bundle of %s does not hold %s", b.Name, b.Location)
	}
	doc, faults := arazzo.Parse(b.Name, main.Data)
	if err := unusable(b.Name, doc, faults); err != nil {
		return nil, err
	}
	loader.Register(doc, b.Location)
	for _, location := range b.Also {
		if other, _ := arazzo.Parse(source.Display(location), files[location].Data); other != nil {
			loader.Register(other, location)
		}
	}
	set, problems := loader.Load(ctx, doc, b.Location)
	if len(problems) > 0 {
		return nil, fmt.Errorf("%s: %s", b.Name, problems[0].Message)
	}
	return set, nil
}

func (b *Bundle) encode() ([]byte, error) { return json.Marshal(b) }
