package config

import (
	"net/http"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// Webhooks says what is known of the messages that a source sends.
type Webhooks struct {
	Place Place
	// Secrets are those that messages are signed with (Standard Webhooks); a message is
	// good under any of them. None: signatures are not looked at.
	Secrets []string
	// Tolerance is how far a message's timestamp may be from now.
	Tolerance Setting[time.Duration]
	// ConflictStatus answers a message that has the identity of another and other
	// content; not given: the status of the first.
	ConflictStatus Setting[int]
	// Origins may ask by OPTIONS whether they may send (CloudEvents, Webhook).
	Origins []string
	MaxBody Setting[int64] // bytes
	// Rate is how many messages a second are taken.
	Rate Setting[int]
}

func (r *reader) webhooks(n *arazzo.Node, where string) *Webhooks {
	w := &Webhooks{Place: r.place(n.Span.Start)}
	r.object(n, where, []field{
		{name: "secrets", read: func(n *arazzo.Node) {
			r.list(n, "secrets", func(item *arazzo.Node) {
				if secret, ok := r.credential(item); ok {
					w.Secrets = append(w.Secrets, secret)
				}
			})
		}},
		{name: "tolerance", read: setting(r, &w.Tolerance, r.positive)},
		{name: "conflictStatus", read: setting(r, &w.ConflictStatus, r.conflictStatus)},
		{name: "origins", read: func(n *arazzo.Node) {
			r.list(n, "origins", func(item *arazzo.Node) {
				if origin, ok := r.text(item); ok {
					w.Origins = append(w.Origins, origin)
				}
			})
		}},
		{name: "maxBody", read: setting(r, &w.MaxBody, r.size)},
		{name: "rate", read: setting(r, &w.Rate, r.count)},
	})
	return w
}

// conflictStatus reads the one status that may answer a conflicting message: any
// other that is no 2xx makes senders send it again for days.
func (r *reader) conflictStatus(n *arazzo.Node) (int, bool) {
	if n.Kind == value.KindNumber && n.Text == "409" {
		return http.StatusConflict, true
	}
	r.wrong(n, "409, the only status that can be asked for")
	return 0, false
}
