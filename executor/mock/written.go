package mock

import (
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// mostReferences bounds how many references are followed to one place of a description.
const mostReferences = 100

// writtenPlace is a place in a description as it was written.
type writtenPlace struct {
	description *source.Written
	location    string
	value       value.Value
	left        int // references that may still be followed
}

// writtenAt gives what a description says at a place, through references; absent where
// the description is not at hand, or has nothing there.
func writtenAt(w *source.Written, pointer string, below ...string) value.Value {
	path, err := value.ParsePointer(pointer)
	if w == nil || err != nil {
		return value.Absent
	}
	p := writtenPlace{description: w, location: w.Root(), value: w.File(w.Root()), left: mostReferences}
	return p.walk(append(path, below...)).value
}

func (p writtenPlace) walk(path value.Pointer) writtenPlace {
	for _, token := range path {
		p = p.resolved()
		p.value = value.Pointer{token}.In(p.value)
	}
	return p.resolved()
}

// resolved gives what the reference that stands here leads to, if one does.
func (p writtenPlace) resolved() writtenPlace {
	ref, ok := p.value.Get("$ref").Str()
	if !ok || p.left <= 0 {
		return p
	}
	location, fragment, ok := p.description.Resolve(p.location, ref)
	if !ok {
		return p
	}
	path, err := value.ParsePointer(fragment)
	if err != nil {
		return p
	}
	p.left--
	p.location, p.value = location, p.description.File(location)
	return p.walk(path)
}

// placeOf tells where an operation is described.
func placeOf(op *source.Operation) string { return source.Display(op.Source) + "#" + op.Pointer }
