package httpcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

const formType = "application/x-www-form-urlencoded"

// encodeBody writes a body as its content type says, and gives the content type
// to be sent: the one given, for multipart with its boundary.
func encodeBody(b *executor.Body) (body []byte, contentType string, err error) {
	kind, params := parseMedia(b.ContentType)
	if kind == "" || !strings.Contains(kind, "/") {
		return nil, "", fmt.Errorf("the request body: %q is not a content type", b.ContentType)
	}
	if b.Value.IsAbsent() {
		return nil, "", errors.New("the request body: its payload is absent")
	}
	contentType = b.ContentType
	switch {
	case isJSON(kind):
		body, err = encodeJSON(b)
	case kind == formType:
		body, err = encodeFormBody(b)
	case strings.HasPrefix(kind, "multipart/"):
		body, contentType, err = encodeMultipart(b, params["boundary"])
	default:
		body, err = encodeText(kind, params["charset"], b.Value)
	}
	if err != nil {
		return nil, "", fmt.Errorf("the request body of type %s: %w", kind, err)
	}
	if err := checkField("Content-Type", contentType); err != nil {
		return nil, "", fmt.Errorf("the content type %q: %w", contentType, err)
	}
	if body == nil {
		body = []byte{}
	}
	return body, contentType, nil
}

func encodeJSON(b *executor.Body) ([]byte, error) {
	text, isText := b.Value.Str()
	if !b.Verbatim || !isText {
		return writeJSON(b.Value)
	}
	if !utf8.ValidString(text) {
		return nil, errNotUTF8
	}
	var any json.RawMessage
	if err := json.Unmarshal([]byte(text), &any); err != nil {
		return nil, fmt.Errorf("after substitution the template is not JSON: %w", err)
	}
	return []byte(text), nil
}

// errNotUTF8 tells that a value came from content that is not UTF-8: what it would
// become in JSON is a guess.
var errNotUTF8 = errors.New("it holds text that is not UTF-8, which JSON cannot write")

// writeJSON writes a value as JSON.
func writeJSON(v value.Value) ([]byte, error) {
	if !v.IsUTF8() {
		return nil, errNotUTF8
	}
	return value.AppendJSON(nil, v), nil
}

// encodeText writes what has no encoding of its own: text, and bytes as they are.
func encodeText(kind, charset string, v value.Value) ([]byte, error) {
	if text, ok := v.Str(); ok {
		if charset == "" && isXML(kind) && utf8.ValidString(text) { // what is not UTF-8 is in its encoding already
			charset = selector.XMLEncoding(text)
		}
		return inCharset(text, charset)
	}
	if v.IsScalar() && !v.IsNull() && strings.HasPrefix(kind, "text/") && !isXML(kind) {
		return inCharset(v.Text(), charset)
	}
	return nil, fmt.Errorf("the payload is of type %s; this content type is sent from a string", v.Kind())
}

// parseMedia gives the media type in lower case and its parameters; of a broken
// one as much as can be read.
func parseMedia(contentType string) (string, map[string]string) {
	if isPlainMedia(contentType) {
		return contentType, nil
	}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(contentType, ";")
		kind = strings.ToLower(strings.TrimSpace(kind))
	}
	return kind, params
}

// isPlainMedia tells that a content type is written as it is compared: most are.
func isPlainMedia(contentType string) bool {
	for i := range len(contentType) {
		c := contentType[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '/' && c != '+' && c != '.' && c != '-' {
			return false
		}
	}
	return strings.Count(contentType, "/") == 1
}

func isJSON(kind string) bool {
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
}

func isXML(kind string) bool {
	return kind == "application/xml" || kind == "text/xml" || strings.HasSuffix(kind, "+xml")
}
