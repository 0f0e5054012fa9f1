package mock

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/weft-flow/weft/arazzo/value"
)

const (
	jsonType    = "application/json"
	problemType = "application/problem+json"

	// replayedHeader marks an answer that was given before.
	replayedHeader = "Idempotent-Replayed"
)

// reply is one whole response. It is not changed once it is made.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// fill gives the header of the response.
func (r *reply) fill(header http.Header, replayed bool) {
	for name, values := range r.header {
		header[name] = values
	}
	if replayed {
		header.Set(replayedHeader, "true")
	}
	if bodyAllowed(r.status) {
		header.Set("Content-Length", strconv.Itoa(len(r.body)))
	}
}

// copy gives a reply that may be changed; the body is to be replaced, not written in.
func (r *reply) copy() *reply {
	return &reply{status: r.status, header: r.header.Clone(), body: r.body}
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// finding is one way in which a request breaks its description.
type finding struct {
	pointer   string // into the body, as a URI fragment; empty where it is not about the body
	parameter string
	in        string
	detail    string
}

// String gives the finding as the ledger tells it.
func (f finding) String() string {
	switch {
	case f.parameter != "":
		return fmt.Sprintf("%s parameter %s: %s", f.in, f.parameter, f.detail)
	case f.pointer != "":
		return fmt.Sprintf("body %s: %s", f.pointer, f.detail)
	default:
		return f.detail
	}
}

func (f finding) value() value.Value {
	text := func(s string) value.Value {
		if s == "" {
			return value.Absent
		}
		return value.String(s)
	}
	return value.Object(
		value.Member{Name: "pointer", Value: text(f.pointer)},
		value.Member{Name: "parameter", Value: text(f.parameter)},
		value.Member{Name: "in", Value: text(f.in)},
		value.Member{Name: "detail", Value: text(f.detail)},
	)
}

// problem makes a problem document (RFC 9457). slug ends its type.
func problem(status int, slug, detail string, findings ...finding) *reply {
	members := []value.Member{
		{Name: "type", Value: value.String("urn:weft:mock:" + slug)},
		{Name: "title", Value: value.String(http.StatusText(status))},
		{Name: "status", Value: value.Int(int64(status))},
		{Name: "detail", Value: value.String(detail)},
	}
	if len(findings) > 0 {
		errors := make([]value.Value, len(findings))
		for i, f := range findings {
			errors[i] = f.value()
		}
		members = append(members, value.Member{Name: "errors", Value: value.Array(errors...)})
	}
	return &reply{
		status: status,
		header: http.Header{"Content-Type": {problemType}},
		body:   value.AppendJSON(nil, value.Object(members...)),
	}
}

func (r *reply) with(name, text string) *reply {
	r.header.Set(name, text)
	return r
}
