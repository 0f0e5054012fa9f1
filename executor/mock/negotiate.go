package mock

import (
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// goodResponse gives the response of an operation that tells of success: the
// lowest 2xx, else a default, else the lowest of all; nil where none is described.
func goodResponse(op *source.Operation) *source.Response {
	var best *source.Response
	rank := func(r *source.Response) int {
		switch status := statusOf(r); {
		case r.Status == "default":
			return 1000
		case status/100 == 2:
			return status
		default:
			return 1000 + status
		}
	}
	for _, r := range op.Responses {
		if best == nil || rank(r) < rank(best) {
			best = r
		}
	}
	return best
}

// statusOf gives the status that a described response is answered with.
func statusOf(r *source.Response) int {
	if r == nil || r.Status == "default" {
		return http.StatusOK
	}
	if len(r.Status) == 3 && strings.EqualFold(r.Status[1:], "XX") {
		return int(r.Status[0]-'0') * 100
	}
	status, err := strconv.Atoi(r.Status)
	if err != nil || status < 200 || status > 599 {
		return http.StatusOK
	}
	return status
}

// declares tells whether an operation describes what a status means.
func declares(op *source.Operation, status int) bool {
	for _, r := range op.Responses {
		if r.Status == "default" || r.Status == strconv.Itoa(status) ||
			strings.EqualFold(r.Status, strconv.Itoa(status/100)+"XX") {
			return true
		}
	}
	return false
}

func firstJSON(r *source.Response) *source.MediaType {
	if r == nil {
		return nil
	}
	for _, m := range r.Content {
		if isJSON(plainType(m.Type)) {
			return m
		}
	}
	return nil
}

// quality gives how much a client likes a media type, by the most specific range
// that covers it: 1 where it says nothing at all.
func quality(mediaType string, accept []string) float64 {
	if len(accept) == 0 {
		return 1
	}
	found, specific := 0.0, -1
	for _, part := range strings.Split(strings.Join(accept, ","), ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		rank := -1
		switch kind, _, _ := strings.Cut(mediaType, "/"); {
		case name == mediaType:
			rank = 2
		case name == kind+"/*":
			rank = 1
		case name == "*/*":
			rank = 0
		}
		if rank <= specific {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		if err != nil {
			q = 1
		}
		found, specific = q, rank
	}
	return found
}

// encode writes a value as a media type wants it.
func encode(v value.Value, mediaType string) []byte {
	text, isText := v.Str()
	switch {
	case v.IsAbsent():
		return nil
	case isJSON(mediaType):
		return value.AppendJSON(nil, v)
	case mediaType == "application/x-www-form-urlencoded":
		form := url.Values{}
		for _, m := range v.Members() {
			form.Set(m.Name, m.Value.Text())
		}
		return []byte(form.Encode())
	case isText:
		return []byte(text)
	case isXML(mediaType):
		return encodeXML(v, nil, "")
	default:
		return []byte(v.Text())
	}
}

// encode writes a value as the representation wants it. A text is written as it is: it is
// the example of a body.
func (r *representation) encode(v value.Value) []byte {
	if r == nil {
		return encode(v, "")
	}
	if _, isText := v.Str(); isText || v.IsAbsent() || !isXML(r.plain) {
		return encode(v, r.plain)
	}
	return encodeXML(v, r.shape, r.root)
}

func encodeXML(v value.Value, shape *together, name string) []byte {
	var w xmlWriter
	w.document(name, v, shape)
	return w.out
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
