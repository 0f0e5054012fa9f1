package mock

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/value"
)

// message is a webhook or callback that is going to be sent.
type message struct {
	*webhook
	id        string
	number    int64 // of the messages of the server
	payload   value.Value
	target    *url.URL // nil: it cannot be sent, failure says why
	failure   string
	reference string
	due       time.Time
	after     time.Duration
	request   int // the Sequence of the request that caused it

	subject *subject    // what the message is about; nil: nothing that is kept
	before  value.Value // the subject as it was when the message was made
	moves   []move      // what becomes so when it is due
}

// subject is a resource that a message is about.
type subject struct {
	collection string
	id         string
	shape      *together
	itemParam  string
}

// move is a member that changes when a message is due.
type move struct {
	name string
	to   value.Value
	// writes is how often requests had set the member when the message was made: if they
	// do it again, the message is about what is no more.
	writes int
}

// announce makes the messages that follow a request which was carried out, and lets
// what they are going to say come about by them alone. The world is locked.
func (w *world) announce(in *incoming, answer *reply, d done) []*message {
	if answer.status/100 != 2 {
		return nil
	}
	var all []*message
	for _, s := range in.sends {
		m := &message{webhook: s.webhook, number: in.outbox.made.Add(1), reference: d.reference, after: s.after}
		m.due = in.outbox.server.options.Now().Add(s.after)
		m.target, m.failure = in.outbox.address(in, answer, s.webhook)
		holder := w.subjectOf(in, d, m)
		if holder == nil && s.implied && !s.webhook.isCallback() {
			continue
		}
		m.id = m.newID("")
		m.fill(in.told(holder, answer), holder, s.set)
		all = append(all, m)
	}
	return all
}

// told gives what is known of what a request was about: the resource, else what was
// answered, else what was asked.
func (in *incoming) told(holder *resource, answer *reply) value.Value {
	if holder != nil {
		return holder.state
	}
	if state, err := value.ParseJSON(answer.body); err == nil && state.Kind() == value.KindObject {
		return state
	}
	return in.body
}

// subjectOf finds the resource that the message is about; nil: there is none.
func (w *world) subjectOf(in *incoming, d done, m *message) *resource {
	if d.resource == "" || in.route.role.kind == 0 {
		return nil
	}
	c := w.at(in)
	holder := in.removed
	if at := c.byID(d.resource); at >= 0 {
		holder = c.items[at]
	}
	if holder == nil {
		return nil
	}
	shape := in.route.known.shapes[in.route.collectionTemplate()]
	if shape == nil {
		shape = in.as().shape
	}
	m.subject = &subject{collection: in.collectionKey(in.route.role.depth), id: d.resource, shape: shape, itemParam: in.route.role.itemParam}
	return holder
}

// newID makes the id of a message: never the same for two messages, of several servers
// neither, as long as their clocks differ. A fault needs another one for its message.
func (m *message) newID(fault FaultKind) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		m.source, m.name, m.reference, strconv.FormatInt(m.number, 10), m.dueText(), string(fault),
	}, "\x00")))
	return "msg_" + hex.EncodeToString(sum[:12])
}

// fill makes the payload: of what the description says by what is known of the resource,
// then by what the operation sets.
func (m *message) fill(state value.Value, holder *resource, set value.Value) {
	f := filling{message: m, state: state}
	m.payload = f.object(m.shape, m.body, 0)
	m.payload = m.withEventID(m.payload, m.id)
	if !set.IsAbsent() {
		m.payload = merge(m.payload, set)
	}
	m.before = state
	if holder != nil && m.subject.shape != nil {
		m.foresee(holder, m.payload, set, 0)
	}
}

// filling puts what is known into a payload.
type filling struct {
	*message
	state value.Value
}

func (f filling) object(shape *together, body value.Value, depth int) value.Value {
	if body.Kind() != value.KindObject || depth > deepestMember {
		return body
	}
	for _, m := range body.Members() {
		p := shape.property(m.Name)
		if _, fixed := p.fixed(); fixed {
			continue
		}
		switch known := f.known(m.Name, p); {
		case !known.IsAbsent():
			body = set(body, m.Name, known)
		case m.Value.Kind() == value.KindObject:
			body = set(body, m.Name, f.object(p, m.Value, depth+1))
		case p.format("date-time"):
			body = set(body, m.Name, value.String(f.dueText()))
		}
	}
	return body
}

// known gives what is known of a member; absent where nothing is that it may say.
func (f filling) known(name string, p *together) value.Value {
	if f.subject != nil && name == f.subject.itemParam {
		return typed([]string{f.subject.id}, p)
	}
	if v := f.state.Get(name); p.allows(v) {
		return v
	}
	if f.subject == nil {
		return value.Absent
	}
	then := f.subject.shape.property(name).then()
	for _, v := range slices.Backward(then) {
		if p.allows(v) {
			return v
		}
	}
	return value.Absent
}

// allows tells whether a value is one that a member may have, as far as its type and
// enum say.
func (t *together) allows(v value.Value) bool {
	if v.IsNothing() {
		return false
	}
	if all := t.enum(); len(all) > 0 {
		return slices.ContainsFunc(all, func(known value.Value) bool { return value.Identical(known, v) })
	}
	switch kind := v.Kind().String(); t.kind() {
	case "", kind:
		return true
	case "integer":
		return kind == "number"
	default:
		return false
	}
}

func (t *together) format(name string) bool {
	for _, s := range t.all() {
		if s.Format == name {
			return true
		}
	}
	return false
}

// foresee finds what the message says of its resource that is not so yet. It becomes so
// when the message is due, and not by reading.
func (m *message) foresee(holder *resource, payload, set value.Value, depth int) {
	for _, member := range payload.Members() {
		if member.Value.Kind() == value.KindObject {
			if depth < deepestMember {
				m.foresee(holder, member.Value, set.Get(member.Name), depth+1)
			}
			continue
		}
		p := m.subject.shape.property(member.Name)
		said := !set.Get(member.Name).IsAbsent()
		if p == nil || !said && !p.hasEnum() || depth == 0 && member.Name == m.eventID || m.isSubjectID(member.Name) {
			continue
		}
		if !p.allows(member.Value) || value.Identical(holder.state.Get(member.Name), member.Value) {
			continue
		}
		holder.hold(member.Name)
		m.moves = append(m.moves, move{member.Name, member.Value, holder.writes[member.Name]})
	}
}

func (m *message) isSubjectID(name string) bool {
	return name == role{itemParam: m.subject.itemParam}.idMember(m.subject.shape)
}

// comeAbout makes so what a message says, now that it is due. It is false where a request
// has meanwhile made something else of it: then there is nothing to be told.
func (w *world) comeAbout(m *message) bool {
	if m.subject == nil || len(m.moves) == 0 {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.collections[m.subject.collection]
	at := c.byID(m.subject.id)
	if at < 0 {
		return false
	}
	r := c.items[at]
	for _, move := range m.moves {
		if r.writes[move.name] != move.writes {
			return false
		}
	}
	r.before = r.state
	for _, move := range m.moves {
		r.state = set(r.state, move.name, move.to)
	}
	return true
}

// withEventID names the event in the payload after a message's id.
func (m *message) withEventID(payload value.Value, id string) value.Value {
	if m.eventID == "" || payload.Kind() != value.KindObject {
		return payload
	}
	return set(payload, m.eventID, eventName(m.shape.property(m.eventID), id))
}

// eventName makes of a message's id the name of an event, in the manner of its example
// where that can be.
func eventName(t *together, id string) value.Value {
	digits := strings.TrimPrefix(id, "msg_")
	switch {
	case t.kind() == "integer" || t.kind() == "number":
		n, _ := strconv.ParseInt(digits[:min(len(digits), 12)], 16, 64)
		return value.Int(n)
	case t.format("uuid"):
		return value.String(uuid.NewSHA1(uuid.Nil, []byte(id)).String())
	}
	stem := ""
	if stated, ok := t.stated(); ok {
		stem = strings.TrimRight(stated.Text(), "0123456789")
	}
	name := stem + digits
	for _, s := range t.all() {
		if s.MaxLength != nil && uint64(len(name)) > *s.MaxLength {
			name = name[uint64(len(name))-*s.MaxLength:]
		}
		if s.Pattern == "" {
			continue
		}
		if pattern, err := regexp.Compile(s.Pattern); err != nil || !pattern.MatchString(name) {
			return value.String(idNumber(t, "events", int(digitsOf(digits))))
		}
	}
	return value.String(name)
}

func digitsOf(hexadecimal string) int64 {
	n, _ := strconv.ParseInt(hexadecimal[:min(len(hexadecimal), 8)], 16, 64)
	return n
}

// encode writes a payload as the description wants it.
func (h *webhook) encode(payload value.Value) []byte { return h.form.encode(payload) }
