package check

import (
	"strconv"
	"strings"
)

// Coding names the content coding of a message (RFC 9110, section 8.4) by its
// fields Content-Encoding, for a message to people. known is false where the coding
// is none of those that are undone when a message is received: the bytes of the
// content then do not say what the Content-Type promises.
func Coding(fields []string) (name string, known bool) {
	name = strings.ToLower(strings.TrimSpace(strings.Join(fields, ", ")))
	switch name {
	case "", "identity", "gzip", "x-gzip":
		return name, true
	}
	const longest = 80
	return strconv.QuoteToASCII(name[:min(len(name), longest)]), false
}
