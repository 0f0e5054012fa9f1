package arazzo

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// maxRadixDigits is the greatest count of digits of a hexadecimal or octal integer.
const maxRadixDigits = 1000

// resolvePlain gives the kind and text of a scalar written without quotes, by
// the core schema of YAML 1.2 (section 10.3.2). It is an error where JSON has no
// such value.
func resolvePlain(s string) (value.Kind, string, error) {
	switch s {
	case "", "~", "null", "Null", "NULL":
		return value.KindNull, "null", nil
	case "true", "True", "TRUE":
		return value.KindBool, "true", nil
	case "false", "False", "FALSE":
		return value.KindBool, "false", nil
	}
	if isInfinite(s) {
		return value.KindString, s, fmt.Errorf("%s is a number that JSON does not have; quote it if the text is meant", s)
	}
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0o") {
		return resolveRadix(s)
	}
	if number, ok := decimal(s); ok {
		return value.KindNumber, number, nil
	}
	return value.KindString, s, nil
}

// isInfinite tells whether s is an infinity or not-a-number of the core schema.
func isInfinite(s string) bool {
	switch s {
	case ".nan", ".NaN", ".NAN":
		return true
	}
	switch strings.TrimLeft(s, "+-") {
	case ".inf", ".Inf", ".INF":
		return len(s) <= len("-.inf")
	}
	return false
}

// resolveRadix reads 0x1F and 0o17 as decimal integers; anything else that
// begins like them is a string.
func resolveRadix(s string) (value.Kind, string, error) {
	base := 16
	if s[1] == 'o' {
		base = 8
	}
	for i := 2; i < len(s); i++ {
		if !isHex(s[i]) || hexDigit(s[i]) >= base {
			return value.KindString, s, nil
		}
	}
	if len(s) == 2 {
		return value.KindString, s, nil
	}
	if len(s) > maxRadixDigits+2 {
		return value.KindString, s, fmt.Errorf("the number has more than %d digits", maxRadixDigits)
	}
	n, _ := new(big.Int).SetString(s[2:], base)
	return value.KindNumber, n.String(), nil
}

// decimal gives the JSON number for a decimal of the core schema: s itself where
// it is one already, otherwise another text of the same value.
func decimal(s string) (string, bool) {
	if s[0] > '9' || s[0] < '+' {
		return "", false
	}
	if _, err := value.Number(s); err == nil {
		return s, true
	}
	rest, sign := s, ""
	if rest[0] == '+' || rest[0] == '-' {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	whole, rest := cutDigits(rest)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		fraction, rest = cutDigits(rest[1:])
	}
	if whole == "" && fraction == "" {
		return "", false
	}
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	number := sign + whole
	if fraction != "" {
		number += "." + fraction
	}
	number += rest // an exponent, or what makes it no number
	_, err := value.Number(number)
	return number, err == nil
}

func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// resolveTagged gives the kind and text of a scalar that carries a tag of JSON's
// kinds.
func resolveTagged(tag, s string) (value.Kind, string, error) {
	if tag == "!!str" {
		return value.KindString, s, nil
	}
	wanted, ok := map[string]value.Kind{
		"!!null": value.KindNull, "!!bool": value.KindBool, "!!int": value.KindNumber, "!!float": value.KindNumber,
	}[tag]
	if !ok {
		return value.KindString, s, errTag(tag)
	}
	kind, text, err := resolvePlain(s)
	if err != nil {
		return value.KindString, s, err
	}
	if kind != wanted || tag == "!!int" && strings.ContainsAny(text, ".eE") {
		return value.KindString, s, fmt.Errorf("%s is not what the tag %s says", quote(s), tag)
	}
	return kind, text, nil
}

// errTag tells that a tag names a kind that JSON does not have.
func errTag(tag string) error {
	return fmt.Errorf("the tag %s has no meaning in JSON; remove it, or quote the text if no tag is meant", shorten(tag))
}
