package source

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// ByPointer gives the operation that a JSON Pointer into the description names.
// The error is a *NotFoundError that says how far the pointer leads and what is
// there.
func (c *Catalog) ByPointer(pointer value.Pointer) (*Operation, error) {
	if c == nil {
		return nil, &NotFoundError{What: "operation", Ref: pointer.String(), Detail: "the description could not be read"}
	}
	if o := c.byPointer[pointer.String()]; o != nil {
		return o, nil
	}
	if o := c.byPointer[lowerMethod(pointer).String()]; o != nil {
		return nil, &NotFoundError{
			What: "operation", Ref: pointer.String(),
			Detail:     "methods are written in lower case in a description",
			Candidates: []string{o.Pointer},
		}
	}
	return nil, c.lost(pointer)
}

func lowerMethod(pointer value.Pointer) value.Pointer {
	if len(pointer) == 0 {
		return pointer
	}
	lower := slices.Clone(pointer)
	lower[len(lower)-1] = strings.ToLower(lower[len(lower)-1])
	return lower
}

// lost explains a pointer that names no operation: the longest beginning of it
// that leads to operations, and what could follow there.
func (c *Catalog) lost(pointer value.Pointer) *NotFoundError {
	for depth := len(pointer); depth >= 0; depth-- {
		if o := c.byPointer[pointer[:depth].String()]; o != nil {
			return &NotFoundError{What: "operation", Ref: pointer.String(), Detail: "the pointer leads beyond an operation", Candidates: []string{o.Pointer}}
		}
		next := c.next(pointer[:depth])
		if len(next) == 0 {
			continue
		}
		e := &NotFoundError{What: "operation", Ref: pointer.String()}
		at := pointer[:depth].String()
		if at == "" {
			at = "the root"
		}
		if depth == len(pointer) {
			e.Detail = "the pointer ends at " + at + ", which is no operation"
			e.Candidates = next
			return e
		}
		e.Detail = "the pointer leads as far as " + at + ", which has no " + quote(pointer[depth])
		e.Candidates = nearest(pointer[depth], next)
		if len(e.Candidates) == 0 {
			e.Candidates = next
		}
		return e
	}
	return &NotFoundError{What: "operation", Ref: pointer.String(), Detail: "the description has no operations"}
}

// next lists the tokens that follow a beginning of a pointer on the way to an operation.
func (c *Catalog) next(begin value.Pointer) []string {
	found := map[string]bool{}
	prefix := begin.String() + "/"
	for _, o := range c.Operations {
		if rest, ok := strings.CutPrefix(o.Pointer, prefix); ok {
			token, _, _ := strings.Cut(rest, "/")
			found[unescape.Replace(token)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")
