package mock

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

// befall tells whether a fault that acts as a request arrives can do so by the way
// that the request came. What cannot is written down as missed.
func (s *Server) befalls(f *livingFault, c carrier) bool {
	number, first := c.connection()
	switch {
	case f == nil:
		return false
	case f.moment == onConnect:
		s.faults.missed(f, "the client did not open its connection through the mock, which so could not refuse it")
	case f.http2 && !strings.HasPrefix(c.protocol(), "HTTP/2"):
		s.faults.missed(f, "the request came over "+c.protocol()+", and the fault is one of HTTP/2")
	case f.Kind == ReusedConnectionClosed && number == 0:
		s.faults.missed(f, "it cannot be told whether the connection was used before")
	case f.Kind == ReusedConnectionClosed && first:
		s.faults.missed(f, "the request came on a new connection")
	default:
		return true
	}
	return false
}

// breakDown lets a fault act on a request. answer is what it would get, nil before
// there is one; ok is false where there is nothing that the fault could do.
func (s *Server) breakDown(f *livingFault, in *incoming, entry int, answer *reply, replayed bool) (out outcome, ok bool) {
	out = outcome{reply: answer, replayed: replayed, delivery: delivery{manner: f.manner, delay: cmp.Or(f.Delay, DefaultSlow)}}
	switch {
	case f.silent():
		out.reply, out.replayed = nil, false
	case f.redirect:
		out.reply, out.replayed = f.redirection(in, answer), false
	case f.status != 0:
		out.reply, out.replayed = s.broken(f, in), false
	case f.Kind == ResponseBreaksSchema:
		if out.reply = in.misshapen(answer); out.reply == nil {
			s.faults.missed(f, "no change of the answer was found that breaks its schema")
			return outcome{}, false
		}
	case f.Kind == ResponseBreaksEncoding:
		out.reply = answer.copy().with("Content-Encoding", "gzip")
	case f.manner == cutsOff || f.manner == tearsOff || f.manner == pauses:
		if len(answer.body) < 2 {
			s.faults.missed(f, "the answer has no body that could break off")
			return outcome{}, false
		}
		out.cut = 1 + int(f.cut*float64(len(answer.body)-1))
	}
	s.fire(f, entry)
	return out, true
}

// fire writes down that a fault acts, and tells whoever waits for it.
func (s *Server) fire(f *livingFault, entry int) {
	fired := s.faults.fired(f, entry+1)
	if entry >= 0 {
		s.ledger.change(entry, func(r *Request) { r.Fault = f.Kind })
	}
	s.options.OnFault(fired)
}

// broken gives the answer that a fault gives in the place of the right one.
func (s *Server) broken(f *livingFault, in *incoming) *reply {
	detail := "The server breaks down as planned."
	switch f.slug {
	case "key-in-flight":
		detail = fmt.Sprintf("A request with this %s is in flight; ask again with the same key.", in.keyHeader)
	case "key-reused":
		detail = fmt.Sprintf("This %s came before with another content.", in.keyHeader)
	case "key-missing":
		detail = fmt.Sprintf("The operation %s demands the header %s.", in.route.name, in.keyHeader)
	case "key-expired":
		detail = fmt.Sprintf("This %s came too long ago.", in.keyHeader)
	case "key-invalid":
		detail = fmt.Sprintf("The %s must not be in quotes.", in.keyHeader)
	}
	broken := problem(f.status, cmp.Or(f.slug, "planned-fault"), detail)
	if text := f.retryAfterText(s.options.Now()); text != "" {
		broken.with("Retry-After", text)
	}
	return broken
}

func (f *livingFault) retryAfterText(now time.Time) string {
	delay := cmp.Or(f.Delay, DefaultComeAgain)
	switch f.after {
	case asWritten:
		return f.RetryAfter
	case inSeconds:
		return strconv.FormatInt(int64((delay+time.Second-1)/time.Second), 10)
	case asDate:
		// Dates have whole seconds: the next one, so that it is not over too early.
		return now.Add(delay + time.Second - 1).UTC().Format(http.TimeFormat)
	case inThePast:
		return now.Add(-time.Hour).UTC().Format(http.TimeFormat)
	case absurd:
		return absurdSeconds
	default:
		return ""
	}
}

// redirection leads to where the request came, or, after the effect, to what there
// is to read of it; on the same or on another origin.
func (f *livingFault) redirection(in *incoming, answer *reply) *reply {
	target := in.escapedPath
	switch {
	case answer != nil && answer.header.Get("Location") != "":
		target = answer.header.Get("Location")
	case answer != nil && in.route.role.kind == action:
		target = target[:strings.LastIndexByte(target, '/')]
	case answer == nil && len(in.query) > 0:
		target += "?" + in.query.Encode()
	}
	if f.elsewhere {
		target = in.scheme + "://" + otherHost(in.host) + target
	}
	return &reply{status: f.status, header: http.Header{"Location": {target}}}
}

// otherHost names the host so that it is another origin, where it can be with a name
// that leads to the same server: then the ledger shows who followed.
func otherHost(host string) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	switch name {
	case "127.0.0.1":
		name = "localhost"
	case "localhost":
		name = "127.0.0.1"
	default:
		name = "other." + name
	}
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}

// misshapen gives an answer that breaks its schema, as little as possible; nil:
// none was found.
func (in *incoming) misshapen(answer *reply) *reply {
	body, err := value.ParseJSON(answer.body)
	if err != nil {
		return nil
	}
	for _, wrong := range in.misshapes(body) {
		broken := answer.copy()
		broken.body = value.AppendJSON(nil, wrong)
		response := check.Response{Status: broken.status, Header: broken.header, Body: broken.body, Value: wrong}
		if len(in.route.known.checker.Response(in.route.operation, response).Findings) > 0 {
			return broken
		}
	}
	return nil
}

// misshapes lists bodies that may break the schema: one required member after the
// other left out, then of another type, then another body.
func (in *incoming) misshapes(body value.Value) []value.Value {
	var all []value.Value
	shape := in.as().shape
	for _, name := range shape.properties() {
		if shape.requires(name) && !body.Get(name).IsAbsent() {
			all = append(all, set(body, name, value.Absent))
		}
	}
	for _, m := range body.Members() {
		all = append(all, set(body, m.Name, value.Array(m.Value)))
	}
	return append(all, value.Bool(false), value.Array(value.Null))
}

// misread gives the answer to a read that tells a wrong state; nil: there is none
// that could be wrong.
func (f *livingFault) misread(in *incoming, answer *reply) *reply {
	name := in.route.stateProperty()
	body, err := value.ParseJSON(answer.body)
	if answer.status/100 != 2 || err != nil || body.Get(name).IsAbsent() {
		return nil
	}
	wrong := value.String(cmp.Or(f.Value, unknownState))
	if f.Kind == ReadConflicting && f.Value == "" {
		for _, known := range in.as().shape.property(name).enum() {
			if !value.Identical(known, body.Get(name)) {
				wrong = known // the last one: the first is where things begin
			}
		}
	}
	broken := answer.copy()
	broken.body = value.AppendJSON(nil, set(body, name, wrong))
	return broken
}

// unknownState is a state that no description knows.
const unknownState = "WEFT_UNKNOWN_STATE"

// stateProperty gives the property of an answer that tells how a thing stands; empty:
// there is none.
func (r *route) stateProperty() string {
	if all := r.described().representations; len(all) > 0 {
		return all[0].shape.stateProperty()
	}
	return ""
}

// stateProperty gives the property that tells how a thing stands: one that goes on by
// itself, else one named so, else the first with an enum; empty: there is none.
func (t *together) stateProperty() string {
	first, named := "", ""
	for _, name := range t.properties() {
		p := t.property(name)
		switch _, fixed := p.fixed(); {
		case len(p.then()) > 0:
			return name
		case !p.hasEnum() || fixed:
		case name == "status" || name == "state":
			named = name
		case first == "":
			first = name
		}
	}
	return cmp.Or(named, first)
}

// originOf gives scheme and host of a request as the client names them.
func originOf(r *http.Request) (scheme, host string) {
	scheme, host = "http", cmp.Or(r.Host, r.URL.Host)
	if r.TLS != nil || r.URL.Scheme == "https" {
		scheme = "https"
	}
	return scheme, host
}

// unquoted tells whether a key is in quotes (RFC 9651, section 3.3.3).
func quoted(key string) bool {
	return len(key) >= 2 && strings.HasPrefix(key, `"`) && strings.HasSuffix(key, `"`)
}
