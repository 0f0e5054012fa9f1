package idempotency

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Format is how a key is written into its header field.
type Format string

// The formats.
const (
	// Raw: the key itself.
	Raw Format = "raw"
	// SFString: a String of Structured Fields (RFC 9651, section 3.3.3), in quotes.
	SFString Format = "sf-string"
	// UUID: a UUID in its form of 36 characters (RFC 9562, section 4).
	UUID Format = "uuid"
)

// ErrKey tells that a key breaks the rules of its dialect.
var ErrKey = errors.New("idempotency key refused")

// Encode writes a key as the dialect wants it. The error wraps ErrKey, says which
// rule is broken, and does not hold the key.
func (d Dialect) Encode(key string) (Key, error) {
	if err := d.limits(key); err != nil {
		return Key{}, d.refuse(err)
	}
	switch d.Format {
	case SFString:
		if at := indexNotPrintable(key); at >= 0 {
			return Key{}, d.refuse(fmt.Errorf("byte %d is 0x%02x; the format %s allows printable ASCII only", at, key[at], SFString))
		}
		return Key{Header: d.Header, Value: quote(key)}, nil
	case UUID:
		if !isUUID(key) {
			return Key{}, d.refuse(fmt.Errorf("it is not a UUID of 36 characters, such as %s", uuid.Nil))
		}
	case Raw, "":
	default:
		return Key{}, d.refuse(fmt.Errorf("the format %q is not known; there are %s, %s and %s", d.Format, Raw, SFString, UUID))
	}
	if err := fieldValue(key); err != nil {
		return Key{}, d.refuse(err)
	}
	return Key{Header: d.Header, Value: key}, nil
}

// Accept takes a key that is written already as it goes onto the wire, and
// checks it by the rules of Encode.
func (d Dialect) Accept(wire string) (Key, error) {
	if _, err := d.Decode(wire); err != nil {
		return Key{}, err
	}
	return Key{Header: d.Header, Value: wire}, nil
}

// Decode gives the plain key of a field value, as Encode takes it. The error is like
// that of Encode.
func (d Dialect) Decode(wire string) (key string, err error) {
	key = wire
	if d.Format == SFString {
		var ok bool
		if key, ok = unquote(wire); !ok {
			return "", d.refuse(fmt.Errorf(`the format %s wants the key in double quotes, with \ before each \ and " in it`, SFString))
		}
	}
	if _, err := d.Encode(key); err != nil {
		return "", err
	}
	return key, nil
}

// Companions gives the further header fields that go with a key, for an operation
// whose first attempt was made at first; nil where there are none.
func (d Dialect) Companions(first time.Time) map[string]string {
	if d.FirstSent == "" {
		return nil
	}
	return map[string]string{d.FirstSent: first.UTC().Format(http.TimeFormat)}
}

func (d Dialect) refuse(err error) error {
	return fmt.Errorf("%w: %s (%s): %w", ErrKey, d.Header, d.Name, err)
}

func (d Dialect) limits(key string) error {
	if key == "" {
		return errors.New("the key is empty")
	}
	if d.MaxLength > 0 && len(key) > d.MaxLength {
		return fmt.Errorf("the key has %d characters, at most %d are allowed", len(key), d.MaxLength)
	}
	return nil
}

// fieldValue checks for what a field value may hold (RFC 9110, section 5.5),
// without the bytes above ASCII: recipients differ in what they make of them, and
// a key that arrives changed is another key.
func fieldValue(key string) error {
	if at := indexNotPrintable(key); at >= 0 {
		return fmt.Errorf("byte %d is 0x%02x; a header field holds printable ASCII only", at, key[at])
	}
	if strings.TrimSpace(key) != key {
		return errors.New("it begins or ends with a space, which is lost in a header field")
	}
	return nil
}

func indexNotPrintable(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return i
		}
	}
	return -1
}

func isUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// unquote reads what quote writes; ok is false for anything else.
func unquote(s string) (plain string, ok bool) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			return "", false
		case '\\':
			i++
			if i == len(s) || (s[i] != '\\' && s[i] != '"') {
				return "", false
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}
