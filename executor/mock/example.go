package mock

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/value"
)

// Limits of a made-up value: descriptions may speak of themselves, or of a world.
const (
	deepestExample = 8
	largestExample = 2000 // values
)

// made gives a value that fits the schemas: what they state, else something of
// the right type. It is always the same for the same schemas.
func made(t *together) value.Value {
	m := maker{left: largestExample}
	return m.value(t, 0)
}

type maker struct{ left int }

func (m *maker) value(t *together, depth int) value.Value {
	m.left--
	if stated, ok := t.stated(); ok {
		return withFixed(stated, t)
	}
	switch t.kind() {
	case openapi3.TypeObject:
		return m.object(t, depth)
	case openapi3.TypeArray:
		return m.array(t, depth)
	case openapi3.TypeString:
		return value.String(madeString(t))
	case openapi3.TypeInteger:
		return madeNumber(t, true)
	case openapi3.TypeNumber:
		return madeNumber(t, false)
	case openapi3.TypeBoolean:
		return value.Bool(true)
	}
	if slices.ContainsFunc(t.all(), func(s *openapi3.Schema) bool { return s.Type.Is(openapi3.TypeNull) }) {
		return value.Null
	}
	return value.Object()
}

// stated gives the value that the schemas themselves state: what is fixed before
// what is an example, before a default, before the first of an enum.
func (t *together) stated() (value.Value, bool) {
	if v, ok := t.fixed(); ok {
		return v, true
	}
	for _, say := range []func(*openapi3.Schema) any{
		func(s *openapi3.Schema) any { return s.Example },
		func(s *openapi3.Schema) any { return firstOf(s.Examples) },
		func(s *openapi3.Schema) any { return s.Default },
		func(s *openapi3.Schema) any { return firstOf(s.Enum) },
	} {
		for _, s := range t.all() {
			if v, ok := native(say(s)); ok {
				return v, true
			}
		}
	}
	return value.Absent, false
}

func firstOf(all []any) any {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// withFixed sets the properties of an example that another of the schemas fixes.
func withFixed(v value.Value, t *together) value.Value {
	if v.Kind() != value.KindObject {
		return v
	}
	for _, name := range t.properties() {
		if fixed, ok := t.property(name).fixed(); ok {
			v = set(v, name, fixed)
		}
	}
	return v
}

func (m *maker) object(t *together, depth int) value.Value {
	if depth >= deepestExample {
		return value.Object()
	}
	required := map[string]bool{}
	for _, s := range t.all() {
		for _, name := range s.Required {
			required[name] = true
		}
	}
	var members []value.Member
	for _, name := range t.properties() {
		// Deep down, and when much has been made, only what must be there.
		if !required[name] && (m.left <= 0 || depth > deepestExample/2) {
			continue
		}
		p := t.property(name)
		if slices.ContainsFunc(p.all(), func(s *openapi3.Schema) bool { return s.WriteOnly }) {
			continue
		}
		members = append(members, value.Member{Name: name, Value: m.value(p, depth+1)})
	}
	return value.Object(members...)
}

func (m *maker) array(t *together, depth int) value.Value {
	if depth >= deepestExample || m.left <= 0 {
		return value.Array()
	}
	var made []value.Value
	for i := range itemCount(t) {
		item := t.itemAt(int(i))
		if item == nil || m.left <= 0 {
			break
		}
		made = append(made, m.value(item, depth+1))
	}
	return value.Array(made...)
}

// itemCount gives how many items a made-up list has: one, or one for each place that has a
// schema of its own, and as many as must be there.
func itemCount(t *together) uint64 {
	count := max(1, uint64(t.places()))
	for _, s := range t.all() {
		count = max(count, s.MinItems)
		if s.MaxItems != nil {
			count = min(count, *s.MaxItems)
		}
	}
	return count
}

// madeNumber gives the number nearest to one that the bounds allow.
func madeNumber(t *together, whole bool) value.Value {
	low, high, step := math.Inf(-1), math.Inf(1), 0.0
	for _, s := range t.all() {
		low = max(low, lowest(s, whole))
		high = min(high, highest(s, whole))
		if s.MultipleOf != nil && *s.MultipleOf > 0 {
			step = *s.MultipleOf
		}
	}
	n := min(max(1, low), high)
	if step > 0 {
		if n = math.Ceil(n/step) * step; n > high {
			n = math.Floor(high/step) * step
		}
	}
	if whole {
		n = math.Ceil(n)
	}
	number, err := value.Number(strconv.FormatFloat(n, 'f', -1, 64))
	if err != nil {
		return value.Int(1)
	}
	return number
}

// lowest gives the least number that one schema allows; for an exclusive bound one
// that is well inside.
func lowest(s *openapi3.Schema, whole bool) float64 {
	low := math.Inf(-1)
	if s.Min != nil {
		low = *s.Min
		if s.ExclusiveMin.IsTrue() {
			low = inside(low, 1, whole)
		}
	}
	if bound := s.ExclusiveMin.Value; bound != nil {
		low = max(low, inside(*bound, 1, whole))
	}
	return low
}

func highest(s *openapi3.Schema, whole bool) float64 {
	high := math.Inf(1)
	if s.Max != nil {
		high = *s.Max
		if s.ExclusiveMax.IsTrue() {
			high = inside(high, -1, whole)
		}
	}
	if bound := s.ExclusiveMax.Value; bound != nil {
		high = min(high, inside(*bound, -1, whole))
	}
	return high
}

// inside gives a number next to an exclusive bound, on the side that direction
// (1 or -1) says.
func inside(bound, direction float64, whole bool) float64 {
	switch {
	case !whole:
		return bound + direction*0.01
	case direction > 0:
		return math.Floor(bound) + 1
	default:
		return math.Ceil(bound) - 1
	}
}

// formatted are strings of the formats that OpenAPI and JSON Schema name.
var formatted = map[string]string{
	"date-time": "2025-01-01T00:00:00Z",
	"date":      "2025-01-01",
	"time":      "00:00:00Z",
	"duration":  "P1D",
	"uuid":      "00000000-0000-4000-8000-000000000001",
	"email":     "someone@example.com", "idn-email": "someone@example.com",
	"hostname": "example.com", "idn-hostname": "example.com",
	"uri": "https://example.com/", "iri": "https://example.com/", "url": "https://example.com/",
	"uri-reference": "/", "iri-reference": "/", "uri-template": "/{id}",
	"ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"byte": "AA==", "binary": "0", "json-pointer": "/a", "regex": ".*",
	"int32": "1", "int64": "1", "decimal": "1.00",
}

func madeString(t *together) string {
	least, most := uint64(0), uint64(math.MaxUint64)
	text := "text"
	for _, s := range t.all() {
		least = max(least, s.MinLength)
		if s.MaxLength != nil {
			most = min(most, *s.MaxLength)
		}
	}
	for _, s := range t.all() {
		if known, ok := formatted[s.Format]; ok {
			text = known
		}
	}
	for _, s := range t.all() {
		if s.Pattern == "" {
			continue
		}
		if matching, ok := fromPattern(s.Pattern, least); ok {
			return matching
		}
	}
	const longest = 10_000 // a description may ask for more than anybody wants to see
	if n := uint64(len(text)); n < least && least <= longest {
		text += strings.Repeat("x", int(least-n))
	}
	if uint64(len(text)) > most {
		text = text[:most]
	}
	return text
}
