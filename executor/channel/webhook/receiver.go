package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/weft-flow/weft/executor/channel"
)

// Receiver is the http.Handler that messages are sent to. It answers when the message
// is kept, and never with a redirect. To serve it beneath a path, strip the prefix
// (http.StripPrefix) and give the same prefix to BaseURL.
type Receiver struct {
	keeper  channel.Keeper
	now     func() time.Time
	maxBody int64
	sources map[string]*source
}

// source are the settings of a source, ready for use.
type source struct {
	Source
	keys    [][]byte
	limiter *rate.Limiter // nil: any rate
}

// New makes a Receiver. An error tells which setting of which source is wrong.
func New(keeper channel.Keeper, o Options) (*Receiver, error) {
	r := &Receiver{keeper: keeper, now: o.Now, maxBody: cmp.Or(o.MaxBody, defaultMaxBody), sources: map[string]*source{"": {}}}
	if r.now == nil {
		r.now = time.Now
	}
	for name, settings := range o.Sources {
		s := &source{Source: settings}
		if err := settings.check(); err != nil {
			return nil, fmt.Errorf("settings of the messages of source %q: %w", name, err)
		}
		for _, text := range settings.Secrets {
			key, err := readSecret(text)
			if err != nil {
				return nil, fmt.Errorf("settings of the messages of source %q: %w", name, err)
			}
			s.keys = append(s.keys, key)
		}
		if settings.Rate > 0 {
			s.limiter = rate.NewLimiter(rate.Limit(settings.Rate), settings.burst())
		}
		r.sources[name] = s
	}
	return r, nil
}

// settings gives those of a source, or those of none.
func (r *Receiver) settings(name string) *source {
	if s, ok := r.sources[name]; ok && name != "" {
		return s
	}
	return r.sources[""]
}

// ServeHTTP takes one request.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	target, ok := ParsePath(request.URL.EscapedPath())
	if !ok {
		notFound.write(w)
		return
	}
	known, ok, err := r.keeper.Find(request.Context(), target)
	switch {
	case err != nil:
		notKept.write(w)
	case !ok:
		notFound.write(w)
	case known.Gone:
		gone.write(w)
	case known.Signed && r.sources[known.Source] == nil:
		noSecret.write(w)
	default:
		r.receive(w, &arrival{Request: request, known: known, source: r.settings(known.Source), received: r.now()})
	}
}

// arrival is a request to a known address.
type arrival struct {
	*http.Request
	known    channel.Known
	source   *source
	received time.Time
}

func (r *Receiver) receive(w http.ResponseWriter, a *arrival) {
	if a.Method == http.MethodOptions && a.consents(w) {
		return
	}
	if !slices.Contains(a.known.Methods, a.Method) {
		w.Header().Set("Allow", strings.Join(a.known.Methods, ", "))
		wrongMethod.write(w)
		return
	}
	if l := a.source.limiter; l != nil && !l.AllowN(a.received, 1) {
		tooMany.write(w)
		return
	}
	body, ok := r.body(w, a)
	if !ok {
		return
	}
	if len(a.source.keys) > 0 {
		if reason := verify(a.source.keys, a.Header, body, a.received, a.source.tolerance()); reason != "" {
			r.refuse(w, a, unsigned, reason)
			return
		}
	}
	if reason := a.wrongType(len(body)); reason != "" {
		w.Header().Set("Accept", strings.Join(a.known.ContentTypes, ", "))
		w.Header().Set("Accept-Encoding", "identity")
		r.refuse(w, a, wrongType, reason)
		return
	}
	messages, err := read(a.Header, body)
	if err != nil {
		r.refuse(w, a, tooLarge, err.Error())
		return
	}
	r.keep(w, a, messages)
}

// body reads the body, which it answers for where it cannot.
func (r *Receiver) body(w http.ResponseWriter, a *arrival) ([]byte, bool) {
	limit := cmp.Or(a.source.MaxBody, r.maxBody)
	reason := fmt.Sprintf("its body has more than %d bytes", limit)
	if a.ContentLength > limit {
		w.Header().Set("Connection", "close") // what is not read is not waited for
		r.refuse(w, a, tooLarge, reason)
		return nil, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, a.Body, limit))
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		r.refuse(w, a, tooLarge, reason)
	case err != nil:
		broken.write(w)
	}
	return body, err == nil
}

// wrongType tells why a message of this content type is not taken; empty: it is. What
// has no body has no type, and of what does not tell its type everything is taken.
func (a *arrival) wrongType(length int) string {
	if coding := a.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return fmt.Sprintf("its content coding is %q: expected none", coding)
	}
	wanted := a.known.ContentTypes
	if len(wanted) == 0 || length == 0 || a.Header.Get("Content-Type") == "" {
		return ""
	}
	is := mediaType(a.Header)
	for _, w := range wanted {
		if accepts(w, is) {
			return ""
		}
	}
	return fmt.Sprintf("its content type is %q: expected %s", is, strings.Join(wanted, " or "))
}

// accepts tells whether a documented media type, perhaps a range, includes another.
// Events of CloudEvents come as JSON wherever JSON is documented.
func accepts(wanted, is string) bool {
	wanted = mediaType(http.Header{"Content-Type": {wanted}})
	if is == structuredType || is == batchType {
		if _, subtype, _ := strings.Cut(wanted, "/"); subtype == "json" || strings.HasSuffix(subtype, "+json") {
			return true
		}
	}
	prefix, isRange := strings.CutSuffix(wanted, "/*")
	return wanted == is || wanted == "*/*" || isRange && strings.HasPrefix(is, prefix+"/")
}

// maxReason is the greatest length in bytes of a reason, which may quote the message.
const maxReason = 500

// refuse records a message that is not taken, and answers.
func (r *Receiver) refuse(w http.ResponseWriter, a *arrival, p problem, reason string) {
	reason = reason[:min(len(reason), maxReason)]
	refused := channel.Refused{Place: a.known.Place, Received: a.received, Reason: reason}
	if ids := a.Header[idField]; len(ids) > 0 {
		refused.Identity = native(ids[0])
	}
	if err := r.keeper.Refuse(a.Context(), refused); err != nil {
		notKept.write(w)
		return
	}
	p.because(reason).write(w)
}

// keep hands over all messages of a request and answers for them together. One that
// finds no room does not hold up the others: when the request comes again, those that
// are kept are duplicates.
func (r *Receiver) keep(w http.ResponseWriter, a *arrival, messages contents) {
	status := acknowledging(a.known.Status)
	var failed problem
	kept := 0
	for _, m := range messages {
		k, err := r.keeper.Keep(a.Context(), channel.Arrival{
			Place: a.known.Place, Received: a.received, Identity: m.identity, Method: a.Method,
			Header: m.header, Query: a.query(), Path: a.known.Path, Body: m.body,
		})
		if err != nil {
			failed = notKept
			break
		}
		switch {
		case !k.Outcome.Acknowledged():
			failed = failure(k.Outcome)
		default:
			kept++
			if k.Outcome == channel.Conflicting && a.source.ConflictStatus != 0 {
				status = a.source.ConflictStatus
			} else if k.Status != 0 && len(messages) == 1 {
				status = acknowledging(k.Status)
			}
		}
	}
	switch {
	case failed.status != 0 && len(messages) > 1:
		failed.because(fmt.Sprintf("%d of %d events are kept. Send the batch again: those with an identity are not taken twice.", kept, len(messages))).write(w)
	case failed.status != 0:
		failed.write(w)
	case status >= http.StatusBadRequest:
		conflicts.with(status).write(w)
	default:
		w.WriteHeader(status)
	}
}

// acknowledging gives the status that acknowledges a message.
func acknowledging(documented int) int {
	if documented >= 200 && documented <= 299 {
		return documented
	}
	return http.StatusAccepted
}

// query gives the query without the credential that RFC 6750 allows in it.
func (a *arrival) query() map[string][]string {
	query := a.URL.Query()
	delete(query, "access_token")
	if len(query) == 0 {
		return nil
	}
	return query
}

// consents answers the question of CloudEvents whether a sender may send, where it may;
// false: it does not. An address in WebHook-Request-Callback is never called.
func (a *arrival) consents(w http.ResponseWriter) bool {
	origin := a.Header.Get("WebHook-Request-Origin")
	allowed := slices.ContainsFunc(a.source.Origins, func(o string) bool { return o == "*" || strings.EqualFold(o, origin) })
	if origin == "" || !allowed {
		return false
	}
	perMinute := "*"
	if a.source.Rate > 0 {
		perMinute = fmt.Sprint(max(1, int(a.source.Rate*60)))
	}
	w.Header().Set("Allow", strings.Join(a.known.Methods, ", "))
	w.Header().Set("WebHook-Allowed-Origin", origin)
	w.Header().Set("WebHook-Allowed-Rate", perMinute)
	w.WriteHeader(http.StatusOK)
	return true
}
