package selector

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// xpathTokenKind is a kind of token of XPath.
type xpathTokenKind uint8

const (
	xpathEnd xpathTokenKind = iota
	xpathSymbol
	xpathName // a QName, or prefix:*
	xpathNumber
	xpathString
)

type xpathToken struct {
	kind   xpathTokenKind
	text   string // of a string: its value
	offset int
}

func (t xpathToken) String() string {
	switch t.kind {
	case xpathEnd:
		return "the end"
	case xpathString:
		return fmt.Sprintf("the string %q", t.text)
	default:
		return fmt.Sprintf("%q", t.text)
	}
}

// xpathSymbols lists the symbols of XPath 1.0 to 3.1, the longest first.
var xpathSymbols = []string{
	"::", "//", "..", "!=", "<=", ">=", "<<", ">>", "||", "=>", ":=",
	"(", ")", "[", "]", "@", ",", "/", "|", "+", "-", "=", "<", ">", "*", "$", ".", "!", "?", "#", "{", "}", ":",
}

type xpathLexer struct {
	text    string
	pos     int
	version xpathVersion
}

// xpathTokens splits an expression into tokens; the last is its end.
func xpathTokens(version xpathVersion, text string) ([]xpathToken, error) {
	if !utf8.ValidString(text) {
		return nil, &SyntaxError{Message: "not XPath: the text is not UTF-8"}
	}
	lexer := &xpathLexer{text: text, version: version}
	var tokens []xpathToken
	for {
		token, err := lexer.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, token)
		if token.kind == xpathEnd {
			return tokens, nil
		}
	}
}

func (l *xpathLexer) next() (xpathToken, error) {
	for l.pos < len(l.text) && isBlank(l.text[l.pos]) {
		l.pos++
	}
	at, rest := l.pos, l.text[l.pos:]
	if rest == "" {
		return xpathToken{kind: xpathEnd, offset: at}, nil
	}
	first, _ := utf8.DecodeRuneInString(rest)
	switch {
	case rest[0] == '"' || rest[0] == '\'':
		return l.quoted()
	case isDigit(rest, 0) || rest[0] == '.' && isDigit(rest, 1):
		return l.number(), nil
	case strings.HasPrefix(rest, "Q{") && l.version > xpath20:
		return xpathToken{}, &UnsupportedError{Offset: at, Message: l.version.String() + ": a name with its namespace in braces is not supported"}
	case isNameStart(first):
		return l.name(), nil
	case strings.HasPrefix(rest, "(:") && l.version > xpath10:
		return xpathToken{}, &UnsupportedError{Offset: at, Message: l.version.String() + ": comments are not supported"}
	}
	for _, symbol := range xpathSymbols {
		if strings.HasPrefix(rest, symbol) {
			l.pos += len(symbol)
			return xpathToken{kind: xpathSymbol, text: symbol, offset: at}, nil
		}
	}
	return xpathToken{}, &SyntaxError{Offset: at, Message: fmt.Sprintf("not XPath: unexpected %q", first)}
}

// quoted reads a string. From 2.0 on its quote is doubled to stand in it.
func (l *xpathLexer) quoted() (xpathToken, error) {
	start, quote := l.pos, l.text[l.pos:l.pos+1]
	var out strings.Builder
	for l.pos++; ; {
		end := strings.Index(l.text[l.pos:], quote)
		if end < 0 {
			return xpathToken{}, &SyntaxError{Offset: start, Message: "not XPath: the string is not closed"}
		}
		out.WriteString(l.text[l.pos : l.pos+end])
		l.pos += end + 1
		if l.version == xpath10 || !strings.HasPrefix(l.text[l.pos:], quote) {
			return xpathToken{kind: xpathString, text: out.String(), offset: start}, nil
		}
		out.WriteString(quote)
		l.pos++
	}
}

func (l *xpathLexer) number() xpathToken {
	start := l.pos
	l.digits()
	if l.pos < len(l.text) && l.text[l.pos] == '.' {
		l.pos++
		l.digits()
	}
	if l.version > xpath10 && l.pos < len(l.text) && (l.text[l.pos] == 'e' || l.text[l.pos] == 'E') {
		exponent := l.pos + 1
		if exponent < len(l.text) && (l.text[exponent] == '+' || l.text[exponent] == '-') {
			exponent++
		}
		if isDigit(l.text, exponent) {
			l.pos = exponent
			l.digits()
		}
	}
	return xpathToken{kind: xpathNumber, text: l.text[start:l.pos], offset: start}
}

func (l *xpathLexer) digits() {
	for isDigit(l.text, l.pos) {
		l.pos++
	}
}

func isDigit(s string, at int) bool { return at < len(s) && s[at] >= '0' && s[at] <= '9' }

// name reads a name with its prefix. A prefix:* is one token too.
func (l *xpathLexer) name() xpathToken {
	start := l.pos
	l.ncName()
	if rest := l.text[l.pos:]; len(rest) > 1 && rest[0] == ':' {
		first, _ := utf8.DecodeRuneInString(rest[1:])
		switch {
		case isNameStart(first):
			l.pos++
			l.ncName()
		case rest[1] == '*':
			l.pos += 2
		}
	}
	return xpathToken{kind: xpathName, text: l.text[start:l.pos], offset: start}
}

func (l *xpathLexer) ncName() {
	for l.pos < len(l.text) {
		r, size := utf8.DecodeRuneInString(l.text[l.pos:])
		if !isNameRune(r) {
			return
		}
		l.pos += size
	}
}

func isNameStart(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func isNameRune(r rune) bool {
	return isNameStart(r) || unicode.IsDigit(r) || r == '-' || r == '.' || r == '\u00b7' || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}
