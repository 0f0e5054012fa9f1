package executor

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// masked stands in events where a secret was.
const masked = "***"

// minSecret is the length from which a secret is looked for inside other text: a
// shorter one would mask half of everything.
const minSecret = 4

// credentialFields are header fields that hold credentials whatever their value.
var credentialFields = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"}

// mask takes secrets out of events.
type mask struct {
	reveal, showKeys bool
	secrets          []string // in every form that they may be written in, the longest first
	replacer         *strings.Replacer
}

func newMask(start Start) *mask {
	m := &mask{reveal: start.Reveal, showKeys: start.ShowKeys}
	for _, text := range start.Secrets {
		m.hideText(text)
	}
	return m
}

// hide takes note of a secret value and of all scalars in it.
func (m *mask) hide(v value.Value) {
	switch v.Kind() {
	case value.KindString, value.KindNumber:
		m.hideText(v.Text())
	default:
		for _, item := range v.Items() {
			m.hide(item)
		}
		for _, member := range v.Members() {
			m.hide(member.Value)
		}
	}
}

func (m *mask) hideText(text string) {
	if len(text) < minSecret || slices.Contains(m.secrets, text) {
		return
	}
	quoted := string(value.AppendJSON(nil, value.String(text)))
	m.secrets = append(m.secrets, text, quoted[1:len(quoted)-1], url.QueryEscape(text), url.PathEscape(text),
		base64.StdEncoding.EncodeToString([]byte(text)))
	slices.SortStableFunc(m.secrets, func(a, b string) int { return len(b) - len(a) })
	m.secrets = slices.Compact(m.secrets)
	pairs := make([]string, 0, 2*len(m.secrets))
	for _, s := range m.secrets {
		pairs = append(pairs, s, masked)
	}
	m.replacer = strings.NewReplacer(pairs...)
}

func (m *mask) text(s string) string {
	if m.replacer == nil || m.reveal || s == "" {
		return s
	}
	return m.replacer.Replace(s)
}

func (m *mask) bytes(b []byte) []byte {
	if m.replacer == nil || m.reveal || len(b) == 0 {
		return b
	}
	return []byte(m.replacer.Replace(string(b)))
}

// value masks the strings and numbers of v.
func (m *mask) value(v value.Value) value.Value {
	if m.replacer == nil || m.reveal {
		return v
	}
	switch v.Kind() {
	case value.KindString, value.KindNumber:
		if text := v.Text(); m.text(text) != text {
			return value.String(m.text(text))
		}
		return v
	case value.KindArray:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			items[i] = m.value(item)
		}
		return value.Array(items...)
	case value.KindObject:
		members := make([]value.Member, v.Len())
		for i, member := range v.Members() {
			members[i] = value.Member{Name: m.text(member.Name), Value: m.value(member.Value)}
		}
		return value.Object(members...)
	default:
		return v
	}
}

func (m *mask) header(h Header) Header {
	if m.reveal || len(h) == 0 {
		return h
	}
	out := make(Header, len(h))
	for name, values := range h {
		shown := make([]string, len(values))
		for i, text := range values {
			switch {
			case slices.Contains(credentialFields, name):
				shown[i] = masked
			case !m.showKeys && isKeyField(name):
				shown[i] = idempotency.Key{Value: text}.Digest()
			default:
				shown[i] = m.text(text)
			}
		}
		out[name] = shown
	}
	return out
}

func isKeyField(name string) bool {
	_, known := idempotency.KnownHeader(name)
	return known
}

// detail gives the event's detail without secrets.
func (m *mask) detail(d Detail) Detail {
	switch d := d.(type) {
	case RequestPrepared:
		d.Target = m.text(d.Target)
		if !m.showKeys {
			d.Key = ""
		}
		return d
	case AttemptFinished:
		return m.attempt(d)
	case WorkflowStarted:
		d.Inputs = m.value(d.Inputs)
		return d
	case StepFinished:
		d.Reason, d.Outputs = m.text(d.Reason), m.value(d.Outputs)
		return d
	case WorkflowFinished:
		d.Reason, d.Outputs = m.text(d.Reason), m.value(d.Outputs)
		return d
	case CriterionEvaluated:
		d.Condition, d.Fault = m.text(d.Condition), m.text(d.Fault)
		return d
	case Notice:
		d.Message = m.text(d.Message)
		return d
	case RunFinished:
		d.Result = m.result(d.Result)
		return d
	default:
		return d
	}
}

func (m *mask) attempt(d AttemptFinished) AttemptFinished {
	d.Reason, d.Refused = m.text(d.Reason), m.text(d.Refused)
	d.Sent = Sent{Method: d.Sent.Method, URL: m.text(d.Sent.URL), Header: m.header(d.Sent.Header), Body: m.bytes(d.Sent.Body)}
	if d.Response != nil {
		d.Response = &Response{Status: d.Response.Status, Header: m.header(d.Response.Header), Body: m.bytes(d.Response.Body)}
	}
	return d
}

func (m *mask) result(r Result) Result {
	r.Reason = m.text(r.Reason)
	r.Workflows = slices.Clone(r.Workflows)
	for i := range r.Workflows {
		r.Workflows[i].Reason = m.text(r.Workflows[i].Reason)
		r.Workflows[i].Outputs = m.value(r.Workflows[i].Outputs)
	}
	return r
}
