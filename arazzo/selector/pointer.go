package selector

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// pointerQuery is a JSON Pointer (RFC 6901).
type pointerQuery struct{ pointer value.Pointer }

func compilePointer(text string) (query, error) {
	pointer, err := value.ParsePointer(text)
	if err != nil {
		return nil, &SyntaxError{Message: err.Error()}
	}
	if len(pointer) > value.MaxDepth {
		return nil, &LimitError{What: "reference tokens of a JSON Pointer", Limit: value.MaxDepth}
	}
	return pointerQuery{pointer}, nil
}

func (q pointerQuery) selectFrom(v value.Value) (value.Value, error) {
	return q.pointer.In(v), nil
}

func (q pointerQuery) test(v value.Value) (bool, error) {
	return !q.pointer.In(v).IsAbsent(), nil
}

func (q pointerQuery) replace(v, with value.Value) (value.Value, error) {
	return put(v, q.pointer, 0, with)
}

// put sets what pointer names, of which the first depth tokens have led to v.
func put(v value.Value, pointer value.Pointer, depth int, with value.Value) (value.Value, error) {
	if depth == len(pointer) {
		return with, nil
	}
	switch v.Kind() {
	case value.KindObject:
		return putMember(v, pointer, depth, with)
	case value.KindArray:
		return putItem(v, pointer, depth, with)
	default:
		return value.Absent, fmt.Errorf("%q is %s, so it has no %q", pointer[:depth].String(), described(v), pointer[depth])
	}
}

func putMember(v value.Value, pointer value.Pointer, depth int, with value.Value) (value.Value, error) {
	name, last := pointer[depth], depth+1 == len(pointer)
	members := slices.Clone(v.Members())
	at := slices.IndexFunc(members, func(m value.Member) bool { return m.Name == name })
	if at < 0 && !last {
		return value.Absent, fmt.Errorf("%q is not there, and only a missing last member is added", pointer[:depth+1].String())
	}
	if at < 0 {
		return value.Object(append(members, value.Member{Name: name, Value: with})...), nil
	}
	beneath, err := put(members[at].Value, pointer, depth+1, with)
	if err != nil {
		return value.Absent, err
	}
	members[at].Value = beneath
	return value.Object(members...), nil
}

func putItem(v value.Value, pointer value.Pointer, depth int, with value.Value) (value.Value, error) {
	token, last := pointer[depth], depth+1 == len(pointer)
	items := slices.Clone(v.Items())
	if token == "-" && last {
		return value.Array(append(items, with)...), nil
	}
	at, ok := value.ArrayIndex(token)
	if !ok || at >= len(items) {
		return value.Absent, fmt.Errorf("%q is a list of %d, so it has no %q; \"-\" appends", pointer[:depth].String(), len(items), token)
	}
	beneath, err := put(items[at], pointer, depth+1, with)
	if err != nil {
		return value.Absent, err
	}
	items[at] = beneath
	return value.Array(items...), nil
}

func described(v value.Value) string {
	switch v.Kind() {
	case value.KindAbsent:
		return "not there"
	case value.KindNull:
		return "null"
	case value.KindArray, value.KindObject:
		return "an " + v.Kind().String()
	default:
		return "a " + v.Kind().String()
	}
}
