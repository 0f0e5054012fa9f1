package mock

import (
	"strconv"

	"github.com/weft-flow/weft/arazzo/value"
)

// withItems gives a body with the items that an edit goes into and that a list does not
// have: such as the description shows, about what the request filters by. Else an edit of an
// empty list would make an item that no schema allows.
func (in *incoming) withItems(body value.Value, at value.Pointer) value.Value {
	for depth, token := range at {
		i, isIndex := value.ArrayIndex(token)
		list := at[:depth].In(body)
		if !isIndex || depth+1 == len(at) || list.Kind() != value.KindArray || i < list.Len() || i >= mostItems {
			continue
		}
		shown := at[:depth].In(in.shownBody())
		if shown.Kind() != value.KindArray || shown.Len() == 0 {
			return body
		}
		for n := list.Len(); n <= i; n++ {
			there := append(at[:depth:depth], strconv.Itoa(n))
			body = setAt(body, there, in.asked(shown.At(min(n, shown.Len()-1))))
		}
	}
	return body
}

// shownBody gives the body that the description shows of the chosen status.
func (in *incoming) shownBody() value.Value {
	body, _ := value.ParseJSON(in.route.byStatus(in.chosen.Status, in.chosen.MediaType).body)
	return body
}

// asked gives an item that has what the request filters by.
func (in *incoming) asked(item value.Value) value.Value {
	for name, values := range in.query {
		if old := item.Get(name); len(values) == 1 && old.Kind() == value.KindString {
			item = set(item, name, value.String(values[0]))
		}
	}
	return item
}
