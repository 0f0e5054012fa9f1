package selector

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/value"
)

// edit is a tree of places at which a value is to be replaced: positions of
// arrays and names of objects lead to the edits beneath.
type edit struct {
	here  bool
	items map[int]*edit
	names map[string]*edit
}

func (e *edit) item(at int) *edit {
	if e.items == nil {
		e.items = map[int]*edit{}
	}
	if e.items[at] == nil {
		e.items[at] = &edit{}
	}
	return e.items[at]
}

func (e *edit) name(name string) *edit {
	if e.names == nil {
		e.names = map[string]*edit{}
	}
	if e.names[name] == nil {
		e.names[name] = &edit{}
	}
	return e.names[name]
}

// apply gives v with each marked place replaced. What is not on the way to a
// marked place is shared with v.
func (e *edit) apply(v, with value.Value) value.Value {
	switch {
	case e.here:
		return with
	case len(e.items) > 0 && v.Kind() == value.KindArray:
		items := slices.Clone(v.Items())
		for at, beneath := range e.items {
			items[at] = beneath.apply(items[at], with)
		}
		return value.Array(items...)
	case len(e.names) > 0 && v.Kind() == value.KindObject:
		members := slices.Clone(v.Members())
		for i := range members {
			if beneath := e.names[members[i].Name]; beneath != nil {
				members[i].Value = beneath.apply(members[i].Value, with)
			}
		}
		return value.Object(members...)
	default:
		return v
	}
}
