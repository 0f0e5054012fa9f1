package mock

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// incoming is a request that has found its operation.
type incoming struct {
	found
	method      string
	escapedPath string
	query       url.Values
	header      http.Header
	raw         []byte

	contentType string
	media       *source.MediaType // what the description says of the body; nil: nothing
	body        value.Value       // the body where it is JSON or a form; else absent
	bodyFault   error             // why a JSON body could not be read

	keyHeader string // the declared header that bears an idempotency key
	keyNeeded bool
	key       string
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
	op := f.route.operation
	in.media = op.MediaType(in.contentType)
	in.readBody()
	for _, p := range op.Params {
		if _, known := idempotency.KnownHeader(p.Name); known && p.In == "header" {
			in.keyHeader, in.keyNeeded = p.Name, p.Required
			in.key = r.Header.Get(p.Name)
			break
		}
	}
	return in
}

// effectful tells whether a request of this method may change something.
func (in *incoming) effectful() bool {
	switch in.method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, "QUERY":
		return false
	}
	return true
}

func (in *incoming) readBody() {
	if len(in.raw) == 0 {
		return
	}
	switch mediaType := plainType(in.contentType); {
	case isJSON(mediaType):
		in.body, in.bodyFault = value.ParseJSON(bytes.TrimPrefix(in.raw, []byte("\ufeff")))
	case mediaType == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(in.raw))
		if err != nil {
			in.bodyFault = err
			return
		}
		in.body = formValue(form, in.media)
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
	var t together
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
func typed(texts []string, t together) value.Value {
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
	for _, p := range in.route.operation.Params {
		findings = append(findings, in.checkParameter(p)...)
	}
	bodyStatus, bodyFindings := in.checkBody()
	findings = append(findings, bodyFindings...)
	if len(findings) == 0 {
		return 0, nil
	}
	if bodyStatus != 0 && len(findings) == len(bodyFindings) {
		return bodyStatus, findings
	}
	return http.StatusBadRequest, findings
}

// ignoredHeaders are described elsewhere: OpenAPI, Parameter Object, says that a
// header parameter of one of these names means nothing.
var ignoredHeaders = []string{"accept", "content-type", "authorization"}

func (in *incoming) checkParameter(p *source.Parameter) []finding {
	if p.In == "header" && slices.Contains(ignoredHeaders, strings.ToLower(p.Name)) {
		return nil
	}
	texts, readable := in.argument(p)
	if len(texts) == 0 {
		if p.Required && readable {
			return []finding{{parameter: p.Name, in: p.In, detail: "is required and missing"}}
		}
		return nil
	}
	if !readable || p.Schema == nil || p.ContentType != "" {
		return nil
	}
	findings := in.route.known.patterns.checkBody(p.Schema, typed(texts, flatten(p.Schema)))
	for i := range findings {
		findings[i] = finding{parameter: p.Name, in: p.In, detail: findings[i].detail}
	}
	return findings
}

// argument gives the text of a parameter, of an array one text each. readable is
// false for serializations that are not taken apart here.
func (in *incoming) argument(p *source.Parameter) (texts []string, readable bool) {
	kind := flatten(p.Schema).kind()
	switch p.In {
	case "path":
		text, ok := in.params[p.Name]
		if !ok {
			return nil, true
		}
		if p.Style != "" && p.Style != "simple" || kind == openapi3.TypeObject {
			return []string{text}, false
		}
		return splitList([]string{text}, kind, ","), true
	case "query":
		return in.queryArgument(p, kind)
	case "header":
		values := in.header.Values(p.Name)
		if kind == openapi3.TypeObject {
			return values, false
		}
		return splitList(values, kind, ","), true
	case "cookie":
		for _, c := range (&http.Request{Header: in.header}).Cookies() {
			if c.Name == p.Name {
				return []string{c.Value}, kind != openapi3.TypeObject
			}
		}
		return nil, true
	}
	return nil, false
}

func (in *incoming) queryArgument(p *source.Parameter, kind string) (texts []string, readable bool) {
	if kind == openapi3.TypeObject || p.Style == "deepObject" {
		return nil, false
	}
	texts = in.query[p.Name]
	if p.Explode {
		return texts, true
	}
	separator := map[string]string{"spaceDelimited": " ", "pipeDelimited": "|"}[p.Style]
	if separator == "" {
		separator = ","
	}
	return splitList(texts, kind, separator), true
}

func splitList(texts []string, kind, separator string) []string {
	if kind != openapi3.TypeArray {
		return texts
	}
	var all []string
	for _, text := range texts {
		for _, part := range strings.Split(text, separator) {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

func (in *incoming) checkBody() (status int, findings []finding) {
	described := in.route.operation.Body
	if described == nil {
		return 0, nil
	}
	if len(in.raw) == 0 {
		if described.Required {
			return http.StatusBadRequest, []finding{{pointer: "#", detail: "a body is required and there is none"}}
		}
		return 0, nil
	}
	if in.media == nil {
		if len(described.Content) == 0 {
			return 0, nil
		}
		types := make([]string, len(described.Content))
		for i, m := range described.Content {
			types[i] = m.Type
		}
		return http.StatusUnsupportedMediaType, []finding{{
			parameter: "Content-Type", in: "header",
			detail: fmt.Sprintf("is %q, expected %s", in.contentType, strings.Join(types, " or ")),
		}}
	}
	if in.bodyFault != nil {
		return http.StatusBadRequest, []finding{{pointer: "#", detail: in.bodyFault.Error()}}
	}
	if in.body.IsAbsent() || in.media.Schema == nil {
		return 0, nil
	}
	return http.StatusBadRequest, in.route.known.patterns.checkBody(in.media.Schema, in.body)
}
