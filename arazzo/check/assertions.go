package check

import (
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

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
