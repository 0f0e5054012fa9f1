package source

import (
	"errors"
	"fmt"
	"net/textproto"
	"strings"
)

// framing holds the fields that say how a message is carried, not what it says.
// They follow from the request; a document that sets them would break it.
var framing = map[string]bool{
	"Connection":        true,
	"Content-Length":    true,
	"Expect":            true,
	"Host":              true,
	"Http2-Settings":    true,
	"Keep-Alive":        true,
	"Proxy-Connection":  true,
	"Te":                true,
	"Trailer":           true,
	"Transfer-Encoding": true,
	"Upgrade":           true,
}

// FieldNameFault tells why no request can have a header field of that name.
func FieldNameFault(name string) error {
	switch {
	case !IsToken(name):
		return errors.New("this is not the name of a header field")
	case framing[textproto.CanonicalMIMEHeaderKey(name)]:
		return errors.New("this field says how the request is carried and cannot be set")
	}
	return nil
}

// FieldTextFault tells why a text cannot be the value of a header field, or stand in it.
func FieldTextFault(text string) error {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return fmt.Errorf("its value holds the control character 0x%02x, which no header field can carry", c)
		}
	}
	return nil
}

// IsToken tells whether s is a token (RFC 9110, section 5.6.2).
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}
