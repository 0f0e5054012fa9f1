package mock

import (
	"errors"
	"net/http"
	"time"
)

// Webhook is one attempt to send a message, and how it was answered.
type Webhook struct {
	Sequence int    `json:"sequence"` // from 1, in the order of sending
	Message  string `json:"message"`  // the id of the message: the same for all attempts
	Source   string `json:"source"`
	// Operation is the webhook's or callback's operationId, else its key.
	Operation string `json:"operation"`
	// Reference is by what the business knows what the message is about.
	Reference string `json:"reference,omitempty"`
	// Request is the Sequence of the request that caused it; 0: Server.Send did.
	Request int         `json:"request,omitempty"`
	Time    time.Time   `json:"time"`
	Method  string      `json:"method"`
	Target  string      `json:"target"` // the URL
	Attempt int         `json:"attempt"`
	Header  http.Header `json:"header"`
	Body    string      `json:"body"`
	Status  int         `json:"status"` // of the answer; 0: there was none, or not yet
	// Error tells why there was no answer.
	Error string `json:"error,omitempty"`
	// Fault is the planned fault that made the message what it is.
	Fault FaultKind `json:"fault,omitempty"`
}

// openWebhook writes down that an attempt begins and gives its entry.
func (l *ledger) openWebhook(w Webhook) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.Time = l.now()
	w.Sequence = len(l.webhooks) + 1
	l.webhooks = append(l.webhooks, w)
	return w.Sequence - 1
}

// answeredWebhook writes down how an attempt ended.
func (l *ledger) answeredWebhook(entry, status int, err error) Webhook {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &l.webhooks[entry]
	w.Status = status
	if err != nil {
		w.Error = err.Error()
	}
	return *w
}

// errLost is why a message was not answered that never arrived.
var errLost = errors.New("it was lost on its way, as planned")
