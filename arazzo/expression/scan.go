package expression

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// The character classes of the grammar (Arazzo 1.1, Runtime Expressions).

func isLetterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isStrictIdentifier is of step ids, workflow ids and source names.
func isStrictIdentifier(c byte) bool { return isLetterOrDigit(c) || c == '-' || c == '_' }

// isIdentifier is of inputs, outputs and components.
func isIdentifier(c byte) bool { return isStrictIdentifier(c) || c == '.' }

// isToken is of header names (RFC 9110, section 5.6.2).
func isToken(c byte) bool {
	return isLetterOrDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// isPlainChar is of parameter names and operation ids, escapes aside.
func isPlainChar(c byte) bool {
	return c >= ' ' && c != '"' && c != '\\' && c != '{' && c != '}'
}

// isPointerChar is of JSON Pointers. That a tilde begins an escape is checked
// apart.
func isPointerChar(c byte) bool { return c != '{' && c != '}' }

// isAccess is of the names after a dot, in conditions and where dots are
// tolerated. The grammar of conditions does not say; all that JSON members are
// commonly made of, and no operator, is taken.
func isAccess(c byte) bool { return isStrictIdentifier(c) || c == '@' || c >= utf8.RuneSelf }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// operators are those of conditions that end an expression, the longer first.
var operators = [...]string{"==", "!=", "<=", ">=", "&&", "||", "<", ">"}

// operatorAt gives the operator that s begins with, or nothing. A lone '=', '!',
// '&' or '|' is none: it may belong to a name or pointer.
func operatorAt(s string) string {
	if s == "" || strings.IndexByte("=!<>&|", s[0]) < 0 {
		return ""
	}
	for _, operator := range operators {
		if strings.HasPrefix(s, operator) {
			return operator
		}
	}
	return ""
}

func span(s string, class func(byte) bool) int {
	n := 0
	for n < len(s) && class(s[n]) {
		n++
	}
	return n
}

// quoteRune writes the character that s begins with, for messages.
func quoteRune(s string) string {
	r, _ := utf8.DecodeRuneInString(s)
	return strconv.QuoteRune(r)
}

// clip shortens a text that messages quote.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
