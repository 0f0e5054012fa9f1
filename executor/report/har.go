package report

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// HAR collects the requests that were on the wire, and what came of them, as an
// HTTP archive (HAR 1.2) that browsers and HTTP tools can open. It is an
// executor.Sink; what an attempt that sent nothing says is in the other reports, and
// so are the messages that were received: they are no requests of ours.
//
// Of times an event knows the total alone, which stands as the wait. What is not
// known at all has the value that the format has for it: -1, or an empty text.
type HAR struct {
	archive harArchive
	room    room
}

// NewHAR gives a HAR without requests. version is that of the program.
func NewHAR(version string) *HAR {
	return &HAR{archive: harArchive{harLog{
		Version: "1.2", Creator: harCreator{Name: "weft", Version: version}, Entries: []harEntry{},
	}}}
}

// Write takes the next event. It never fails.
func (h *HAR) Write(e executor.Event) error {
	d, ok := e.Detail.(executor.AttemptFinished)
	if !ok || d.Attempt == idempotency.NotSent || d.Refused != "" || d.Sent.Method == "" {
		return nil
	}
	kept, shortened := h.room.take(d)
	for _, entry := range harEntriesOf(e, kept.(executor.AttemptFinished)) {
		if shortened {
			entry.Comment += "; header fields and bodies are left out, since the archive was too large by then"
		}
		h.archive.Log.Entries = append(h.archive.Log.Entries, entry)
	}
	return nil
}

// harEntriesOf gives an entry for each request of an attempt: redirects that were
// followed made several. When each of them was sent is not known, so that the last
// has the time of all.
func harEntriesOf(e executor.Event, d executor.AttemptFinished) []harEntry {
	var entries []harEntry
	last := d
	for i, r := range d.Redirects {
		hop := last
		response := r.Response
		hop.Response, hop.Duration = &response, 0
		entry := harEntryOf(e, hop)
		entry.StartedDateTime = harTime(e.Time.Add(-d.Duration))
		entry.Comment = fmt.Sprintf("%s: redirect %d of %d", harName(e), i+1, len(d.Redirects))
		entries = append(entries, entry)
		last.Sent = r.Next
	}
	return append(entries, harEntryOf(e, last))
}

// WriteTo writes the archive of what has come so far.
func (h *HAR) WriteTo(w io.Writer) (int64, error) { return writeJSON(w, h.archive) }

// The objects of the format. No member is left out that it demands.
type (
	harArchive struct {
		Log harLog `json:"log"`
	}
	harLog struct {
		Version string     `json:"version"`
		Creator harCreator `json:"creator"`
		Entries []harEntry `json:"entries"`
		Comment string     `json:"comment,omitempty"`
	}
	harCreator struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	harEntry struct {
		StartedDateTime string      `json:"startedDateTime"`
		Time            float64     `json:"time"`
		Request         harRequest  `json:"request"`
		Response        harResponse `json:"response"`
		Cache           struct{}    `json:"cache"`
		Timings         harTimings  `json:"timings"`
		Comment         string      `json:"comment"`
	}
	harRequest struct {
		Method      string       `json:"method"`
		URL         string       `json:"url"`
		HTTPVersion string       `json:"httpVersion"`
		Cookies     []harCookie  `json:"cookies"`
		Headers     []harField   `json:"headers"`
		QueryString []harField   `json:"queryString"`
		PostData    *harPostData `json:"postData,omitempty"`
		HeadersSize int          `json:"headersSize"`
		BodySize    int          `json:"bodySize"`
	}
	harResponse struct {
		Status      int         `json:"status"`
		StatusText  string      `json:"statusText"`
		HTTPVersion string      `json:"httpVersion"`
		Cookies     []harCookie `json:"cookies"`
		Headers     []harField  `json:"headers"`
		Content     harContent  `json:"content"`
		RedirectURL string      `json:"redirectURL"`
		HeadersSize int         `json:"headersSize"`
		BodySize    int         `json:"bodySize"`
	}
	harField struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	harCookie struct {
		Name     string `json:"name"`
		Value    string `json:"value"`
		Path     string `json:"path,omitempty"`
		Domain   string `json:"domain,omitempty"`
		Expires  string `json:"expires,omitempty"`
		HTTPOnly bool   `json:"httpOnly,omitempty"`
		Secure   bool   `json:"secure,omitempty"`
	}
	harPostData struct {
		MimeType string     `json:"mimeType"`
		Params   []harField `json:"params"`
		Text     string     `json:"text"`
		// Encoding is ours: HAR 1.2 has no way to give the bytes of a request that
		// are no text, and keeps names with an underscore free.
		Encoding string `json:"_encoding,omitempty"`
	}
	harContent struct {
		Size     int    `json:"size"`
		MimeType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Encoding string `json:"encoding,omitempty"`
	}
	harTimings struct {
		Blocked float64 `json:"blocked"`
		DNS     float64 `json:"dns"`
		Connect float64 `json:"connect"`
		Send    float64 `json:"send"`
		Wait    float64 `json:"wait"`
		Receive float64 `json:"receive"`
		SSL     float64 `json:"ssl"`
	}
)

// unknownSize is how the format writes a size or time that is not known.
const unknownSize = -1

// unknownType is the media type of content that says nothing of it: RFC 9110,
// section 8.3.
const unknownType = "application/octet-stream"

func harEntryOf(e executor.Event, d executor.AttemptFinished) harEntry {
	total := milliseconds(d.Duration)
	return harEntry{
		StartedDateTime: harTime(e.Time.Add(-d.Duration)),
		Time:            total,
		Request:         harRequestOf(d.Sent, d.Response),
		Response:        harResponseOf(d.Response),
		Timings: harTimings{
			Blocked: unknownSize, DNS: unknownSize, Connect: unknownSize, SSL: unknownSize, Wait: total,
		},
		Comment: harComment(e, d),
	}
}

func harTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func harName(e executor.Event) string {
	return fmt.Sprintf("%s/%s#%d/%d", e.Workflow, e.Step, e.Activation, e.Attempt)
}

// harComment says which attempt of which step a request was, and what came of it.
func harComment(e executor.Event, d executor.AttemptFinished) string {
	text := harName(e) + ": " + string(d.Attempt)
	a := attemptView{finished: d}
	if reason := a.reason(); reason != "" {
		text += ": " + reason
	}
	return text
}

// harRequestOf gives a request. Its version of HTTP is that of its response, since both
// go over one connection.
func harRequestOf(s executor.Sent, response *executor.Response) harRequest {
	r := harRequest{
		Method: s.Method, URL: s.URL, Headers: harFieldsOf(s.Header), QueryString: queryOf(s.URL),
		Cookies: []harCookie{}, HeadersSize: unknownSize, BodySize: len(s.Body),
	}
	if response != nil {
		r.HTTPVersion = response.Protocol
	}
	for _, line := range s.Header["Cookie"] {
		cookies, err := http.ParseCookie(line)
		if err != nil { // as where it is masked
			continue
		}
		for _, c := range cookies {
			r.Cookies = append(r.Cookies, harCookie{Name: c.Name, Value: c.Value})
		}
	}
	if len(s.Body) > 0 {
		text, encoding := harText(s.Body)
		r.PostData = &harPostData{MimeType: typeOf(s.Header), Params: []harField{}, Text: text, Encoding: encoding}
	}
	return r
}

// harResponseOf gives a response; one with status 0 where none came to its end.
func harResponseOf(response *executor.Response) harResponse {
	r := harResponse{
		Cookies: []harCookie{}, Headers: []harField{}, Content: harContent{MimeType: unknownType},
		HeadersSize: unknownSize, BodySize: unknownSize,
	}
	if response == nil {
		return r
	}
	r.Status, r.Headers, r.HTTPVersion = response.Status, harFieldsOf(response.Header), response.Protocol
	r.RedirectURL, _ = response.Header.Get("Location")
	for _, line := range response.Header["Set-Cookie"] {
		if c, err := http.ParseSetCookie(line); err == nil {
			r.Cookies = append(r.Cookies, harCookie{
				Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain, Expires: expiryOf(c),
				HTTPOnly: c.HttpOnly, Secure: c.Secure,
			})
		}
	}
	r.Content = harContent{Size: len(response.Body), MimeType: typeOf(response.Header)}
	r.Content.Text, r.Content.Encoding = harText(response.Body)
	if size, ok := response.Header.Get("Content-Length"); ok {
		if n, err := strconv.Atoi(size); err == nil && n >= 0 {
			r.BodySize = n
		}
	}
	return r
}

func expiryOf(c *http.Cookie) string {
	if c.Expires.IsZero() {
		return ""
	}
	return c.Expires.UTC().Format(time.RFC3339)
}

func harFieldsOf(h executor.Header) []harField {
	fields := []harField{}
	for _, name := range namesOf(h) {
		for _, text := range h[name] {
			fields = append(fields, harField{name, text})
		}
	}
	return fields
}

func typeOf(h executor.Header) string {
	if text, ok := h.Get("Content-Type"); ok {
		return text
	}
	return unknownType
}

// harText gives a body as text where it is UTF-8, else in base64.
func harText(body []byte) (text, encoding string) {
	c := contentOf(body)
	switch {
	case c == nil:
		return "", ""
	case c.Base64 != nil:
		return base64.StdEncoding.EncodeToString(c.Base64), "base64"
	default:
		return c.Text, ""
	}
}

// queryOf gives the names and values of a query in its order, decoded. What is not
// encoded as it should be stands as it was sent.
func queryOf(target string) []harField {
	fields := []harField{}
	target, _, _ = strings.Cut(target, "#")
	_, query, _ := strings.Cut(target, "?")
	for _, pair := range strings.Split(query, "&") {
		if pair == "" {
			continue
		}
		name, text, _ := strings.Cut(pair, "=")
		fields = append(fields, harField{decoded(name), decoded(text)})
	}
	return fields
}

func decoded(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}
