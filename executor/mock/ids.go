package mock

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/value"
)

// idMember gives the member of a resource that holds its id, by the path
// parameter that names it and by common names; empty where none is declared.
func (r role) idMember(shape *together) string {
	for name := range idNames(r.itemParam) {
		if name != "" && shape.property(name) != nil {
			return name
		}
	}
	return ""
}

// idNames gives the names that a member may have which holds an id, the likeliest first.
func idNames(param string) iter.Seq[string] {
	return func(yield func(string) bool) {
		_ = yield(param) && yield("id") && yield(camel(param)) && yield(snake(param)) &&
			yield("uuid") && yield("ID") && yield("Id") && yield("_id")
	}
}

func camel(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' })
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
	}
	return strings.Join(parts, "")
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// chosenID gives the id that the client itself chose; empty where it chose none.
func (in *incoming) chosenID(name string) string {
	if name == "" {
		return ""
	}
	if v := in.body.Get(name); v.IsScalar() && !v.IsNull() {
		return v.Text()
	}
	return ""
}

// newID makes an id up, one after the other: in the manner of the example that its
// schemas state, else from the collection's name.
func (c *collectionState) newID(t *together, collection string) string {
	for {
		id := idNumber(t, collection, c.next)
		c.next++
		if c.byID(id) < 0 {
			return id
		}
	}
}

func idNumber(t *together, collection string, n int) string {
	switch t.kind() {
	case openapi3.TypeInteger, openapi3.TypeNumber:
		return strconv.Itoa(n)
	}
	for _, s := range t.all() {
		if s.Format == "uuid" {
			return fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
		}
	}
	if stated, ok := t.stated(); ok {
		example := stated.Text()
		if stem := strings.TrimRight(example, "0123456789"); stem != example && stem != "" {
			return stem + strconv.Itoa(n)
		}
	}
	return stemOf(collection) + strconv.Itoa(n)
}

// stemOf shortens a collection's name for ids: "orders" gives "ord-".
func stemOf(collection string) string {
	const length = 3
	var b strings.Builder
	for _, r := range strings.ToLower(collection) {
		if r >= 'a' && r <= 'z' {
			b.WriteRune(r)
		}
		if b.Len() == length {
			break
		}
	}
	if b.Len() == 0 {
		return "id-"
	}
	return b.String() + "-"
}

// withID sets the id of a resource in the type that its schema wants.
func withID(v value.Value, shape *together, name, id string) value.Value {
	p := shape.property(name)
	if name == "" || v.Kind() != value.KindObject || p == nil {
		return v
	}
	return set(v, name, typed([]string{id}, p))
}
