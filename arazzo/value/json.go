package value

import "unicode/utf8"

// AppendJSON appends v as compact JSON to dst. Absent is written as null; bytes
// that are not UTF-8 as U+FFFD.
func AppendJSON(dst []byte, v Value) []byte {
	if dst == nil {
		dst = make([]byte, 0, written(v))
	}
	switch v.kind {
	case KindAbsent, KindNull:
		return append(dst, "null"...)
	case KindBool, KindNumber:
		return append(dst, v.text...)
	case KindString:
		return appendString(dst, v.text)
	case KindArray:
		dst = append(dst, '[')
		for i, item := range v.tree.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, item)
		}
		return append(dst, ']')
	default:
		dst = append(dst, '{')
		for i, m := range v.tree.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.Name), ':')
			dst = AppendJSON(dst, m.Value)
		}
		return append(dst, '}')
	}
}

// written gives how many bytes v has as JSON where nothing in it is escaped.
func written(v Value) int {
	const quotes, name = 2, 4 // with the colon and a comma
	n := len(v.text) + quotes
	for _, item := range v.Items() {
		n += written(item) + 1
	}
	for _, m := range v.Members() {
		n += len(m.Name) + name + written(m.Value)
	}
	return n
}

// MarshalJSON writes v as compact JSON; absent as null.
func (v Value) MarshalJSON() ([]byte, error) { return AppendJSON(nil, v), nil }

// UnmarshalJSON reads v as ParseJSON does.
func (v *Value) UnmarshalJSON(data []byte) error {
	read, err := ParseJSON(data)
	*v = read
	return err
}

const hex = "0123456789abcdef"

// appendString writes s as a JSON string, escaping only what RFC 8259 demands.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		if c >= 0x20 && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = appendEscape(append(dst, s[from:i]...), c)
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	default:
		return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
	}
}
