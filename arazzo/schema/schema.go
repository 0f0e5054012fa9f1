package schema

import (
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/value"
)

// Resource is one document that holds schemas: a schema itself, or a document
// of another kind with schemas somewhere inside.
type Resource struct {
	// ID is the URI that other resources refer to it by. One that is not
	// absolute serves to tell resources apart only.
	ID   string
	Root value.Value
}

// Set is a group of resources whose schemas may refer to each other. It is safe
// for use by several goroutines.
type Set struct {
	mu       sync.RWMutex
	roots    map[string]value.Value // by URI, and by $id where a root has one
	compiler *compiler
}

// NewSet gathers resources. Nothing is checked before a schema is compiled.
func NewSet(resources ...Resource) (*Set, error) {
	s := &Set{roots: make(map[string]value.Value), compiler: &compiler{}}
	return s, s.Add(resources...)
}

// Add puts more resources into the set. What was compiled before stays as it is.
func (s *Set) Add(resources ...Resource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range resources {
		uri := absoluteURI(r.ID)
		if err := s.compiler.add(uri, r.Root); err != nil {
			return fmt.Errorf("schema: add %s: %w", r.ID, err)
		}
		s.roots[uri] = r.Root
		if id, ok := r.Root.Get("$id").Str(); ok {
			s.roots[strings.TrimSuffix(id, "#")] = r.Root
		}
	}
	return nil
}

// Compile compiles the schema that a JSON Pointer names within the resource id;
// the empty pointer names the whole resource. Local references and anchors of
// the resource resolve wherever they stand in it. A schema that is not one gives
// a *CompileError.
func (s *Set) Compile(id, pointer string) (*Schema, error) {
	uri := absoluteURI(id)
	at, err := value.ParsePointer(pointer)
	if err != nil {
		return nil, &CompileError{Reason: fmt.Errorf("schema: compile: %w", err)}
	}
	root, known := s.root(uri)
	if !known {
		return nil, &CompileError{Reason: fmt.Errorf("schema: compile: there is no resource %q", id)}
	}
	if at.In(root).IsAbsent() {
		return nil, &CompileError{Reason: fmt.Errorf("schema: compile: nothing stands at %q", pointer)}
	}
	s.mu.Lock()
	run, err := s.compiler.compile(uri, at)
	s.mu.Unlock()
	if err != nil {
		return nil, s.compileError(uri, root, err)
	}
	return &Schema{set: s, run: run}, nil
}

// Schema is a compiled schema. It is safe for use by several goroutines.
type Schema struct {
	set *Set
	run *compiled
}

// Compile compiles the schema that a JSON Pointer names within root, alone in a
// Set of its own. Use a Set where several schemas of one root are wanted.
func Compile(id string, root value.Value, pointer string) (*Schema, error) {
	set, err := NewSet(Resource{ID: id, Root: root})
	if err != nil {
		return nil, err
	}
	return set.Compile(id, pointer)
}

// CompileBytes compiles the schema that a JSON text is.
func CompileBytes(id string, data []byte) (*Schema, error) {
	root, err := value.ParseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("schema: read %s: %w", id, err)
	}
	return Compile(id, root, "")
}

// Validate holds v against the schema and gives its faults, ordered by where
// they are; none where v is valid. An absent value counts as null.
func (s *Schema) Validate(v value.Value) []Fault {
	if fault, ok := oversizedNumber(v); ok {
		return []Fault{fault}
	}
	if s.run.glance.fits(v) {
		return nil
	}
	found, err := s.run.validate(v)
	if err != nil {
		return []Fault{{Message: err.Error()}}
	}
	if found == nil {
		return nil
	}
	return inOrder(s.set.flatten(found, v))
}

// CompileError tells why a schema could not be compiled.
type CompileError struct {
	// Faults says what is wrong with the schema as a schema; their pointers
	// begin at the root of the resource. Empty where Reason says it all.
	Faults []Fault
	Reason error
}

// Error gives the first fault, or the reason.
func (e *CompileError) Error() string {
	if len(e.Faults) == 0 {
		return e.Reason.Error()
	}
	first := e.Faults[0]
	text := fmt.Sprintf("schema: not a JSON Schema: at %q: %s", first.Pointer, first.Message)
	if more := len(e.Faults) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Unwrap gives the reason.
func (e *CompileError) Unwrap() error { return e.Reason }

// compileError tells an error of the library in our own terms.
func (s *Set) compileError(uri string, root value.Value, err error) error {
	if found := asFinding(err); found != nil {
		return &CompileError{Faults: inOrder(s.flatten(found, root)), Reason: err}
	}
	text := strings.ReplaceAll(plainWords(err), uri, "")
	return &CompileError{Reason: &reworded{text: "schema: compile: " + text, cause: err}}
}

// reworded is an error in other words.
type reworded struct {
	text  string
	cause error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.cause }

// lookup gives the value that a URI with a JSON Pointer as its fragment names
// among the resources, absent where it is none of theirs.
func (s *Set) lookup(uri string, at value.Pointer) value.Value {
	root, ok := s.root(uri)
	if !ok {
		return value.Absent
	}
	return at.In(root)
}

func (s *Set) root(uri string) (value.Value, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	root, ok := s.roots[uri]
	return root, ok
}

// absoluteURI gives a URI that references can be resolved against.
func absoluteURI(id string) string {
	id, _, _ = strings.Cut(id, "#")
	if parsed, err := url.Parse(id); err == nil && parsed.IsAbs() && parsed.Opaque == "" {
		return id
	}
	return localURI + url.PathEscape(id)
}

// localURI begins the URI of a resource whose own name is not absolute.
const localURI = "schema://local/"
