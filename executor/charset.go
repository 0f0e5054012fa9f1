package executor

import (
	"bytes"
	"fmt"
	"mime"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// textOf gives content as text by the charset that its type names (RFC 2046, section
// 4.1.2); in UTF-8 where it names none. Content that says itself how it is encoded, as
// XML does, stays as it is. The error tells that the charset is not understood, or that
// the content is not of it.
func textOf(contentType string, content []byte) (string, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := strings.ToLower(params["charset"])
	if err != nil || charset == "" || charset == "utf-8" || strings.HasSuffix(kind, "xml") && declaresEncoding(content) {
		return string(content), nil
	}
	encoding, err := htmlindex.Get(charset)
	if err != nil {
		return "", fmt.Errorf("the charset %q is not understood", charset)
	}
	text, err := encoding.NewDecoder().Bytes(content)
	if err != nil {
		return "", fmt.Errorf("it is not of the charset %q", charset)
	}
	return string(text), nil
}

// declaresEncoding tells whether an XML document says how it is encoded.
func declaresEncoding(content []byte) bool {
	declaration, _, found := bytes.Cut(content[:min(len(content), 200)], []byte("?>"))
	return found && bytes.Contains(declaration, []byte("encoding"))
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
