package expression

import "github.com/weft-flow/weft/arazzo/value"

// Eval gives the value of e: what the scope has for it, then what its pointer
// names in that, then what its dots and brackets name; absent where one of these
// leads nowhere. A pointer into a string, be it XML or text, leads nowhere.
func (e *Expression) Eval(s Scope) value.Value {
	v := s.Resolve(e)
	if len(e.Pointer) > 0 {
		v = e.Pointer.In(v)
	}
	for _, a := range e.Accesses {
		if a.IsIndex {
			v = v.At(a.Index)
			continue
		}
		v = member(v, a.Name)
	}
	return v
}

// member gives what ".name" names in v. Many write ".0" for an element of a
// list, so digits name one.
func member(v value.Value, name string) value.Value {
	if v.Kind() != value.KindArray {
		return v.Get(name)
	}
	if at, ok := value.ArrayIndex(name); ok {
		return v.At(at)
	}
	return value.Absent
}
