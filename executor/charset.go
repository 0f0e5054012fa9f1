package executor

import (
	"fmt"
	"mime"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/weft-flow/weft/arazzo/selector"
)

// textOf gives content as text by the charset that its type names (RFC 2046, section
// 4.1.2); in UTF-8 where it names none. Content that says itself how it is encoded, as
// XML does, stays as it is. The error tells that the charset is not understood, or that
// the content is not of it.
func textOf(contentType string, content []byte) (string, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := strings.ToLower(params["charset"])
	if err != nil || charset == "" || charset == "utf-8" || strings.HasSuffix(kind, "xml") && selector.XMLEncoding(string(content[:min(len(content), 200)])) != "" {
		return string(content), nil
	}
	written, err := charsetOf(charset)
	if err != nil {
		return "", fmt.Errorf("the charset %q is not understood", charset)
	}
	text, err := written.NewDecoder().Bytes(content)
	if err != nil {
		return "", fmt.Errorf("it is not of the charset %q", charset)
	}
	return string(text), nil
}

// charsetOf finds a charset. UTF-16 is in the order of bytes that its mark tells
// (RFC 2781, section 3.2), which is no part of the text.
func charsetOf(name string) (encoding.Encoding, error) {
	if name == "utf-16" {
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), nil
	}
	return htmlindex.Get(name)
}

// tellBody tells once why the body of the response is not what it says to be, as soon
// as something has asked for it.
func (a *activation) tellBody() {
	view := a.frame.view
	if fault := view.responseFault(); fault != nil && !view.told {
		view.told = true
		a.emit(Notice{Message: fmt.Sprintf("the body of the response %v", fault)})
	}
}
