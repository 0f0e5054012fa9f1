package selector

import (
	"strconv"
	"strings"
)

// draftToRFC writes a query of draft-goessner-dispatch-jsonpath-00 as one of RFC
// 9535 that finds the same. The draft leaves its filters and scripts to "the
// underlying script engine"; supported are the comparisons that RFC 9535 has,
// === and !==, and the script (@.length-n). Anything else is an
// *UnsupportedError here or when the result is parsed.
func draftToRFC(text string) (string, error) {
	var out strings.Builder
	if text != "" && text[0] != '$' {
		return "", &UnsupportedError{Message: "a query of draft-goessner-dispatch-jsonpath-00 without a leading $ is not supported; write $." + text}
	}
	for i := 0; i < len(text); {
		rest := text[i:]
		switch {
		case text[i] == '\'' || text[i] == '"':
			end := quotedEnd(rest)
			out.WriteString(rest[:end])
			i += end
		case strings.HasPrefix(rest, "===") || strings.HasPrefix(rest, "!=="):
			out.WriteString(rest[:2])
			i += 3
		case rest[0] == '[' && strings.HasPrefix(strings.TrimLeft(rest[1:], " "), "("):
			index, length, err := lengthScript(rest, i)
			if err != nil {
				return "", err
			}
			out.WriteString("[" + index + "]")
			i += length
		case strings.HasPrefix(rest, ".length") && (len(rest) == len(".length") || !isNameByte(rest[len(".length")])) && insideBracket(text[:i]):
			return "", &UnsupportedError{Offset: i, Message: "`.length` in a filter of draft-goessner-dispatch-jsonpath-00 is not supported; " +
				"with version rfc9535 write length(@.list)"}
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	return out.String(), nil
}

// quotedEnd gives the length of the quoted text that s begins with.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// lengthScript reads [(@.length-n)] and gives the index that it stands for.
func lengthScript(s string, offset int) (index string, length int, err error) {
	end := strings.IndexByte(s, ']')
	if end > 0 {
		script := strings.ReplaceAll(s[1:end], " ", "")
		script, isScript := strings.CutPrefix(script, "(@.length-")
		count, closed := strings.CutSuffix(script, ")")
		if n, convErr := strconv.ParseUint(count, 10, 31); isScript && closed && convErr == nil && n > 0 {
			return "-" + strconv.FormatUint(n, 10), end + 1, nil
		}
	}
	return "", 0, &UnsupportedError{Offset: offset, Message: "of the scripts of draft-goessner-dispatch-jsonpath-00 only (@.length-1), (@.length-2) and so on are supported"}
}

func insideBracket(before string) bool {
	depth := 0
	for i := 0; i < len(before); i++ {
		switch before[i] {
		case '\'', '"':
			i += quotedEnd(before[i:]) - 1
		case '[':
			depth++
		case ']':
			depth--
		}
	}
	return depth > 0
}
