package selector

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// A pattern of XPath (XML Schema's, with ^, $ and reluctant quantifiers) is
// written as one of RE2. What RE2 would read otherwise is refused.

// classes gives what the escapes of XML Schema stand for: outside a character
// class, and within one.
var classes = map[byte]struct{ outside, inside string }{
	'd': {`\p{Nd}`, `\p{Nd}`},
	'D': {`\P{Nd}`, `\P{Nd}`},
	's': {`[ \t\n\r]`, ` \t\n\r`},
	'S': {`[^ \t\n\r]`, ""},
	'w': {`[^\p{P}\p{Z}\p{C}]`, `\p{L}\p{M}\p{N}\p{S}`},
	'W': {`[\p{P}\p{Z}\p{C}]`, `\p{P}\p{Z}\p{C}`},
}

func xpathPattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > MaxTextLength {
		return nil, &LimitError{What: "bytes of a pattern", Limit: MaxTextLength}
	}
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c, rest := pattern[i], pattern[i+1:]
		switch {
		case c == '\\' && rest != "":
			i++
			escaped, err := xpathEscape(pattern[i], class)
			if err != nil {
				return nil, err
			}
			out.WriteString(escaped)
			continue
		case c == '[' && class:
			return nil, errors.New("subtraction of character classes is not supported")
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '(' && strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:"):
			return nil, errors.New("a group with options is not of XPath")
		}
		out.WriteByte(c)
	}
	re, err := regexp.Compile(out.String())
	if err != nil {
		return nil, fmt.Errorf("not a pattern: %w", err)
	}
	return re, nil
}

func xpathEscape(c byte, class bool) (string, error) {
	if both, ok := classes[c]; ok {
		if !class {
			return both.outside, nil
		}
		if both.inside != "" {
			return both.inside, nil
		}
	}
	if strings.IndexByte(`nrt\|.-^?*+{}()[]$pP`, c) < 0 {
		return "", fmt.Errorf(`\%c is not supported in a pattern`, c)
	}
	return `\` + string(c), nil
}

func (x *xpathRun) pattern(v xpathValue) (*regexp.Regexp, error) {
	text, err := x.string(v)
	if err != nil {
		return nil, err
	}
	if err := x.budget.spend(patternCost + len(text)); err != nil {
		return nil, err
	}
	return xpathPattern(text)
}

func callMatches(x *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	text, err := x.string(args[0])
	if err != nil {
		return xpathValue{}, err
	}
	re, err := x.pattern(args[1])
	if err != nil {
		return xpathValue{}, err
	}
	return boolValue(re.MatchString(text)), x.budget.spend(len(text) / 16)
}

func callReplace(x *xpathRun, _ xpathContext, args []xpathValue) (xpathValue, error) {
	text, err := x.string(args[0])
	if err != nil {
		return xpathValue{}, err
	}
	re, err := x.pattern(args[1])
	if err != nil {
		return xpathValue{}, err
	}
	if re.MatchString("") {
		return xpathValue{}, errors.New("the pattern matches the empty string")
	}
	with, err := x.string(args[2])
	if err != nil {
		return xpathValue{}, err
	}
	template, err := xpathReplacement(with, re.NumSubexp())
	if err != nil {
		return xpathValue{}, err
	}
	if err := x.budget.spend(len(text)/16 + len(text)*len(with)/64); err != nil {
		return xpathValue{}, err
	}
	return textValue(re.ReplaceAllString(text, template)), nil
}

// xpathReplacement writes the replacement of replace() as Go's regexp wants it.
func xpathReplacement(with string, groups int) (string, error) {
	var out strings.Builder
	for i := 0; i < len(with); i++ {
		c := with[i]
		switch {
		case c == '\\' && i+1 < len(with) && with[i+1] == '\\':
			i++
			out.WriteByte('\\')
		case c == '\\' && i+1 < len(with) && with[i+1] == '$':
			i++
			out.WriteString("$$")
		case c == '$' && isDigit(with, i+1):
			group, end := int(with[i+1]-'0'), i+1
			for isDigit(with, end+1) && group*10+int(with[end+1]-'0') <= groups {
				end++
				group = group*10 + int(with[end]-'0')
			}
			fmt.Fprintf(&out, "${%d}", group)
			i = end
		case c == '\\' || c == '$':
			return "", errors.New(`in a replacement $ is written \$ and \ is written \\`)
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), nil
}
