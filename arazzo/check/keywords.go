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

var typeNames = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

func (w *writing) types(keyword string, v value.Value) {
	names := v.Items()
	if v.Kind() == value.KindString {
		names = []value.Value{v}
	}
	var kept []value.Value
	for _, name := range names {
		if text, ok := name.Str(); !ok || !slices.Contains(typeNames, text) {
			w.leaveOut(keyword, "a type that is not known")
			return
		}
		kept = append(kept, name)
	}
	if len(kept) == 0 || len(kept) > len(typeNames) {
		w.leaveOut(keyword, "no type")
		return
	}
	w.node.data(keyword, value.Array(kept...))
}

func (w *writing) enum(keyword string, v value.Value) {
	if v.Len() == 0 || v.Kind() != value.KindArray || !isSane(v) {
		w.leaveOut(keyword, "no list of values")
		return
	}
	w.node.data(keyword, v)
}

func (w *writing) constant(keyword string, v value.Value) {
	if !isSane(v) {
		w.leaveOut(keyword, "a number beyond the limit")
		return
	}
	w.node.data(keyword, v)
}

// formats are those that are held against values: what they mean is agreed, and
// who names one means it.
var formats = []string{"date", "date-time", "uuid", "ipv4", "ipv6"}

func (w *writing) format(keyword string, v value.Value) {
	switch name, _ := v.Str(); {
	case slices.Contains(formats, name):
		w.node.data(keyword, v)
	case name == "int32":
		w.within("-2147483648", "2147483647")
	case name == "int64":
		w.within("-9223372036854775808", "9223372036854775807")
	}
}

func (w *writing) within(least, most string) {
	limits := w.add()
	for _, limit := range [][2]string{{"minimum", least}, {"maximum", most}} {
		if n, err := value.Number(limit[1]); err == nil {
			limits.data(limit[0], n)
		}
	}
	w.node.list("allOf", limits)
}

func (w *writing) pattern(keyword string, v value.Value) {
	text, ok := v.Str()
	count, readable := instructions(text)
	if !ok || !readable {
		w.leaveOut(keyword, "the pattern cannot be read without backtracking")
		return
	}
	w.node.patterns += count
	w.node.data(keyword, v)
}

func (w *writing) required(keyword string, v value.Value) {
	names, ok := texts(v)
	if !ok {
		w.leaveOut(keyword, "no list of names")
		return
	}
	w.node.data(keyword, w.demanded(names))
}

// demanded writes the names of those that this side has to give.
func (w *writing) demanded(names []string) value.Value {
	var kept []value.Value
	for _, name := range names {
		if w.exempt.has(name) {
			w.node.weak = true
			continue
		}
		kept = append(kept, value.String(name))
	}
	return value.Array(kept...)
}

func (w *writing) dependentRequired(keyword string, v value.Value) {
	var members []value.Member
	for _, m := range v.Members() {
		names, ok := texts(m.Value)
		if !ok {
			w.leaveOut(keyword, "no lists of names")
			return
		}
		members = append(members, value.Member{Name: m.Name, Value: w.demanded(names)})
	}
	w.node.data(keyword, value.Object(members...))
}

func (w *writing) number(keyword string, v value.Value) {
	if v.Kind() != value.KindNumber || !isSane(v) {
		w.leaveOut(keyword, "no number within the limits")
		return
	}
	w.node.data(keyword, v)
}

func (w *writing) multiple(keyword string, v value.Value) {
	text, ok := v.NumberText()
	if !ok || !isSane(v) || strings.HasPrefix(text, "-") || strings.Trim(mantissa(text), "0.") == "" {
		w.leaveOut(keyword, "no number above 0")
		return
	}
	w.node.data(keyword, v)
}

// count writes a limit of a length. One that no text or list can reach says nothing.
func (w *writing) count(keyword string, v value.Value) {
	const reachable = 1 << 31
	n, ok := v.Int64()
	if text, isNumber := v.NumberText(); isNumber && !ok && strings.HasPrefix(keyword, "max") && !strings.HasPrefix(text, "-") {
		return
	}
	if !ok || n < 0 {
		w.leaveOut(keyword, "no count")
		return
	}
	w.node.data(keyword, value.Int(min(n, reachable)))
}

func (w *writing) flag(keyword string, v value.Value) {
	if v.Kind() != value.KindBool {
		w.leaveOut(keyword, "neither true nor false")
		return
	}
	w.node.data(keyword, v)
}

// exclusive writes the limit that a value must not reach: in OpenAPI 3.0 a flag
// beside the limit, else a number.
func (w *writing) exclusive(limit, keyword string) {
	v := w.at.value.Get(keyword)
	if v.IsAbsent() {
		return
	}
	is, isFlag := v.Bool()
	switch {
	case !isFlag:
		w.number(keyword, v)
	case is:
		if inclusive := w.node.get(limit); inclusive != nil {
			inclusive.keyword = keyword
		}
	}
}

// inPlace are the keywords whose schemas judge the same value.
var inPlace = map[string]bool{
	"allOf": true, "anyOf": true, "oneOf": true, "not": true, "if": true, "then": true, "else": true,
	"dependentSchemas": true, "$ref": true,
}

// child reads a schema beneath a keyword.
func (w *writing) child(keyword string, at cursor) *node {
	if inPlace[keyword] {
		return w.schema(at, w.exempt, w.depth+1)
	}
	return w.schema(at, nil, w.depth+1)
}

func (w *writing) one(keyword string, _ value.Value) {
	w.node.one(keyword, w.child(keyword, w.at.in(keyword)))
}

// branch writes one that a condition leads to, if there is any.
func (w *writing) branch(keyword string, v value.Value) {
	if !w.at.value.Get("if").IsAbsent() {
		w.one(keyword, v)
	}
}

func (w *writing) list(keyword string, v value.Value) {
	if v.Kind() != value.KindArray || v.Len() == 0 {
		w.leaveOut(keyword, "no list of schemas")
		return
	}
	children := make([]*node, v.Len())
	for i := range children {
		children[i] = w.child(keyword, w.at.in(keyword).in(index(i)))
	}
	w.node.list(keyword, children...)
}

func (w *writing) named(keyword string, v value.Value) {
	if v.Kind() != value.KindObject {
		w.leaveOut(keyword, "no named schemas")
		return
	}
	e := entry{keyword: keyword, names: []string{}, nodes: []*node{}}
	for _, m := range v.Members() {
		e.names = append(e.names, m.Name)
		e.nodes = append(e.nodes, w.child(keyword, w.at.in(keyword).in(m.Name)))
	}
	w.node.entries = append(w.node.entries, e)
}

func (w *writing) patterns(keyword string, v value.Value) {
	for _, m := range v.Members() {
		count, readable := instructions(m.Name)
		if !readable {
			w.leaveOut(keyword, "a pattern cannot be read without backtracking")
			return
		}
		w.node.patterns += count
	}
	w.named(keyword, v)
}

// others writes what holds for properties that are not named. Names that are
// given by patterns which are not understood would be among them.
func (w *writing) others(keyword string, _ value.Value) {
	for _, m := range w.at.value.Get("patternProperties").Members() {
		if _, readable := instructions(m.Name); !readable || w.dialect != draft202012 {
			w.leaveOut(keyword, "depends on patternProperties, which are not understood here")
			return
		}
	}
	w.one(keyword, value.Absent)
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

func texts(v value.Value) ([]string, bool) {
	names := make([]string, 0, v.Len())
	for _, item := range v.Items() {
		name, ok := item.Str()
		if !ok {
			return nil, false
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, v.Kind() == value.KindArray
}

func index(i int) string { return strconv.Itoa(i) }
