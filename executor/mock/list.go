package mock

import "github.com/weft-flow/weft/arazzo/value"

// list answers with what is in a collection, or with those items whose members
// are as the query says.
func (w *world) list(in *incoming) *reply {
	c := w.at(in)
	out := in.respond(value.Absent)
	property, items, ok := listIn(out.shape)
	if !ok {
		return in.answer(out)
	}
	wanted := in.wantedMembers(items)
	if !in.route.known.creatable[in.route.collectionTemplate()] && len(c.items) == 0 {
		return in.answer(out)
	}
	var found []value.Value
	element := made(items)
	there := c.items
	if in.stale && len(there) > 0 {
		there = there[:len(there)-1] // what came last is not there yet
	}
	for _, r := range there {
		if r.has(wanted) {
			r.goOn(items)
			found = append(found, items.show(element, r.state))
		}
	}
	out.content = setList(out.content, property, value.Array(found...))
	return in.answer(out)
}

// wantedMembers gives the query parameters that name members of the items.
func (in *incoming) wantedMembers(items *together) map[string]string {
	wanted := map[string]string{}
	for name, texts := range in.query {
		if len(texts) == 1 && items.property(name) != nil {
			wanted[name] = texts[0]
		}
	}
	return wanted
}

func (r *resource) has(wanted map[string]string) bool {
	for name, text := range wanted {
		if r.state.Get(name).Text() != text {
			return false
		}
	}
	return true
}

func setList(body value.Value, property string, list value.Value) value.Value {
	if property == "" {
		return list
	}
	for _, name := range []string{"total", "count", "totalCount", "total_count"} {
		if _, isNumber := body.Get(name).NumberText(); isNumber {
			body = set(body, name, value.Int(int64(list.Len())))
		}
	}
	return set(body, property, list)
}
