package source

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source/asyncapi"
)

// The limits of a loader whose options name none.
const (
	DefaultMaxBytes = 64 << 20
	DefaultTimeout  = 30 * time.Second
)

// Options says where descriptions are looked for, and within which limits. The
// zero value reads files and the network.
type Options struct {
	Root     string        // a folder under which relative references are looked for too; empty: none
	Offline  bool          // never use the network
	MaxBytes int64         // of one description with all that it refers to; 0: 64 MiB
	Timeout  time.Duration // of one fetch; 0: 30 s
	Client   *http.Client  // nil: one of its own
	// Through stands between the loader and every place that it reads, with the usual
	// way of reading as next: it may keep what is read, or answer from what was kept.
	// An error that wraps ErrAbsent says that nothing is there. nil: next is used.
	Through func(ctx context.Context, location string, next ReadFunc) (data []byte, final string, err error)
}

// ReadFunc gives the bytes of a location, a URL, and the URL that they came from in
// the end.
type ReadFunc func(ctx context.Context, location string) (data []byte, final string, err error)

// Loader loads documents and source descriptions; each once, whoever asks. It
// may be used by several goroutines.
type Loader struct {
	root   string
	reader reader

	mu      sync.Mutex
	entries map[string]*entry // by location, and by identity once that is known
}

// entry is one place with what was found there.
type entry struct {
	once     sync.Once
	location string // where it was read from in the end
	err      error  // nothing there, or nothing that can be used
	content
}

// content is one description, parsed. It is never changed.
type content struct {
	flavour  flavour
	identity string // what it calls itself, resolved; empty where it does not
	catalog  *Catalog
	async    *asyncapi.Catalog
	doc      *arazzo.Document
	tree     *arazzo.Node
	faults   []arazzo.Fault
}

// NewLoader gives a loader that knows no documents yet.
func NewLoader(options Options) *Loader {
	l := &Loader{
		root: options.Root,
		reader: reader{
			client:   options.Client,
			offline:  options.Offline,
			maxBytes: options.MaxBytes,
			timeout:  options.Timeout,
			through:  options.Through,
		},
		entries: map[string]*entry{},
	}
	if l.reader.client == nil {
		l.reader.client = &http.Client{}
	}
	if l.reader.maxBytes <= 0 {
		l.reader.maxBytes = DefaultMaxBytes
	}
	if l.reader.timeout <= 0 {
		l.reader.timeout = DefaultTimeout
	}
	return l
}

// Register makes a document known by its location and its identity, so that
// references to it are answered without looking for it. The first document of
// an identity stays.
func (l *Loader) Register(doc *arazzo.Document, location string) {
	location = asURL(location)
	e := &entry{location: location, content: content{flavour: flavourArazzo, doc: doc}}
	e.once.Do(func() {}) // it is read already
	if base := BaseURI(doc, location); base != location {
		e.identity = base
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range []string{location, e.identity} {
		if key != "" && l.entries[key] == nil {
			l.entries[key] = e
		}
	}
}

// LoadDocument reads the Arazzo document that a path or an http(s) URL names
// and registers it. It gives the document, nil where nothing could be read of
// it, its location as a URL, and the faults of its shape. The error says that
// it could not be read at all.
func (l *Loader) LoadDocument(ctx context.Context, name string) (*arazzo.Document, string, []arazzo.Fault, error) {
	location, err := Locate(name)
	if err != nil {
		return nil, "", nil, err
	}
	data, final, err := l.reader.read(ctx, location)
	if err != nil {
		if errors.Is(err, ErrAbsent) && !isNetwork(location) {
			return nil, "", nil, fmt.Errorf("%s: no such file", name)
		}
		return nil, "", nil, fmt.Errorf("%s: %w", name, err)
	}
	doc, faults := arazzo.Parse(name, data)
	if doc != nil && !detect(data).isAPI() { // an API stays what it is to the documents that build on it
		l.Register(doc, final)
	}
	return doc, final, faults, nil
}

// at gives the entry of a location, read and parsed on first demand.
func (l *Loader) at(ctx context.Context, location string) *entry {
	for {
		l.mu.Lock()
		e := l.entries[location]
		if e == nil {
			e = &entry{location: location}
			l.entries[location] = e
		}
		l.mu.Unlock()
		e.once.Do(func() { l.fill(ctx, e, location) })
		if !isCanceled(e.err) {
			return e
		}
		// Whoever asked first gave up; that says nothing about the place.
		l.forget(location, e)
		if ctx.Err() != nil {
			return e
		}
	}
}

func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (l *Loader) forget(location string, e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries[location] == e {
		delete(l.entries, location)
	}
}

// fill reads and parses, and makes the content known by what it calls itself.
func (l *Loader) fill(ctx context.Context, e *entry, location string) {
	data, final, err := l.reader.read(ctx, location)
	if err != nil {
		e.err = err
		return
	}
	e.location = final
	if e.content, e.err = l.parse(ctx, data, final); e.err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range []string{final, e.identity} {
		if key != "" && l.entries[key] == nil {
			l.entries[key] = e
		}
	}
}

// known gives the entry that is known by an identity or a location, or nil.
// Where somebody reads it just now, it waits for that.
func (l *Loader) known(ctx context.Context, identity string) *entry {
	l.mu.Lock()
	e := l.entries[identity]
	l.mu.Unlock()
	if e == nil {
		return nil
	}
	if e = l.at(ctx, identity); e.err != nil {
		return nil
	}
	return e
}

// parse reads a description by what its content says it is.
func (l *Loader) parse(ctx context.Context, data []byte, location string) (content, error) {
	c := content{flavour: detect(data)}
	var err error
	switch c.flavour {
	case flavourArazzo:
		if c.doc, c.faults = arazzo.Parse(Display(location), data); c.doc == nil {
			return c, faultsError(c.faults)
		}
		if base := BaseURI(c.doc, location); base != location {
			c.identity = base
		}
	case flavourAsyncAPI:
		if c.tree, c.faults = arazzo.ParseTree(data); c.tree == nil {
			return c, faultsError(c.faults)
		}
		c.async, err = l.parseAsyncAPI(ctx, c.tree, len(data), location)
	case flavourOpenAPI, flavourSwagger:
		c.catalog, c.identity, err = l.parseOpenAPI(ctx, c.flavour, data, location)
	default:
		err = unknownContent(data)
	}
	return c, err
}

func faultsError(faults []arazzo.Fault) error {
	switch len(faults) {
	case 0:
		return errors.New("nothing could be read of it")
	case 1:
		return faults[0]
	default:
		return fmt.Errorf("%w (and %d more faults)", faults[0], len(faults)-1)
	}
}
