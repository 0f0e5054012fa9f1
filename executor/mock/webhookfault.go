package mock

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

// What a Fault of webhooks says where it says nothing.
const (
	DefaultLate  = time.Minute      // Delay of late messages
	DefaultStale = 10 * time.Minute // Delay: how old a stale timestamp is
	DefaultBurst = 10_000           // Count
)

// lanes is how many messages of a burst are in the air at once.
const lanes = 16

// play sends a message with its fault. A fault has fired when the message came that it
// is about, or was kept back.
func (o *outbox) play(m *message, f *livingFault) {
	switch f.Kind {
	case WebhookLate:
		late := cmp.Or(f.Delay, DefaultLate)
		o.server.faults.missed(f, fmt.Sprintf("its message was to come %v late, and nobody waited for it", late))
		o.schedule(late, func() { o.sendBad(m, f, m.parcel()) })
	case WebhookLost:
		o.fire(m, f)
		o.lose(m.parcel(), f)
	case WebhookParallel:
		o.fire(m, f)
		o.schedule(0, func() { o.send(m.parcel()) })
		o.schedule(0, func() { o.send(m.parcel().with(f)) })
	case WebhookBurst:
		o.fire(m, f)
		o.burst(m.parcel(), f)
	case WebhookDoubledSameID, WebhookDoubledNewID, WebhookOutOfOrder, WebhookConflicting:
		second := m.second(f)
		o.send(m.parcel())
		if second == nil {
			o.server.faults.missed(f, "the message tells nothing that could be told otherwise")
			return
		}
		o.sendBad(m, f, second.parcel())
	default:
		p, why := o.spoiled(m, f)
		if why != "" {
			o.server.faults.missed(f, why)
			o.send(m.parcel())
			return
		}
		o.sendBad(m, f, p)
	}
}

// fire writes down that a fault acts on a message, and tells whoever waits for it.
func (o *outbox) fire(m *message, f *livingFault) {
	o.server.options.OnFault(o.server.faults.fired(f, m.request))
}

// sendBad fires a fault and sends the parcel that it is about.
func (o *outbox) sendBad(m *message, f *livingFault, p parcel) {
	o.fire(m, f)
	o.send(p.with(f))
}

// with marks a parcel as that of a fault.
func (p parcel) with(f *livingFault) parcel {
	p.fault = f.Kind
	return p
}

// lose writes down a message that does not arrive.
func (o *outbox) lose(p parcel, f *livingFault) {
	header := p.header(o.server.options.Now(), o.options.Secret(p.webhook.source))
	entry := o.server.ledger.openWebhook(p.entry(header, 1, f.Kind))
	o.server.ledger.answeredWebhook(entry, 0, errLost)
}

// burst sends one message many times, some at once. Only one of them is sent again where
// it is not answered well.
func (o *outbox) burst(p parcel, f *livingFault) {
	count := cmp.Or(f.Count, DefaultBurst)
	for lane := range min(lanes, count) {
		o.schedule(0, func() {
			for nth := lane; nth < count && !o.server.isClosed(); nth += lanes {
				copied := p.with(f)
				copied.once = nth > 0
				o.send(copied)
			}
		})
	}
}

// second makes the message that follows a message because of a fault; nil: there is
// nothing that it could say.
func (m *message) second(f *livingFault) *message {
	next := *m
	if f.Kind == WebhookDoubledNewID || f.Kind == WebhookOutOfOrder {
		next.id = m.newID(f.Kind)
		next.payload = m.withEventID(m.payload, next.id)
	}
	switch f.Kind {
	case WebhookOutOfOrder:
		if !next.tellOtherState(f.Value, true) {
			return nil
		}
		next.payload = replaced(next.payload, m.dueText(), value.String(dateText(m.due.Add(-time.Second))))
	case WebhookConflicting:
		if !next.tellOtherState(f.Value, false) && !next.tellOther() {
			return nil
		}
	}
	return &next
}

// spoiled gives the parcel that a fault makes of a message, or why it cannot.
func (o *outbox) spoiled(m *message, f *livingFault) (p parcel, why string) {
	p = m.parcel()
	switch f.Kind {
	case WebhookWrongCorrelation:
		wrong, ok := m.misdirected(f.Value)
		if !ok {
			return p, "the message bears no reference that could be wrong"
		}
		p = wrong.parcel()
	case WebhookBadSignature:
		if len(o.options.Secret(m.source)) == 0 {
			return p, "the messages of " + m.source + " are not signed: there is no secret"
		}
		p.forged = true
	case WebhookStaleTimestamp:
		p.backdated = cmp.Or(f.Delay, DefaultStale)
	}
	return p, ""
}

// tellOtherState lets the message tell another state: the given one; else, if it is to
// be an earlier one, that from which the resource came; else the first other one that
// the description knows. It is false where the message tells no state.
func (m *message) tellOtherState(given string, earlier bool) bool {
	path := m.shape.statePath(0)
	now := path.In(m.payload)
	if len(path) == 0 || now.IsAbsent() {
		return false
	}
	other := value.Absent
	p := m.shape.at(path)
	for _, known := range slices.Backward(p.enum()) {
		if !value.Identical(known, now) {
			other = known
		}
	}
	if from := m.before.Get(path[len(path)-1]); earlier && p.allows(from) && !value.Identical(from, now) {
		other = from
	}
	if given != "" {
		other = value.String(given)
	}
	if other.IsAbsent() {
		return false
	}
	m.payload = setAt(m.payload, path, other)
	return true
}

// tellOther lets the message tell something else of its subject than it does: the first
// text or number that does not say what it is about.
func (m *message) tellOther() bool {
	for _, member := range m.payload.Members() {
		text := member.Value.Text()
		if member.Name == m.eventID || text == m.reference || text == m.dueText() || m.subject != nil && text == m.subject.id {
			continue
		}
		if _, fixed := m.shape.property(member.Name).fixed(); fixed {
			continue
		}
		if other := otherScalar(member.Value); !other.IsAbsent() {
			m.payload = set(m.payload, member.Name, other)
			return true
		}
	}
	return false
}

func otherScalar(v value.Value) value.Value {
	if text, ok := v.Str(); ok {
		return value.String(otherText(text))
	}
	if n, ok := v.Int64(); ok {
		return value.Int(n + 1)
	}
	if b, ok := v.Bool(); ok {
		return value.Bool(!b)
	}
	return value.Absent
}

// otherText changes the last letter or digit, so that the text keeps its form.
func otherText(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		switch c := text[i]; {
		case c == '9':
			return text[:i] + "0" + text[i+1:]
		case c >= '0' && c < '9', c >= 'a' && c < 'f', c >= 'A' && c < 'F':
			return text[:i] + string(rune(c+1)) + text[i+1:]
		case c >= 'a' && c <= 'z':
			return text[:i] + "a" + text[i+1:]
		case c >= 'A' && c <= 'Z':
			return text[:i] + "A" + text[i+1:]
		}
	}
	return text + "0"
}

// misdirected gives the message as if it were about something else: given, or a
// reference that nobody has.
func (m *message) misdirected(given string) (*message, bool) {
	wrong := *m
	reference := given
	if reference == "" {
		reference = m.strange(m.reference)
	}
	if m.reference != "" {
		wrong.payload = replaced(wrong.payload, m.reference, value.String(reference))
		wrong.reference = reference
	}
	if m.subject != nil {
		wrong.payload = replaced(wrong.payload, m.subject.id, value.String(m.strange(m.subject.id)))
	}
	moved := wrong.readdress(m.reference, reference)
	return &wrong, moved || !value.Identical(wrong.payload, m.payload)
}

// strange makes of a reference one that nobody has, of the form that the description
// demands of it.
func (m *message) strange(reference string) string {
	longer := reference + "-other"
	for _, name := range m.shape.properties() {
		if m.payload.Get(name).Text() != reference {
			continue
		}
		for _, s := range m.shape.property(name).all() {
			pattern, err := regexp.Compile(s.Pattern)
			tooLong := s.MaxLength != nil && uint64(utf8.RuneCountInString(longer)) > *s.MaxLength
			if tooLong || s.Format == "uuid" || err == nil && !pattern.MatchString(longer) {
				return otherText(reference)
			}
		}
	}
	return longer
}

// replaced gives a payload in which every text or number that reads like one is another;
// a number stays one.
func replaced(v value.Value, text string, by value.Value) value.Value {
	switch v.Kind() {
	case value.KindObject:
		for _, m := range v.Members() {
			if changed := replaced(m.Value, text, by); !value.Identical(changed, m.Value) {
				v = set(v, m.Name, changed)
			}
		}
	case value.KindArray:
		items := slices.Clone(v.Items())
		for i, item := range items {
			items[i] = replaced(item, text, by)
		}
		return value.Array(items...)
	case value.KindString:
		if v.Text() == text {
			return by
		}
	case value.KindNumber:
		if n, ok := v.Int64(); ok && v.Text() == text {
			return value.Int(n + 1_000_000)
		}
	}
	return v
}

// statePath finds the member of a payload that tells how its subject stands, in the
// object or in one that it holds; empty: there is none.
func (t *together) statePath(depth int) value.Pointer {
	if name := t.stateProperty(); name != "" {
		return value.Pointer{name}
	}
	if depth >= deepestMember {
		return nil
	}
	for _, name := range t.properties() {
		if below := t.property(name).statePath(depth + 1); below != nil {
			return append(value.Pointer{name}, below...)
		}
	}
	return nil
}

// at gives what is said of a member of a member.
func (t *together) at(path value.Pointer) *together {
	for _, name := range path {
		t = t.property(name)
	}
	return t
}

func dateText(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func (m *message) dueText() string { return dateText(m.due) }

// unfitWebhook tells why a fault makes no sense at a webhook; empty where it does.
func (h *webhook) unfit(b breakdown) string {
	if b.kind == WebhookOutOfOrder && len(h.shape.statePath(0)) == 0 {
		return "its messages have no member with an enum, which could tell an earlier state"
	}
	return ""
}

// whyUnfired tells of a fault that did not fire why, where nothing is known of its
// message.
func (s *Server) whyUnfired(f PlannedFault) string {
	switch {
	case f.Fired || f.Missed != "" || !strings.HasPrefix(string(f.Kind), "webhook-"):
		return f.Missed
	case s.outbox.Load() == nil:
		return "webhooks are not sent: no receiver was named"
	default:
		return fmt.Sprintf("there was no message %d of %s", f.Occurrence, f.Operation)
	}
}
