package mock

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// sendsExtension is the field of an operation that says which messages are sent after
// it: [{webhook: NAME, after: DURATION, set: {MEMBER: VALUE, …}}, …].
const sendsExtension = "x-weft-sends"

// sending says that a message is sent after an operation had its effect.
type sending struct {
	webhook *webhook
	after   time.Duration
	set     value.Value // members of the payload, as a merge patch; absent: none
	implied bool        // the description does not say it
}

// webhook is a webhook or a callback: what a described server sends.
type webhook struct {
	*route        // for its name, its source and its faults; no path leads to it
	key    string // under which it is described: of the webhook, or of the callback

	address     *expression.Template // of a callback; nil: it is a webhook, or its key cannot be read
	unreadable  string               // why the key of a callback cannot be read
	contentType string
	form        *representation // how it is written; nil: nothing is described
	shape       *together
	body        value.Value // the example, else something that fits the schema
	eventID     string      // the member that names the event; empty: there is none
	header      http.Header // what the description declares beside the content
}

// isCallback tells whether its address comes from a request.
func (h *webhook) isCallback() bool { return h.operation.Kind == source.Callback }

// isChannel tells whether it is what comes on a channel of AsyncAPI.
func (h *webhook) isChannel() bool { return h.operation.ID == ChannelMessages(h.operation.Path) }

// called tells whether a description means it by that name.
func (h *webhook) called(name string) bool { return h.operation.ID == name || h.key == name }

// newWebhook reads what a webhook or callback sends. What it sends is worked out when
// it is first needed.
func newWebhook(name string, op *source.Operation) *webhook {
	h := &webhook{route: &route{source: name, operation: op}, key: op.Path}
	if p, err := value.ParsePointer(op.Pointer); err == nil && op.Kind == source.Callback && len(p) > 2 {
		h.key = p[len(p)-3]
	}
	h.name = op.ID
	if h.name == "" {
		h.name = h.key
	}
	return h
}

// compile works out what is sent, once all webhooks are needed.
func (h *webhook) compile() {
	h.header = http.Header{}
	for _, p := range h.operation.Params {
		if p.In != "header" || !p.Required {
			continue
		}
		if v, ok := native(p.Example); ok {
			h.header.Set(p.Name, v.Text())
		} else {
			h.header.Set(p.Name, made(flatten(p.Schema)).Text())
		}
	}
	if h.operation.Body != nil && len(h.operation.Body.Content) > 0 {
		media := h.operation.Body.Content[0]
		for _, m := range h.operation.Body.Content {
			if isJSON(plainType(m.Type)) {
				media = m
				break
			}
		}
		r := represent(h.operation, media, "requestBody")
		h.contentType, h.shape, h.body, h.form = r.contentType, r.shape, r.body, r
	}
	if !h.isCallback() {
		return
	}
	var err error
	if h.address, err = expression.ParseTemplate(h.operation.Path, nil); err != nil {
		h.unreadable = fmt.Sprintf("the key of the callback, %q, cannot be read: %v", h.operation.Path, err)
	}
}

// compileSends works out what is sent after each route, once, and gives all that is
// wrong with what the descriptions say of it.
func (rs *routes) compileSends() []error {
	rs.sendsOnce.Do(func() {
		rs.sends = map[*route][]sending{}
		for _, h := range rs.webhooks {
			h.compile()
		}
		explicit := rs.readSends()
		for _, r := range rs.all {
			if _, says := rs.sends[r]; !says && !isRead(r.operation.Method) {
				rs.sends[r] = rs.supposed(r, explicit)
			}
			r.learnEvents(rs.sends[r])
		}
	})
	return rs.sendFaults
}

// readSends reads what the descriptions say themselves, and gives the webhooks of which
// they say it.
func (rs *routes) readSends() map[*webhook]bool {
	explicit := map[*webhook]bool{}
	for _, r := range rs.all {
		list := writtenAt(r.operation.Written, r.operation.Pointer).Get(sendsExtension)
		if list.IsAbsent() {
			continue
		}
		reader := sendsReader{routes: rs, route: r}
		rs.sends[r] = reader.read(list)
		rs.sendFaults = append(rs.sendFaults, reader.faults...)
		for _, s := range rs.sends[r] {
			explicit[s.webhook] = true
		}
	}
	return explicit
}

// learnEvents finds the members that name events, which a description that knows what a
// message is about tells from its id.
func (r *route) learnEvents(sends []sending) {
	for _, s := range sends {
		if s.webhook.eventID == "" {
			s.webhook.eventID = s.webhook.findEventID(r)
		}
	}
}

// supposed gives what is sent after an operation of which the description does not say
// it: its callbacks; and, where it is the only one, the webhook that has a reference in
// common with what the operation is about.
func (rs *routes) supposed(r *route, explicit map[*webhook]bool) []sending {
	var sends []sending
	var candidates []*webhook
	for _, h := range rs.webhooks {
		switch {
		case h.source != r.source || explicit[h] || h.isChannel():
		case h.isCallback():
			if slices.Contains(r.operation.Callbacks, h.operation) {
				sends = append(sends, sending{webhook: h, after: DefaultSendAfter, implied: true})
			}
		case h.tells(r):
			candidates = append(candidates, h)
		}
	}
	if len(candidates) == 1 {
		sends = append(sends, sending{webhook: candidates[0], after: DefaultSendAfter, implied: true})
	}
	return sends
}

// tells tells whether a webhook has a reference in common with what an operation is
// about.
func (h *webhook) tells(r *route) bool {
	if r.role.kind == 0 {
		return false
	}
	at := r.collectionTemplate()
	names := append(slices.Clone(r.known.references[at]), r.role.itemParam)
	for _, name := range r.known.shapes[at].properties() {
		if isReference(name) {
			names = append(names, name)
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return name != "" && h.shape.holds(name, 0) })
}

// deepestMember is how deep in a payload members are looked for.
const deepestMember = 4

// holds tells whether a member of that name is declared, in the object or in one that
// it holds.
func (t *together) holds(name string, depth int) bool {
	if t.property(name) != nil {
		return true
	}
	if depth >= deepestMember {
		return false
	}
	return slices.ContainsFunc(t.properties(), func(in string) bool { return t.property(in).holds(name, depth+1) })
}

// eventNames are members that name an event, without regard to case and "_".
var eventNames = []string{"eventid", "messageid", "notificationid", "deliveryid", "webhookid"}

// findEventID finds the member that names the event; empty: there is none. A member
// "id" is one where the message is not the resource itself.
func (h *webhook) findEventID(r *route) string {
	for _, name := range h.shape.properties() {
		if slices.Contains(eventNames, strings.ToLower(strings.ReplaceAll(name, "_", ""))) {
			return name
		}
	}
	if h.shape.property("id") == nil {
		return ""
	}
	for _, s := range r.known.shapes[r.collectionTemplate()].all() {
		if slices.Contains(h.shape.all(), s) {
			return ""
		}
	}
	itself := slices.ContainsFunc(h.shape.properties(), func(name string) bool { return h.shape.property(name).property("id") != nil })
	if itself || h.shape.property("specversion") != nil || r.role.itemParam != "" && h.shape.property(r.role.itemParam) != nil {
		return "id"
	}
	return ""
}

// sendsReader reads one x-weft-sends.
type sendsReader struct {
	routes *routes
	route  *route
	faults []error
}

func (r *sendsReader) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Errorf("%w: %s: "+format, append([]any{ErrWebhooks, placeOf(r.route.operation)}, args...)...))
}

func (r *sendsReader) read(list value.Value) []sending {
	if list.Kind() != value.KindArray {
		r.fault("%s must be a list, this is %s", sendsExtension, list.Kind())
		return nil
	}
	sends := []sending{}
	for i, item := range list.Items() {
		if s, ok := r.one(i, item); ok {
			sends = append(sends, s)
		}
	}
	return sends
}

func (r *sendsReader) one(i int, item value.Value) (s sending, ok bool) {
	before := len(r.faults)
	s.after = DefaultSendAfter
	for _, m := range item.Members() {
		switch m.Name {
		case "webhook":
		case "after":
			s.after = r.duration(i, m.Value)
		case "set":
			if s.set = m.Value; m.Value.Kind() != value.KindObject {
				r.fault("%s[%d].set must be an object, this is %s", sendsExtension, i, m.Value.Kind())
			}
		default:
			r.fault("%s[%d] has no member %q%s", sendsExtension, i, m.Name, meant(m.Name, []string{"webhook", "after", "set"}))
		}
	}
	name, isText := item.Get("webhook").Str()
	if !isText {
		r.fault("%s[%d] must be an object that names a webhook: {webhook: NAME}", sendsExtension, i)
		return s, false
	}
	if s.webhook = r.find(name); s.webhook == nil {
		r.fault("%s[%d]: there is no webhook %q%s", sendsExtension, i, name, meant(name, r.names()))
	}
	return s, len(r.faults) == before
}

func (r *sendsReader) duration(i int, v value.Value) time.Duration {
	text, _ := v.Str()
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > longestDelay {
		r.fault("%s[%d].after: expected a duration such as 20ms, 2s or 1m, up to %v, this is %s", sendsExtension, i, longestDelay, v)
	}
	return d
}

// reachable gives what an operation can send: the webhooks of its description, and its
// own callbacks.
func (r *sendsReader) reachable() []*webhook {
	return slices.DeleteFunc(slices.Clone(r.routes.webhooks), func(h *webhook) bool {
		return h.source != r.route.source || h.isCallback() && !slices.Contains(r.route.operation.Callbacks, h.operation)
	})
}

func (r *sendsReader) find(name string) *webhook {
	all := r.reachable()
	if at := slices.IndexFunc(all, func(h *webhook) bool { return h.called(name) }); at >= 0 {
		return all[at]
	}
	return nil
}

func (r *sendsReader) names() []string {
	var names []string
	for _, h := range r.reachable() {
		names = append(names, h.name)
	}
	return names
}
