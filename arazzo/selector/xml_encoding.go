package selector

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

var xmlDeclaration = regexp.MustCompile(`^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']`)

// XMLEncoding gives the encoding that an XML document declares for itself, in lower
// case; empty where it declares none.
func XMLEncoding(text string) string {
	if found := xmlDeclaration.FindStringSubmatch(text[:min(len(text), 200)]); found != nil {
		return strings.ToLower(found[1])
	}
	return ""
}

// xmlInUTF8 gives XML that is not UTF-8 by the encoding that it declares.
func xmlInUTF8(source string) (string, error) {
	label := XMLEncoding(source)
	if label == "" || utf8.ValidString(source) {
		return source, nil
	}
	encoding, err := htmlindex.Get(label)
	if err != nil {
		return "", fmt.Errorf("its encoding %q is not known", label)
	}
	text, err := encoding.NewDecoder().String(source)
	if err != nil || strings.ContainsRune(text, utf8.RuneError) {
		return "", fmt.Errorf("it is not in the encoding %q that it declares", label)
	}
	if len(text) > MaxXMLSize {
		return "", &LimitError{What: "bytes of XML", Limit: MaxXMLSize}
	}
	return text, nil
}
