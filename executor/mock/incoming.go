package mock

import (
	"bytes"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// incoming is a request that has found its operation.
type incoming struct {
	found
	method      string
	escapedPath string
	scheme      string // of the origin that the client named
	host        string
	query       url.Values
	header      http.Header
	raw         []byte

	contentType string
	media       *source.MediaType // what the description says of the body; nil: nothing
	body        value.Value       // the body where it is JSON or a form; else absent

	keyHeader string // the declared header that bears an idempotency key
	keyNeeded bool
	key       string

	form *representation // of the answer, once it is known

	stale bool // the state before the last change is to be told

	removed *resource // that the request removed; nil: none

	outbox *outbox   // nil: nothing is sent
	sends  []sending // what is sent once the request was carried out

	chosen *Answer // nil: the answer is the server's own
}

func newIncoming(r *http.Request, f found, body []byte) *incoming {
	in := &incoming{
		found:       f,
		method:      r.Method,
		escapedPath: r.URL.EscapedPath(),
		query:       r.URL.Query(),
		header:      r.Header,
		raw:         body,
		contentType: r.Header.Get("Content-Type"),
	}
	in.scheme, in.host = originOf(r)
	op := f.route.operation
	in.media = op.MediaType(in.contentType)
	in.readBody()
	if p := f.route.keyParameter(); p != nil {
		in.keyHeader, in.keyNeeded, in.key = p.Name, p.Required, r.Header.Get(p.Name)
	}
	return in
}

// keyParameter gives the header that is said, or declared and known, to bear a key.
func (r *route) keyParameter() *source.Parameter {
	for _, p := range r.operation.Params {
		_, known := idempotency.KnownHeader(p.Name)
		if r.said != "" {
			known = strings.EqualFold(p.Name, r.said)
		}
		if known && p.In == "header" {
			return p
		}
	}
	if r.said != "" {
		return &source.Parameter{Name: r.said, In: "header"}
	}
	return nil
}

func (r *route) keyHeader() string {
	if p := r.keyParameter(); p != nil {
		return p.Name
	}
	return ""
}

// effectful tells whether a request of this method may change something.
func (in *incoming) effectful() bool { return !isRead(in.method) }

func isRead(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY":
		return true
	}
	return false
}

func (in *incoming) readBody() {
	if len(in.raw) == 0 {
		return
	}
	switch mediaType := plainType(in.contentType); {
	case isJSON(mediaType):
		in.body, _ = value.ParseJSON(bytes.TrimPrefix(in.raw, []byte("\ufeff")))
	case mediaType == "application/x-www-form-urlencoded":
		if form, err := url.ParseQuery(string(in.raw)); err == nil {
			in.body = formValue(form, in.media)
		}
	}
}

func plainType(contentType string) string {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		mediaType, _, _ = strings.Cut(contentType, ";")
		mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
	return mediaType
}

func isJSON(mediaType string) bool {
	return mediaType == jsonType || strings.HasSuffix(mediaType, "+json")
}

func formValue(form url.Values, media *source.MediaType) value.Value {
	var t *together
	if media != nil {
		t = flatten(media.Schema)
	}
	var members []value.Member
	for _, name := range sortedKeys(form) {
		members = append(members, value.Member{Name: name, Value: typed(form[name], t.property(name))})
	}
	return value.Object(members...)
}

// typed reads text by the type that its schema wants: numbers and booleans where
// they are meant, else the text.
func typed(texts []string, t *together) value.Value {
	if t.kind() == openapi3.TypeArray {
		items := make([]value.Value, len(texts))
		for i, text := range texts {
			items[i] = typed([]string{text}, t.items())
		}
		return value.Array(items...)
	}
	if len(texts) == 0 {
		return value.Absent
	}
	text := texts[0]
	switch t.kind() {
	case openapi3.TypeInteger, openapi3.TypeNumber:
		if n, err := value.Number(text); err == nil {
			return n
		}
	case openapi3.TypeBoolean:
		if text == "true" || text == "false" {
			return value.Bool(text == "true")
		}
	case openapi3.TypeObject:
		if v, err := value.ParseJSON([]byte(text)); err == nil {
			return v
		}
	}
	return value.String(text)
}

// check gives what is wrong with the request by its description, and the status
// to refuse it with; 0 where nothing is.
func (in *incoming) check() (status int, findings []finding) {
	request := check.Request{Path: in.params, Query: in.query, Header: in.header, Body: in.raw}
	if isJSON(plainType(in.contentType)) {
		request.Value = in.body
	}
	found := in.route.known.checker.Request(in.route.operation, request).Findings
	if len(found) == 0 {
		return 0, nil
	}
	status = http.StatusUnsupportedMediaType
	for _, f := range found {
		if f.Kind != check.MediaType {
			status = http.StatusBadRequest
		}
		findings = append(findings, findingOf(f))
	}
	return status, findings
}

func findingOf(f check.Finding) finding {
	switch f.Kind {
	case check.Parameter:
		return finding{parameter: f.Name, in: f.In, detail: f.Message}
	case check.MediaType:
		return finding{parameter: "Content-Type", in: "header", detail: f.Message}
	default:
		return finding{pointer: "#" + f.Pointer, detail: f.Message}
	}
}
