package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// Load gives the document with its sources, and theirs, however they refer to
// each other. doc is known under location from then on; nothing is read or
// parsed twice. A source that could not be loaded is a Problem; the others are
// there all the same. Problems of doc come first, then those of the Arazzo
// documents that it uses.
func (l *Loader) Load(ctx context.Context, doc *arazzo.Document, location string) (*Set, []Problem) {
	location = asURL(location)
	l.Register(doc, location)
	work := &loading{Loader: l, ctx: ctx, sets: map[*arazzo.Document]*Set{}}
	root := work.set(doc, location)
	work.run()
	return root, work.problems()
}

// loading is one Load at work. It goes over the sources of all documents twice:
// first it takes what is known or lies in files, and only when no document is
// left that could turn out to be one of the rest, it asks the network for that
// (Arazzo 1.1, Parsing Documents: a reference must not be called unresolvable
// before all documents were parsed).
type loading struct {
	*Loader
	ctx      context.Context
	sets     map[*arazzo.Document]*Set // those of this Load: sets are filled in, and so not shared between loads
	order    []*Set
	pending  []*search
	deferred []*search
}

// search is one source description on its way to be found.
type search struct {
	set         *Set
	source      *arazzo.SourceDescription
	description *Description
	identity    *url.URL
	local       []string // places to look at, in this order
	remote      []string
	tried       []string // what was found at each place, for the message
	offline     bool
}

// set makes the set of a document, once, and queues its sources.
func (w *loading) set(doc *arazzo.Document, location string) *Set {
	if s := w.sets[doc]; s != nil {
		return s
	}
	s := &Set{Document: doc, Location: location, Base: BaseURI(doc, location)}
	w.sets[doc] = s
	w.order = append(w.order, s)
	for _, source := range doc.Sources {
		if source == nil {
			continue
		}
		d := &Description{Name: source.Name.Value, Type: source.Type.Value, URL: source.URL.Value}
		s.Sources = append(s.Sources, d)
		w.pending = append(w.pending, &search{set: s, source: source, description: d})
	}
	return s
}

func (w *loading) run() {
	for len(w.pending) > 0 || len(w.deferred) > 0 {
		if len(w.pending) > 0 {
			next := w.pending[0]
			w.pending = w.pending[1:]
			w.searchLocal(next)
			continue
		}
		next := w.deferred[0]
		w.deferred = w.deferred[1:]
		w.searchRemote(next)
	}
}

// searchLocal looks among the known documents and in files.
func (w *loading) searchLocal(s *search) {
	if err := w.places(s); err != nil {
		w.fail(s, err.Error())
		return
	}
	if e := w.known(w.ctx, s.description.Identity); e != nil {
		w.found(s, e)
		return
	}
	if w.try(s, s.local) {
		return
	}
	w.deferred = append(w.deferred, s)
}

// searchRemote looks among the documents that were read meanwhile, and in the network.
func (w *loading) searchRemote(s *search) {
	if e := w.known(w.ctx, s.description.Identity); e != nil {
		w.found(s, e)
		return
	}
	if w.try(s, s.remote) {
		return
	}
	w.fail(s, strings.Join(s.tried, "; "))
}

// try looks at places until one settles the search. A place where there is
// something that cannot be used settles it too: to go on would hide the fault.
func (w *loading) try(s *search, places []string) bool {
	for _, place := range places {
		e := w.at(w.ctx, place)
		switch {
		case e.err == nil:
			w.found(s, e)
			return true
		case errors.Is(e.err, errOffline) && isNetwork(place):
			s.offline = true
		case !errors.Is(e.err, ErrAbsent):
			s.offline = errors.Is(e.err, errOffline) // of a file that it refers to
			w.fail(s, fmt.Sprintf("%s: %s", Display(place), e.err))
			return true
		}
		s.tried = append(s.tried, fmt.Sprintf("%s: %s", Display(place), strings.TrimPrefix(e.err.Error(), ErrAbsent.Error()+": ")))
	}
	return false
}

// places works out the identity of a source and where it may be read.
func (w *loading) places(s *search) error {
	written := s.source.URL.Value
	if written == "" {
		return errors.New("it has no url")
	}
	ref, err := url.Parse(written)
	if err != nil {
		return fmt.Errorf("its url %s is no URI reference: %s", quote(written), urlReason(err))
	}
	base, err := url.Parse(s.set.Base)
	if err != nil {
		return fmt.Errorf("the base URI %s is no URI: %s", quote(s.set.Base), urlReason(err))
	}
	s.identity = withoutFragment(base.ResolveReference(ref))
	s.description.Identity = s.identity.String()
	beside, err := url.Parse(s.set.Location)
	if err != nil {
		return fmt.Errorf("the location %s is no URI: %s", quote(s.set.Location), urlReason(err))
	}
	besideURL := withoutFragment(beside.ResolveReference(ref)).String()
	return w.candidates(s, ref, beside.Scheme == "file", besideURL)
}

// candidates lists the places in the order of the design: the identity where it is a
// file, beside the document, beneath the root, the identity in the network.
func (w *loading) candidates(s *search, ref *url.URL, fromFile bool, beside string) error {
	relative := ref.Scheme == "" && ref.Host == ""
	if !fromFile {
		// Somebody else's document does not choose among the files of this machine.
		if s.identity.Scheme == "file" {
			return fmt.Errorf("a document from the network cannot name the file %s", s.identity)
		}
		s.remote = []string{s.description.Identity}
		if relative && beside != s.description.Identity {
			s.remote = append(s.remote, beside)
		}
		return nil
	}
	if s.identity.Scheme == "file" {
		s.local = append(s.local, s.description.Identity)
	} else {
		s.remote = append(s.remote, s.description.Identity)
	}
	if relative {
		if beside != s.description.Identity {
			s.local = append(s.local, beside)
		}
		if w.root != "" {
			under, err := beneath(w.root, ref)
			if err != nil {
				return err
			}
			if under != beside && under != s.description.Identity {
				s.local = append(s.local, under)
			}
		}
	}
	return nil
}

// urlReason is why a URL could not be parsed, without the URL.
func urlReason(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// found fills a description in with what was read.
func (w *loading) found(s *search, e *entry) {
	d := s.description
	d.Location = e.location
	is := e.flavour.typeOf()
	if said := s.source.Type.Value; said != "" && said != is && isType(said) {
		w.fail(s, fmt.Sprintf("%s: the type says %s, but it is %s", Display(e.location), said, article(e.flavour)))
		return
	}
	d.Type = is
	switch is {
	case TypeOpenAPI:
		d.OpenAPI = e.catalog
	case TypeArazzo:
		d.Arazzo, d.Faults = w.set(e.doc, e.location), e.faults
	case TypeAsyncAPI:
		d.AsyncAPI, d.Tree, d.Faults = e.async, e.tree, e.faults
	}
}

func isType(name string) bool {
	return name == TypeOpenAPI || name == TypeArazzo || name == TypeAsyncAPI
}

func article(f flavour) string {
	switch f {
	case flavourOpenAPI:
		return "an OpenAPI description"
	case flavourSwagger:
		return "a Swagger 2.0 description"
	case flavourAsyncAPI:
		return "an AsyncAPI description"
	default:
		return "an Arazzo document"
	}
}

// fail notes why a source could not be loaded, at the url that names it.
func (w *loading) fail(s *search, message string) {
	at := s.source.URL.Node
	if at == nil {
		at = s.source.Node
	}
	p := &Problem{
		Source:  s.source.Name.Value,
		File:    s.set.Document.File,
		Message: fmt.Sprintf("source %s cannot be loaded: %s", quote(s.source.Name.Value), withoutPasswords(message)),
		Offline: s.offline,
	}
	if at != nil {
		p.Span, p.Pointer = at.Span, at.Pointer()
	}
	s.description.Problem = p
}

// withoutPasswords hides the password of URLs that a message names.
func withoutPasswords(message string) string {
	return urlPassword.ReplaceAllString(message, "$1:xxxxx@")
}

var urlPassword = regexp.MustCompile(`(//[^/@:\s]*):[^/@\s]+@`)

// problems lists what failed, in the order of the documents and their sources.
func (w *loading) problems() []Problem {
	var all []Problem
	for _, s := range w.order {
		for _, d := range s.Sources {
			if d.Problem != nil {
				all = append(all, *d.Problem)
			}
		}
	}
	return all
}
