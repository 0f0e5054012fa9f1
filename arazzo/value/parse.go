package value

import (
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the greatest nesting of arrays and objects that ParseJSON reads.
const MaxDepth = 1000

// ErrTooDeep tells that a text is nested deeper than MaxDepth.
var ErrTooDeep = fmt.Errorf("nested deeper than %d", MaxDepth)

// SyntaxError is a fault of a JSON text.
type SyntaxError struct {
	Offset  int // bytes from the start of the text
	Message string
	// Ambiguous tells that the grammar allows the text, but that it can be read in
	// more than one way.
	Ambiguous bool
}

// Error gives the message with its offset.
func (e *SyntaxError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("JSON that can be read in more than one way: %s at byte %d", e.Message, e.Offset)
	}
	return fmt.Sprintf("JSON: %s at byte %d", e.Message, e.Offset)
}

// ParseJSON reads one JSON text (RFC 8259), keeping the text of numbers and the
// order of members. What could be read in more than one way is an error, as I-JSON
// has it (RFC 7493, section 2): bytes that are not UTF-8, halves of surrogate pairs,
// and two members of one object with one name. It is an error if anything but white
// space follows. Errors are a *SyntaxError or ErrTooDeep.
func ParseJSON(data []byte) (Value, error) {
	r := reader{data: data}
	if len(data) < shareFrom {
		r.whole = string(data)
	}
	r.space()
	v, err := r.value(0)
	if err != nil {
		return Absent, err
	}
	if r.space(); r.at < len(data) {
		return Absent, r.fault("a second value follows the first")
	}
	return v, nil
}

// reader walks through one JSON text. Of a short one it keeps the whole, and what is
// read is a part of it. Of a long one it copies what it keeps, so that a small value
// does not hold a large text in memory.
type reader struct {
	data  []byte
	whole string // empty: the text is long
	at    int
	names map[string]string // names seen before, so that a list of like objects shares them
	// members and items are those of the objects and arrays that have not ended, the
	// innermost last.
	members []Member
	items   []Value
}

const (
	// shareFrom is the length from which a text is long.
	shareFrom = 1 << 10
	// sharedNames bounds the map of names.
	sharedNames = 256
	// openMembers is for how many members there is room at first.
	openMembers = 8
)

// part gives the text from one place to another.
func (r *reader) part(from, to int) string {
	if r.whole != "" {
		return r.whole[from:to]
	}
	return string(r.data[from:to])
}

func (r *reader) fault(message string) error {
	if r.at >= len(r.data) {
		message = "the text ends too early"
	}
	return &SyntaxError{Offset: r.at, Message: message}
}

// ambiguous gives the fault of what has no one meaning.
func (r *reader) ambiguous(message string) error {
	return &SyntaxError{Offset: r.at, Message: message, Ambiguous: true}
}

func (r *reader) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return
		}
	}
}

// peek gives the byte ahead; 0, which begins nothing, at the end.
func (r *reader) peek() byte {
	if r.at < len(r.data) {
		return r.data[r.at]
	}
	return 0
}

func (r *reader) value(depth int) (Value, error) {
	if depth > MaxDepth {
		return Absent, ErrTooDeep
	}
	switch c := r.peek(); c {
	case '{':
		return r.object(depth)
	case '[':
		return r.array(depth)
	case '"':
		text, err := r.text()
		return String(text), err
	case 't':
		return r.word("true", Bool(true))
	case 'f':
		return r.word("false", Bool(false))
	case 'n':
		return r.word("null", Null)
	default:
		return r.number()
	}
}

func (r *reader) word(word string, v Value) (Value, error) {
	for i := 0; i < len(word); i++ {
		if r.peek() != word[i] {
			return Absent, r.fault("expected " + word)
		}
		r.at++
	}
	return v, nil
}

func (r *reader) number() (Value, error) {
	n := scanNumber(r.data[r.at:])
	if n == 0 {
		if c := r.peek(); c == '-' || c >= '0' && c <= '9' {
			return Absent, r.fault("a number that is malformed or out of range")
		}
		return Absent, r.fault("expected a value")
	}
	text := r.part(r.at, r.at+n)
	r.at += n
	return Value{kind: KindNumber, text: text}, nil
}

func (r *reader) array(depth int) (Value, error) {
	first := len(r.items)
	r.at++
	if r.space(); r.peek() == ']' {
		r.at++
		return Array(), nil
	}
	for {
		item, err := r.value(depth + 1)
		if err != nil {
			return Absent, err
		}
		r.items = append(r.items, item)
		r.space()
		switch r.peek() {
		case ',':
			r.at++
			r.space()
		case ']':
			r.at++
			items := slices.Clone(r.items[first:])
			r.items = r.items[:first]
			return Array(items...), nil
		default:
			return Absent, r.fault("expected ',' or ']'")
		}
	}
}

func (r *reader) object(depth int) (Value, error) {
	if r.members == nil {
		r.members = make([]Member, 0, openMembers)
	}
	first := len(r.members)
	r.at++
	if r.space(); r.peek() == '}' {
		r.at++
		return Object(), nil
	}
	for {
		m, err := r.member(depth)
		if err != nil {
			return Absent, err
		}
		r.members = append(r.members, m)
		r.space()
		switch r.peek() {
		case ',':
			r.at++
			r.space()
		case '}':
			members := slices.Clone(r.members[first:])
			r.members = r.members[:first]
			v := Object(members...)
			if v.Len() < len(members) {
				return Absent, r.ambiguous("the name of a member stands twice in the object that ends")
			}
			r.at++
			return v, nil
		default:
			return Absent, r.fault("expected ',' or '}'")
		}
	}
}

func (r *reader) member(depth int) (Member, error) {
	if r.peek() != '"' {
		return Member{}, r.fault("expected a member's name in double quotes")
	}
	name, err := r.name()
	if err != nil {
		return Member{}, err
	}
	if r.space(); r.peek() != ':' {
		return Member{}, r.fault("expected ':'")
	}
	r.at++
	r.space()
	v, err := r.value(depth + 1)
	return Member{Name: name, Value: v}, err
}

// name reads a member's name, sharing the text of those that came before.
func (r *reader) name() (string, error) {
	end := r.plainEnd()
	if end == len(r.data) || r.data[end] != '"' {
		return r.text()
	}
	from := r.at + 1
	r.at = end + 1
	if r.whole != "" {
		return r.whole[from:end], nil
	}
	if known, ok := r.names[string(r.data[from:end])]; ok {
		return known, nil
	}
	name := string(r.data[from:end])
	if r.names == nil {
		r.names = make(map[string]string)
	}
	if len(r.names) < sharedNames {
		r.names[name] = name
	}
	return name, nil
}

// plainEnd gives where the string at hand stops being plain ASCII without an
// escape: at its closing quote, for most strings.
func (r *reader) plainEnd() int {
	i := r.at + 1
	for i < len(r.data) {
		if c := r.data[i]; c == '"' || c == '\\' || c < ' ' || c >= utf8.RuneSelf {
			return i
		}
		i++
	}
	return i
}

func (r *reader) text() (string, error) {
	end := r.plainEnd()
	if end < len(r.data) && r.data[end] == '"' {
		text := r.part(r.at+1, end)
		r.at = end + 1
		return text, nil
	}
	decoded := append([]byte(nil), r.data[r.at+1:end]...)
	for r.at = end; r.at < len(r.data); {
		switch c := r.data[r.at]; {
		case c == '"':
			r.at++
			return string(decoded), nil
		case c == '\\':
			r.at++
			char, err := r.escape()
			if err != nil {
				return "", err
			}
			decoded = utf8.AppendRune(decoded, char)
		case c < ' ':
			return "", r.fault("a control character in a string is written as an escape")
		default:
			char, size := utf8.DecodeRune(r.data[r.at:])
			if char == utf8.RuneError && size == 1 {
				return "", r.ambiguous("there is text that is not UTF-8")
			}
			decoded = utf8.AppendRune(decoded, char)
			r.at += size
		}
	}
	return "", r.fault("")
}

// escape reads what follows a backslash.
func (r *reader) escape() (rune, error) {
	c := r.peek()
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return r.unicodeEscape()
	default:
		return 0, r.fault(`expected one of "\/bfnrtu after a backslash`)
	}
	r.at++
	return rune(c), nil
}

// unicodeEscape reads uXXXX, and the second half of a surrogate pair after it.
func (r *reader) unicodeEscape() (rune, error) {
	first, ok := hexUnit(r.data[r.at+1:])
	if !ok {
		return 0, r.fault("expected four hexadecimal digits after \\u")
	}
	if !utf16.IsSurrogate(first) {
		r.at += 5
		return first, nil
	}
	rest := r.data[r.at+5:]
	if len(rest) >= 2 && rest[0] == '\\' && rest[1] == 'u' {
		second, ok := hexUnit(rest[2:])
		if !ok {
			r.at += 6
			return 0, r.fault("expected four hexadecimal digits after \\u")
		}
		if pair := utf16.DecodeRune(first, second); pair != utf8.RuneError {
			r.at += 11
			return pair, nil
		}
	}
	return 0, r.ambiguous("there is half of a surrogate pair")
}

func hexUnit(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var n rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		n = n<<4 | rune(c)
	}
	return n, true
}
