package executor

import (
	"maps"
	"net/textproto"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// masked stands in events where a secret was.
const masked = "***"

// credentialFields are header fields that hold credentials whatever their value.
var credentialFields = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"}

// mask takes secrets out of events.
type mask struct {
	reveal, showKeys bool
	secrets          secrets
	keyFields        []string // canonical names of fields that bear keys, beside those that are known
}

func newMask(start Start) *mask {
	m := &mask{reveal: start.Reveal, showKeys: start.ShowKeys}
	for _, text := range start.Secrets {
		m.hideText(text)
	}
	return m
}

// learn takes note of the inputs that the schema of a workflow marks as
// passwords, wherever in them they are.
func (m *mask) learn(w *workflow, inputs value.Value) {
	if w.inputs.secret {
		m.learnIn(w, w.model.Inputs, inputs)
	}
}

func (m *mask) learnIn(w *workflow, schema *arazzo.Node, v value.Value) {
	if schema == nil || v.IsNothing() {
		return
	}
	w.eachSchema(schema, func(part *arazzo.Node) {
		if isPassword(part) {
			m.hide(v)
			return
		}
		if properties := part.Get("properties"); properties != nil {
			for _, p := range properties.Members {
				m.learnIn(w, p.Value, v.Get(p.Key.Text))
			}
		}
		for _, inner := range membersOf(part) {
			for _, member := range v.Members() {
				m.learnIn(w, inner, member.Value)
			}
			for _, item := range v.Items() {
				m.learnIn(w, inner, item)
			}
		}
	})
}

// membersOf lists the schemas in a schema that are for members or elements
// without a name: each is held against all of them.
func membersOf(schema *arazzo.Node) []*arazzo.Node {
	var all []*arazzo.Node
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties", "items", "unevaluatedItems", "contains"} {
		all = append(all, schema.Get(keyword))
	}
	if patterns := schema.Get("patternProperties"); patterns != nil {
		for _, p := range patterns.Members {
			all = append(all, p.Value)
		}
	}
	if prefix := schema.Get("prefixItems"); prefix != nil {
		all = append(all, prefix.Items...)
	}
	return all
}

func isPassword(schema *arazzo.Node) bool {
	format := schema.Get("format")
	return format != nil && format.Text == "password"
}

// marksSecrets tells whether the schema of the inputs, or anything in it or that
// it refers to, is marked as a password.
func (w *workflow) marksSecrets() bool {
	seen := map[*arazzo.Node]bool{}
	var marks func(n *arazzo.Node) bool
	marks = func(n *arazzo.Node) bool {
		if n == nil || seen[n] {
			return false
		}
		seen[n] = true
		if isPassword(n) || slices.ContainsFunc(n.Items, marks) {
			return true
		}
		if ref := n.Get("$ref"); ref != nil && marks(w.set.Document.SchemaReference(w.model, ref.Text)) {
			return true
		}
		return slices.ContainsFunc(n.Members, func(m arazzo.Member) bool { return marks(m.Value) })
	}
	return marks(w.model.Inputs)
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

func (m *mask) hideText(text string) { m.secrets.add(text) }

// hideKeyField takes note of a header field that bears keys.
func (m *mask) hideKeyField(name string) {
	name = textproto.CanonicalMIMEHeaderKey(name)
	if !slices.Contains(m.keyFields, name) {
		m.keyFields = append(m.keyFields, name)
	}
}

func (m *mask) text(s string) string {
	if m.reveal {
		return s
	}
	return m.secrets.mask(s)
}

func (m *mask) bytes(b []byte) []byte {
	if m.reveal || m.secrets.none() || len(b) == 0 {
		return b
	}
	return []byte(m.secrets.mask(string(b)))
}

// value masks the strings and numbers of v.
func (m *mask) value(v value.Value) value.Value {
	if m.reveal || m.secrets.none() {
		return v
	}
	switch v.Kind() {
	case value.KindString, value.KindNumber:
		if shown := m.text(v.Text()); shown != v.Text() {
			return value.String(shown)
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
	if m.reveal {
		return h
	}
	out, copied := h, false
	for name, values := range h {
		shown, hidden := m.field(name, values)
		if !hidden {
			continue
		}
		if !copied {
			out, copied = maps.Clone(h), true
		}
		out[name] = shown
	}
	return out
}

// field gives the values of a field without secrets, and whether any was hidden.
func (m *mask) field(name string, values []string) (shown []string, hidden bool) {
	credential, key := slices.Contains(credentialFields, name), !m.showKeys && m.isKeyField(name)
	if !credential && !key && m.secrets.none() {
		return values, false
	}
	shown = make([]string, len(values))
	for i, text := range values {
		switch {
		case credential:
			shown[i] = masked
		case key:
			shown[i] = idempotency.Key{Value: text}.Digest()
		default:
			shown[i] = m.text(text)
		}
		hidden = hidden || shown[i] != text
	}
	return shown, hidden
}

func (m *mask) isKeyField(name string) bool {
	_, known := idempotency.KnownHeader(name)
	return known || slices.Contains(m.keyFields, name)
}

// detail gives the event's detail without secrets.
func (m *mask) detail(d Detail) Detail {
	if m.shows(d) {
		return d
	}
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
	case ContractFinding:
		d.Message, d.Pointer = m.text(d.Message), m.text(d.Pointer)
		return d
	case RetryWithheld:
		d.Reason = m.text(d.Reason)
		return d
	case MessageAwaited:
		d.Correlation, d.Address = m.text(d.Correlation), m.text(d.Address)
		return d
	case MessageReceived:
		d.Identity, d.Header, d.Body = m.text(d.Identity), m.header(d.Header), m.bytes(d.Body)
		return d
	case MessageSetAside:
		d.Identity, d.Reason = m.text(d.Identity), m.text(d.Reason)
		return d
	case StateRefused:
		d.Reason = m.text(d.Reason)
		return d
	case OperationSettled:
		d.By = m.text(d.By)
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

// shows tells whether an event can be seen as it is: there are no secrets to be found,
// and it has no field that is hidden whatever its value.
func (m *mask) shows(d Detail) bool {
	switch d.(type) {
	case RequestPrepared, AttemptFinished, MessageReceived:
		return false
	default:
		return m.reveal || m.secrets.none()
	}
}

func (m *mask) attempt(d AttemptFinished) AttemptFinished {
	d.Reason, d.Refused = m.text(d.Reason), m.text(d.Refused)
	d.Sent = m.sent(d.Sent)
	if d.Response != nil {
		response := m.response(*d.Response)
		d.Response = &response
	}
	d.Redirects = slices.Clone(d.Redirects)
	for i, r := range d.Redirects {
		d.Redirects[i] = Redirect{Response: m.response(r.Response), Next: m.sent(r.Next)}
	}
	return d
}

func (m *mask) sent(s Sent) Sent {
	return Sent{Method: s.Method, URL: m.text(s.URL), Header: m.header(s.Header), Body: m.bytes(s.Body)}
}

func (m *mask) response(r Response) Response {
	return Response{Status: r.Status, Header: m.header(r.Header), Body: m.bytes(r.Body), Protocol: r.Protocol}
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
