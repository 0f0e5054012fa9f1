package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// writing is one schema on its way to JSON Schema 2020-12.
type writing struct {
	*translation
	node   *node
	at     cursor
	exempt *exemption
	depth  int
}

// keywords writes what the schema says.
func (w *writing) keywords() {
	v := w.at.value
	if ref, ok := v.Get("$ref").Str(); ok {
		w.reference("$ref", ref)
		if w.dialect != draft202012 { // what stands beside a reference means nothing there
			w.nullable()
			return
		}
	}
	for _, m := range v.Members() {
		if write := w.writer(m.Name); write != nil {
			write(w, m.Name, m.Value)
		}
	}
	w.exclusive("minimum", "exclusiveMinimum")
	w.exclusive("maximum", "exclusiveMaximum")
	if w.dialect != draft202012 {
		w.nullable()
	}
}

// writer gives what writes a keyword; nil for one that asserts nothing.
func (w *writing) writer(keyword string) func(*writing, string, value.Value) {
	switch keyword {
	case "type":
		return (*writing).types
	case "enum":
		return (*writing).enum
	case "format":
		return (*writing).format
	case "pattern":
		return (*writing).pattern
	case "required":
		return (*writing).required
	case "multipleOf":
		return (*writing).multiple
	case "minimum", "maximum":
		return (*writing).number
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return (*writing).count
	case "uniqueItems":
		return (*writing).flag
	case "properties":
		return (*writing).named
	case "additionalProperties":
		return (*writing).others
	case "items", "not":
		return (*writing).one
	case "allOf", "anyOf", "oneOf":
		return (*writing).list
	}
	if w.dialect == draft202012 {
		return writer2020(keyword)
	}
	return nil
}

// writer2020 does so for what JSON Schema 2020-12 has besides OpenAPI 3.0.
func writer2020(keyword string) func(*writing, string, value.Value) {
	switch keyword {
	case "const":
		return (*writing).constant
	case "minContains", "maxContains":
		return (*writing).count
	case "dependentRequired":
		return (*writing).dependentRequired
	case "patternProperties":
		return (*writing).patterns
	case "dependentSchemas":
		return (*writing).named
	case "prefixItems":
		return (*writing).list
	case "contains", "propertyNames", "if", "unevaluatedItems", "unevaluatedProperties":
		return (*writing).one
	case "then", "else":
		return (*writing).branch
	case "$dynamicRef":
		return (*writing).dynamic
	default:
		return nil
	}
}

func (w *writing) leaveOut(keyword, reason string) {
	w.node.skip(w.at.in(keyword).place, reason)
}

func (w *writing) reference(keyword, ref string) {
	target := w.at.target(ref, maxHops)
	if target.isAbsent() {
		w.leaveOut(keyword, "the reference leads nowhere")
		return
	}
	w.node.one("$ref", w.define(target))
}

// dynamic takes a dynamic reference for a plain one. Where several schemas bear
// the anchor, which one is meant depends on the way there.
func (w *writing) dynamic(keyword string, v value.Value) {
	ref, ok := v.Str()
	name, local := strings.CutPrefix(ref, "#")
	if !ok || !local || w.at.value.Get("$ref").Kind() == value.KindString {
		w.leaveOut(keyword, "a dynamic reference that is not understood")
		return
	}
	if !strings.HasPrefix(name, "/") && w.anchorsNamed(name) != 1 {
		w.leaveOut(keyword, "a dynamic reference to more than one place")
		return
	}
	w.reference(keyword, ref)
}

func (w *writing) anchorsNamed(name string) int {
	found, left := 0, maxSteps
	var walk func(v value.Value)
	walk = func(v value.Value) {
		if left--; left < 0 {
			found = 2
			return
		}
		if v.Get("$dynamicAnchor").Text() == name {
			found++
		}
		for _, m := range v.Members() {
			walk(m.Value)
		}
		for _, item := range v.Items() {
			walk(item)
		}
	}
	walk(w.at.files.File(w.at.place.Location))
	return found
}

// nullable lets null pass where a schema of OpenAPI 3.0 says so.
func (w *writing) nullable() {
	keyword := "nullable"
	if w.dialect == swagger {
		keyword = "x-nullable"
	}
	if is, _ := w.at.value.Get(keyword).Bool(); !is {
		return
	}
	n := w.node
	for _, e := range n.entries {
		if e.nodes != nil && inPlace[e.keyword] {
			rest := w.add()
			rest.entries, rest.weak, rest.patterns = n.entries, n.weak, n.patterns
			null := w.add()
			null.data("type", value.String("null"))
			n.entries, n.patterns = nil, 0
			n.list("anyOf", rest, null)
			return
		}
	}
	if e := n.get("type"); e != nil {
		e.data = value.Array(append(slices.Clone(e.data.Items()), value.String("null"))...)
	}
	if e := n.get("enum"); e != nil {
		e.data = value.Array(append(slices.Clone(e.data.Items()), value.Null)...)
	}
}

func index(i int) string { return strconv.Itoa(i) }
