package httpcall

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// inCharset writes text in the charset that its content type names; in UTF-8 where it
// names none. It is an error if the charset is not known or has no way to write the
// text: other bytes would be a guess.
func inCharset(text, charset string) ([]byte, error) {
	charset = strings.ToLower(charset)
	if charset == "" || charset == "utf-8" {
		return []byte(text), nil
	}
	encoding, err := htmlindex.Get(charset)
	if charset == "utf-16" { // without a mark nobody could tell the order of its bytes
		encoding, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), nil
	}
	if err != nil {
		return nil, fmt.Errorf("its charset %q is not known", charset)
	}
	body, err := encoding.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("its charset %q cannot write the text", charset)
	}
	return body, nil
}
