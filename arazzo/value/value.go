package value

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Kind tells which of the seven kinds a Value is of.
type Kind uint8

// The kinds. The zero Value is Absent: the thing asked for is not there.
const (
	KindAbsent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String gives the kind's name as JSON Schema writes it, or "absent".
func (k Kind) String() string {
	names := [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Value is one exact value. It is immutable and safe to share between
// goroutines; the zero Value is absent.
type Value struct {
	kind Kind
	text string // the string, the number as written, or "true" or "false"
	tree *tree  // elements or members
}

type tree struct {
	items   []Value
	members []Member
	index   map[string]int // only for objects with many members
}

// Member is one named value of an object.
type Member struct {
	Name  string
	Value Value
}

// indexFrom is the member count from which a map is quicker than a walk.
const indexFrom = 12

// Absent is the value that is not there.
var Absent = Value{}

// Null is JSON's null.
var Null = Value{kind: KindNull}

// Bool gives true or false as a value.
func Bool(b bool) Value { return Value{kind: KindBool, text: strconv.FormatBool(b)} }

// String gives s as a value. Its bytes are kept even where they are not UTF-8.
func String(s string) Value { return Value{kind: KindString, text: s} }

// Int gives i as a number.
func Int(i int64) Value { return Value{kind: KindNumber, text: strconv.FormatInt(i, 10)} }

// Number gives the number that text writes, keeping the text. It is an error
// if text is not a JSON number (RFC 8259, section 6), or has an exponent of more
// than 18 digits.
func Number(text string) (Value, error) {
	if !isNumber(text) {
		return Absent, numberError(text)
	}
	return Value{kind: KindNumber, text: text}, nil
}

// numberError tells that a text is not a number. Whether it is one is asked of many
// texts of which nobody wants to be told.
type numberError string

func (e numberError) Error() string { return fmt.Sprintf("%q is not a number", string(e)) }

// Array gives a list of the given elements. The slice must not be changed
// afterwards. An absent element is not allowed and becomes null.
func Array(items ...Value) Value {
	for i := range items {
		if items[i].kind == KindAbsent {
			items[i] = Null
		}
	}
	return Value{kind: KindArray, tree: &tree{items: items}}
}

// Object gives an object of the given members in their order. The slice must
// not be changed afterwards. Members that are absent are left out; of two with
// one name the last value wins, at the place of the first.
func Object(members ...Member) Value {
	kept := members[:0:len(members)]
	var index map[string]int
	if len(members) >= indexFrom {
		index = make(map[string]int, len(members))
	}
	for _, m := range members {
		if m.Value.kind == KindAbsent {
			continue
		}
		if at := find(kept, index, m.Name); at >= 0 {
			kept[at].Value = m.Value
			continue
		}
		if index != nil {
			index[m.Name] = len(kept)
		}
		kept = append(kept, m)
	}
	return Value{kind: KindObject, tree: &tree{members: kept, index: index}}
}

func find(members []Member, index map[string]int, name string) int {
	if index != nil {
		if at, ok := index[name]; ok {
			return at
		}
		return -1
	}
	for i := range members {
		if members[i].Name == name {
			return i
		}
	}
	return -1
}

// Kind tells what v is.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent tells whether v is not there.
func (v Value) IsAbsent() bool { return v.kind == KindAbsent }

// IsNull tells whether v is there and null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// IsNothing tells whether v is absent or null.
func (v Value) IsNothing() bool { return v.kind <= KindNull }

// IsScalar tells whether v is null, a boolean, a number or a string.
func (v Value) IsScalar() bool { return v.kind >= KindNull && v.kind <= KindString }

// Bool gives the boolean that v is, and whether it is one.
func (v Value) Bool() (value, ok bool) {
	return v.kind == KindBool && v.text == "true", v.kind == KindBool
}

// Str gives the string that v is, and whether it is one.
func (v Value) Str() (string, bool) {
	if v.kind != KindString {
		return "", false
	}
	return v.text, true
}

// NumberText gives the number that v is as it was written, and whether it is one.
func (v Value) NumberText() (string, bool) {
	if v.kind != KindNumber {
		return "", false
	}
	return v.text, true
}

// Int64 gives the number that v is where it is an integer that fits.
func (v Value) Int64() (int64, bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	i, err := strconv.ParseInt(v.text, 10, 64)
	return i, err == nil
}

// Len gives the count of elements or members; 0 for anything else.
func (v Value) Len() int {
	if v.tree == nil {
		return 0
	}
	return len(v.tree.items) + len(v.tree.members)
}

// Items gives the elements of an array; nil for anything else. The slice must
// not be changed.
func (v Value) Items() []Value {
	if v.kind != KindArray {
		return nil
	}
	return v.tree.items
}

// Members gives the members of an object in order; nil for anything else. The
// slice must not be changed.
func (v Value) Members() []Member {
	if v.kind != KindObject {
		return nil
	}
	return v.tree.members
}

// Get gives the named member of an object, else Absent.
func (v Value) Get(name string) Value {
	if v.kind != KindObject {
		return Absent
	}
	if at := find(v.tree.members, v.tree.index, name); at >= 0 {
		return v.tree.members[at].Value
	}
	return Absent
}

// At gives the element of an array at a position from 0, else Absent.
func (v Value) At(i int) Value {
	if v.kind != KindArray || i < 0 || i >= len(v.tree.items) {
		return Absent
	}
	return v.tree.items[i]
}

// IsUTF8 tells whether all text in v, the names of members included, is UTF-8. Text
// that is not comes from content that is not JSON; JSON cannot write it.
func (v Value) IsUTF8() bool {
	for _, item := range v.Items() {
		if !item.IsUTF8() {
			return false
		}
	}
	for _, m := range v.Members() {
		if !utf8.ValidString(m.Name) || !m.Value.IsUTF8() {
			return false
		}
	}
	return v.kind != KindString || utf8.ValidString(v.text)
}

// Text gives v as it is embedded in a string: a string as it is, other scalars
// as JSON writes them, an object or array as compact JSON, absent as nothing.
func (v Value) Text() string {
	switch v.kind {
	case KindAbsent:
		return ""
	case KindNull:
		return "null"
	case KindBool, KindNumber, KindString:
		return v.text
	default:
		return string(AppendJSON(nil, v))
	}
}

// String gives v as compact JSON, for messages; "absent" where it is not there.
func (v Value) String() string {
	if v.kind == KindAbsent {
		return "absent"
	}
	return string(AppendJSON(nil, v))
}
