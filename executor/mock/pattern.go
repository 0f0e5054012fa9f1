package mock

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// fromPattern gives a string of at least that many characters that matches a
// pattern; ok is false where none is found: the pattern is one that RE2 cannot
// read, or it contradicts the length.
func fromPattern(pattern string, least uint64) (text string, ok bool) {
	const longest = 300
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	matcher, err := regexp.Compile(pattern)
	if err != nil {
		return "", false
	}
	for repeats := 0; repeats <= longest; repeats = repeats*2 + 1 {
		var b strings.Builder
		writeMatch(&b, parsed, repeats)
		text := b.String()
		if n := utf8.RuneCountInString(text); uint64(n) >= least && matcher.MatchString(text) {
			return text, true
		}
		if b.Len() > 10_000 {
			break
		}
	}
	return "", false
}

// writeMatch writes a string that matches re. repeats is how often something is
// written that may be repeated at will.
func writeMatch(b *strings.Builder, re *syntax.Regexp, repeats int) {
	const longest = 10_000
	if b.Len() > longest {
		return
	}
	times := func(least, most int) {
		n := max(least, repeats)
		if most >= 0 {
			n = min(n, most)
		}
		for i := 0; i < n && b.Len() <= longest; i++ {
			writeMatch(b, re.Sub[0], repeats)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(pleasant(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture:
		writeMatch(b, re.Sub[0], repeats)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeMatch(b, sub, repeats)
		}
	case syntax.OpAlternate:
		writeMatch(b, re.Sub[0], repeats)
	case syntax.OpStar:
		times(0, -1)
	case syntax.OpPlus:
		times(1, -1)
	case syntax.OpQuest:
		times(0, 1)
	case syntax.OpRepeat:
		times(re.Min, re.Max)
	}
}

// pleasant picks a character out of ranges: a letter or digit where there is one.
func pleasant(ranges []rune) rune {
	for _, wanted := range "aA1" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= wanted && wanted <= ranges[i+1] {
				return wanted
			}
		}
	}
	if len(ranges) == 0 {
		return 'a'
	}
	return ranges[0]
}
