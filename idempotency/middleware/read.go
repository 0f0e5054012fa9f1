package middleware

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// read reads of a request what its record needs, its whole body included, which the
// handler then reads from memory. ok is false where it bears no key and needs none.
func (m *Middleware) read(w http.ResponseWriter, r *http.Request) (start idempotency.Start, refused *problem, ok bool) {
	key, refused := m.key(r)
	if refused != nil || key == "" {
		return start, refused, false
	}
	principal, err := m.o.Principal(r)
	if err != nil {
		return start, &unknownPrincipal, false
	}
	body, refused := m.body(w, r)
	if refused != nil {
		return start, refused, false
	}
	start = idempotency.Start{
		Claim: idempotency.Claim{
			Key:   idempotency.RecordKey{Principal: principal, Scope: m.o.Scope(r), Key: key},
			Owner: idempotency.NewOwner(),
		},
		Fingerprint: idempotency.FingerprintRequest(r.Method, r.URL.EscapedPath(), r.URL.RawQuery,
			canonical(r.Header.Get("Content-Type"), body)),
		Lease: m.o.Lease,
	}
	if err := start.Check(); err != nil {
		return start, invalidKey.because(err.Error()), false
	}
	return start, nil, true
}

// key gives the plain key of a request; empty where it bears none and needs none.
func (m *Middleware) key(r *http.Request) (string, *problem) {
	values := r.Header.Values(m.o.Header)
	switch {
	case len(values) == 0 && m.o.Required:
		return "", missingKey.because("the header " + m.o.Header + " is required")
	case len(values) == 0:
		return "", nil
	case len(values) > 1:
		return "", invalidKey.because("the header " + m.o.Header + " is there more than once")
	}
	dialect := idempotency.Dialect{Name: "this service", Header: m.o.Header, Format: idempotency.Raw, MaxLength: m.o.MaxKey}
	if strings.HasPrefix(values[0], `"`) {
		dialect.Format = idempotency.SFString
	}
	key, err := dialect.Decode(values[0])
	if err != nil {
		return "", invalidKey.because(err.Error())
	}
	return key, nil
}

// body reads the body up to the limit and leaves it to the handler in memory.
func (m *Middleware) body(w http.ResponseWriter, r *http.Request) ([]byte, *problem) {
	if r.ContentLength > m.o.MaxBody {
		return nil, &bodyTooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, m.o.MaxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, &bodyTooLarge
	case err != nil:
		return nil, &bodyBroken
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	return body, nil
}

// canonical gives a JSON body in the one form of its value: members in the order of
// RFC 8785, numbers with all their digits, never through a float. Any other body, and
// one that only claims to be JSON, is taken as it is.
func canonical(contentType string, body []byte) []byte {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return body
	}
	v, err := value.ParseJSON(body)
	if err != nil {
		return body
	}
	return value.AppendJCS(make([]byte, 0, len(body)), v)
}
