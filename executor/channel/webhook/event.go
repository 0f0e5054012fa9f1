package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
)

// The media types of CloudEvents in JSON.
const (
	structuredType = "application/cloudevents+json"
	batchType      = "application/cloudevents-batch+json"
)

// maxEvents is how many events of one batch are taken.
const maxEvents = 1000

// contents are the messages of one request.
type contents []content

// content is what one message has of its own.
type content struct {
	identity string
	header   executor.Header
	body     []byte
}

// read gives the messages of a request: one, or as many as a batch of CloudEvents has.
// What claims to be an event and is none is a message like any other: whoever awaits it
// finds out.
func read(header http.Header, body []byte) (contents, error) {
	kept := keptHeader(header)
	webhookID := ""
	if ids := header[idField]; len(ids) == 1 {
		webhookID = ids[0]
	}
	switch mediaType(header) {
	case structuredType:
		return contents{event(kept, body, webhookID)}, nil
	case batchType:
		return batch(kept, body, webhookID)
	default:
		c := content{header: kept, body: body, identity: native(webhookID)}
		decodeAttributes(kept)
		if id := eventID(kept); id != "" {
			c.identity = id
		}
		return contents{c}, nil
	}
}

func native(webhookID string) string {
	if webhookID == "" {
		return ""
	}
	return channel.NativeIdentity(webhookID)
}

// event gives an event in structured mode: its attributes are header fields too, as in
// binary mode, and its body stays as it is.
func event(header executor.Header, body []byte, webhookID string) content {
	c := content{header: header, body: body, identity: native(webhookID)}
	attributes, ok := attributesOf(body)
	if !ok {
		return c
	}
	for name := range header {
		if strings.HasPrefix(name, attributePrefix) {
			delete(header, name) // the body tells
		}
	}
	for name, text := range attributes {
		header[attributePrefix+name] = []string{text}
	}
	if id := eventID(header); id != "" {
		c.identity = id
	}
	return c
}

// batch gives the events of a batch. One that names itself by nothing is named by the
// batch and its place in it.
func batch(header executor.Header, body []byte, webhookID string) (contents, error) {
	var events []json.RawMessage
	if err := json.Unmarshal(body, &events); err != nil || events == nil {
		return contents{{header: header, body: body, identity: native(webhookID)}}, nil
	}
	if len(events) > maxEvents {
		return nil, fmt.Errorf("the batch has %d events, at most %d are taken", len(events), maxEvents)
	}
	all := make(contents, len(events))
	for i, raw := range events {
		own := make(executor.Header, len(header))
		for name, values := range header {
			own[name] = values
		}
		own["Content-Type"] = []string{structuredType}
		delete(own, "Content-Length")
		all[i] = event(own, bytes.Clone(raw), "")
		if all[i].identity == "" && webhookID != "" {
			all[i].identity = channel.NativeIdentity(webhookID, fmt.Sprint(i))
		}
	}
	return all, nil
}

// attributePrefix begins the canonical names of the fields of attributes.
const attributePrefix = "Ce-"

// attributesOf reads the attributes of an event in JSON, by what follows the prefix in
// the name of their field; false: it is no event.
func attributesOf(body []byte) (map[string]string, bool) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members["specversion"] == nil {
		return nil, false
	}
	attributes := map[string]string{}
	for name, raw := range members {
		if name == "data" || name == "data_base64" || !isAttributeName(name) {
			continue
		}
		if text, ok := scalar(raw); ok {
			attributes[strings.ToUpper(name[:1])+name[1:]] = text
		}
	}
	return attributes, true
}

// isAttributeName tells whether a name is one of attributes: small letters and digits.
func isAttributeName(name string) bool {
	for _, r := range name {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// scalar gives a string, a number or a truth value as text.
func scalar(raw json.RawMessage) (string, bool) {
	switch raw[0] {
	case '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	case '{', '[', 'n':
		return "", false
	default:
		return string(raw), true
	}
}

// eventID gives the identity of an event by its attributes; empty where it is none.
func eventID(header executor.Header) string {
	version, source, id := header["Ce-Specversion"], header["Ce-Source"], header["Ce-Id"]
	if len(version) != 1 || len(source) != 1 || len(id) != 1 || version[0] == "" || source[0] == "" || id[0] == "" {
		return ""
	}
	return channel.NativeIdentity(source[0], id[0])
}

// decodeAttributes gives the attributes of an event in binary mode as what they say,
// which is percent-encoded on the wire. What is not is left.
func decodeAttributes(header executor.Header) {
	for name, values := range header {
		if !strings.HasPrefix(name, attributePrefix) || len(values) != 1 {
			continue
		}
		if text, err := url.PathUnescape(unquote(values[0])); err == nil && utf8.ValidString(text) {
			header[name] = []string{text}
		}
	}
}

// unquote takes the quotes off a quoted string, which older senders write.
func unquote(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	var plain strings.Builder
	inner := text[1 : len(text)-1]
	for i := 0; i < len(inner); i++ {
		if inner[i] == '\\' && i+1 < len(inner) {
			i++
		}
		plain.WriteByte(inner[i])
	}
	return plain.String()
}

// keptHeader gives the fields that may be kept: no credentials, no signatures.
func keptHeader(header http.Header) executor.Header {
	kept := make(executor.Header, len(header))
	for name, values := range header {
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch lower := strings.ToLower(name); {
		case strings.Contains(lower, "authorization"), strings.Contains(lower, "signature"), lower == "cookie":
		default:
			kept[name] = append(kept[name], values...)
		}
	}
	return kept
}

// mediaType gives the media type of a request in small letters, without parameters;
// empty where it has none that can be read.
func mediaType(header http.Header) string {
	t, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil && err != mime.ErrInvalidMediaParameter {
		return ""
	}
	return t
}
