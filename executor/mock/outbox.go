package mock

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// outbox holds what is to be sent until it was.
type outbox struct {
	server  *Server
	options WebhookOptions
	base    *url.URL
	made    atomic.Int64 // messages so far

	mu      sync.Mutex
	pending int
	settled []chan struct{}       // of those who wait until nothing is pending
	wanted  map[*webhook]*url.URL // where the last request wanted its callback
}

// schedule does something after a while, unless the server is closed by then.
func (o *outbox) schedule(after time.Duration, do func()) {
	o.mu.Lock()
	o.pending++
	o.mu.Unlock()
	o.options.After(after, func() {
		defer o.done()
		if !o.server.isClosed() {
			do()
		}
	})
}

func (o *outbox) done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending--
	if o.pending > 0 {
		return
	}
	for _, waits := range o.settled {
		close(waits)
	}
	o.settled = nil
}

// disconnect gives up the connections to receivers that nobody uses.
func (o *outbox) disconnect() {
	if own, ok := o.options.Transport.(*sender); ok {
		own.transport.CloseIdleConnections()
	}
}

// Settle waits until every message that is due, or is still to be, was sent and answered
// or given up, or the server was closed. The error is the cause for which the context
// ended before. With a clock of one's own (WebhookOptions.After) somebody else must
// drive it.
func (s *Server) Settle(ctx context.Context) error {
	o := s.outbox.Load()
	if o == nil {
		return nil
	}
	o.mu.Lock()
	if o.pending == 0 {
		o.mu.Unlock()
		return nil
	}
	waits := make(chan struct{})
	o.settled = append(o.settled, waits)
	o.mu.Unlock()
	select {
	case <-waits:
		return nil
	case <-s.closing:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// parcel is one message as it is sent, perhaps several times.
type parcel struct {
	webhook   *webhook
	target    *url.URL
	id        string
	body      []byte
	request   int    // the Sequence of the request that caused it
	reference string // by what the business knows what it is about
	attempt   int
	fault     FaultKind
	forged    bool          // signed with another secret
	backdated time.Duration // how long ago it says that it was signed
	once      bool          // it is not sent again
	asked     int           // of the other names of its source, how many were tried
}

// send makes one attempt, and has the next one made where it is not answered well. It
// gives what the ledger says of the attempt.
func (o *outbox) send(p parcel) Webhook {
	p.attempt++
	now := o.server.options.Now()
	header := p.header(now, o.options.Secret(p.webhook.source))
	entry := o.server.ledger.openWebhook(p.entry(header, p.attempt, p.fault))
	status, err := o.carry(p, header)
	sent := o.server.ledger.answeredWebhook(entry, status, err)
	if others := o.server.routes.receivers[p.webhook.source]; status == http.StatusNotFound && !p.webhook.isCallback() && p.asked < len(others) {
		p.target = o.addressOf(p.webhook, others[p.asked])
		p.asked++
		p.attempt--
		return o.send(p)
	}
	if status/100 != 2 && status != http.StatusGone && p.attempt < o.options.Attempts && !p.once {
		o.schedule(o.options.Backoff<<(p.attempt-1), func() { o.send(p) })
	}
	return sent
}

// entry gives what the ledger says of an attempt that begins.
func (p parcel) entry(header http.Header, attempt int, fault FaultKind) Webhook {
	return Webhook{
		Message: p.id, Source: p.webhook.source, Operation: p.webhook.name, Reference: p.reference, Request: p.request,
		Method: p.webhook.operation.Method, Target: p.target.String(), Attempt: attempt,
		Header: header.Clone(), Body: string(p.body), Fault: fault,
	}
}

// header gives the header of one attempt.
func (p parcel) header(now time.Time, secret []byte) http.Header {
	header := p.webhook.header.Clone()
	timestamp := unixText(now.Add(-p.backdated))
	header[idHeader] = []string{p.id}
	header[timestampHeader] = []string{timestamp}
	if p.webhook.contentType != "" {
		header["Content-Type"] = []string{p.webhook.contentType}
	}
	if p.forged {
		secret = append([]byte("not "), secret...)
	}
	if len(secret) > 0 {
		header[signatureHeader] = []string{sign(secret, p.id, timestamp, p.body)}
	}
	return header
}

// mostAnswer is how much of a receiver's answer is read, so that its connection can be
// used again.
const mostAnswer = 64 << 10

// carry sends one request and gives the status that it was answered with.
func (o *outbox) carry(p parcel, header http.Header) (status int, err error) {
	r := &http.Request{
		Method: p.webhook.operation.Method, URL: p.target, Host: p.target.Host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(p.body)), ContentLength: int64(len(p.body)),
	}
	response, err := o.options.Transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostAnswer))
	_ = response.Body.Close()
	return response.StatusCode, nil
}
