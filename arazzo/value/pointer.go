package value

import (
	"fmt"
	"strconv"
	"strings"
)

// Pointer is a parsed JSON Pointer (RFC 6901): its reference tokens, unescaped.
// The empty Pointer names the whole value.
type Pointer []string

// ParsePointer reads a JSON Pointer. It is an error if text is neither empty
// nor begins with a slash, or holds a tilde that escapes nothing.
func ParsePointer(text string) (Pointer, error) {
	if text == "" {
		return nil, nil
	}
	if text[0] != '/' {
		return nil, fmt.Errorf("a JSON Pointer begins with '/', this is %q", text)
	}
	tokens := strings.Split(text[1:], "/")
	for i, token := range tokens {
		if !strings.Contains(token, "~") {
			continue
		}
		plain, err := unescapeToken(token)
		if err != nil {
			return nil, err
		}
		tokens[i] = plain
	}
	return tokens, nil
}

func unescapeToken(token string) (string, error) {
	for i := 0; i < len(token); i++ {
		if token[i] == '~' && (i+1 == len(token) || (token[i+1] != '0' && token[i+1] != '1')) {
			return "", fmt.Errorf("in a JSON Pointer '~' is written '~0' and '/' is written '~1', this is %q", token)
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), nil
}

// EscapeToken writes one reference token so that it can stand in a JSON Pointer.
func EscapeToken(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}

// String writes p as a JSON Pointer.
func (p Pointer) String() string {
	var b strings.Builder
	for _, token := range p {
		b.WriteByte('/')
		b.WriteString(EscapeToken(token))
	}
	return b.String()
}

// In gives what p names in v, else Absent.
func (p Pointer) In(v Value) Value {
	for _, token := range p {
		switch v.kind {
		case KindObject:
			v = v.Get(token)
		case KindArray:
			at, ok := ArrayIndex(token)
			if !ok {
				return Absent
			}
			v = v.At(at)
		default:
			return Absent
		}
	}
	return v
}

// ArrayIndex gives the position that a reference token names in an array: digits
// without a leading zero (RFC 6901, section 4).
func ArrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 1 && token[0] == '0' || digits(token) != len(token) {
		return 0, false
	}
	at, err := strconv.Atoi(token)
	return at, err == nil
}
