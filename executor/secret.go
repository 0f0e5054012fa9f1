package executor

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

const (
	// minSecret is the length from which a secret is looked for inside other text:
	// a shorter one would mask half of everything. It is masked where it is all of
	// a value.
	minSecret = 4
	// minEncoded is the same for what is left of a secret within base64.
	minEncoded = 6
)

// secrets are texts that must not be seen, in whatever form they are written.
type secrets struct {
	texts    []string // the longest first
	whole    map[string]bool
	made     bool // what follows is made from texts
	escaped  []escaped
	replacer *strings.Replacer
}

// escaped finds a secret that holds characters which are written differently in
// different places.
type escaped struct {
	hint    string // the longest stretch that is written alike everywhere
	pattern *regexp.Regexp
}

func (s *secrets) none() bool { return len(s.texts) == 0 && len(s.whole) == 0 }

func (s *secrets) add(text string) {
	switch {
	case text == "" || s.whole[text]:
		return
	case s.whole == nil:
		s.whole = map[string]bool{}
	}
	s.whole[text] = true
	if len(text) < minSecret {
		return
	}
	at, _ := slices.BinarySearchFunc(s.texts, text, func(a, b string) int { return len(b) - len(a) })
	s.texts = slices.Insert(s.texts, at, text)
	s.made = false
}

// mask gives the text without the secrets.
func (s *secrets) mask(text string) string {
	if text == "" || s.none() {
		return text
	}
	if s.whole[text] {
		return masked
	}
	if !s.made {
		s.make()
	}
	for _, e := range s.escaped {
		if strings.Contains(text, e.hint) {
			text = e.pattern.ReplaceAllLiteralString(text, masked)
		}
	}
	return s.replacer.Replace(text)
}

func (s *secrets) make() {
	var pairs []string
	s.escaped = nil
	for _, text := range s.texts {
		if hint := plainStretch(text); hint != text {
			s.escaped = append(s.escaped, escaped{hint: hint, pattern: anyEscape(text)})
		}
		pairs = append(pairs, text, masked)
		for _, encoded := range base64Forms(text) {
			pairs = append(pairs, encoded, masked)
		}
	}
	s.replacer, s.made = strings.NewReplacer(pairs...), true
}

// plainStretch gives the longest stretch of letters and digits: no encoding
// changes them.
func plainStretch(text string) string {
	longest := ""
	for _, stretch := range strings.FieldsFunc(text, func(r rune) bool { return !isPlain(r) }) {
		if len(stretch) > len(longest) {
			longest = stretch
		}
	}
	return longest
}

func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// What escapes begin and end with may itself be escaped, any number of times, where
// JSON is put into a URL, XML into JSON, and so on.
const (
	backslash = `(?:\\|%(?:25)*5c)+`
	ampersand = `(?:&|%(?:25)*26|\\+u0026)(?:amp(?:;|%(?:25)*3b))*`
	hash      = `(?:#|%(?:25)*23)`
	semicolon = `(?:;|%(?:25)*3b)`
)

// anyEscape matches a text whose other characters than letters and digits may be
// written as in URLs and forms (RFC 3986, section 2.1), in JSON (RFC 8259, section
// 7) or in XML, and so again within one another.
func anyEscape(text string) *regexp.Regexp {
	var pattern strings.Builder
	for _, r := range text {
		if isPlain(r) {
			pattern.WriteRune(r)
			continue
		}
		forms := []string{regexp.QuoteMeta(string(r)), percentEscape(string(r)), unicodeEscape(r)}
		forms = append(forms, fmt.Sprintf("%s%s(?:%d|x0*%x)%s", ampersand, hash, r, r, semicolon))
		if name := entities[r]; name != "" {
			forms = append(forms, ampersand+name+semicolon)
		}
		if letter, ok := shortEscapes[r]; ok {
			forms = append(forms, backslash+regexp.QuoteMeta(letter)+"|"+backslash+percentEscape(letter))
		}
		if r == ' ' {
			forms = append(forms, `\+`, percentEscape("+"))
		}
		pattern.WriteString("(?i:" + strings.Join(forms, "|") + ")")
	}
	return regexp.MustCompile(pattern.String())
}

// percentEscape matches text as it stands in URLs.
func percentEscape(text string) string {
	var pattern strings.Builder
	for _, b := range []byte(text) {
		fmt.Fprintf(&pattern, "%%(?:25)*%02x", b)
	}
	return pattern.String()
}

// unicodeEscape matches a character as it may stand in JSON.
func unicodeEscape(r rune) string {
	var pattern strings.Builder
	for _, unit := range utf16.Encode([]rune{r}) {
		fmt.Fprintf(&pattern, "%su%04x", backslash, unit)
	}
	return pattern.String()
}

// The escapes that do not follow from the character's number: of XML by their names,
// of JSON by what follows the backslash.
var (
	entities     = map[rune]string{'"': "quot", '&': "amp", '<': "lt", '>': "gt", '\'': "apos"}
	shortEscapes = map[rune]string{
		'"': `"`, '\\': `\`, '/': "/", '\'': "'", '\b': "b", '\f': "f", '\n': "n", '\r': "r", '\t': "t",
	}
)

// base64Forms gives what is left of a text within base64, wherever it begins in
// what was encoded: less the characters that tell of its neighbours as well.
func base64Forms(text string) []string {
	var forms []string
	for offset := range 3 {
		plain := append(make([]byte, offset), text...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(plain)
			encoded = encoded[[3]int{0, 2, 3}[offset]:]
			if len(plain)%3 != 0 {
				encoded = encoded[:len(encoded)-1]
			}
			if len(encoded) >= minEncoded && !slices.Contains(forms, encoded) {
				forms = append(forms, encoded)
			}
		}
	}
	return forms
}
