package mock

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// What WebhookOptions say where they say nothing.
const (
	DefaultAttempts = 5                      // Attempts
	DefaultBackoff  = 500 * time.Millisecond // Backoff
	// DefaultSendAfter is how long after the effect a message is sent where the
	// description does not say.
	DefaultSendAfter = 20 * time.Millisecond
)

// The headers of Standard Webhooks.
const (
	idHeader        = "Webhook-Id"
	timestampHeader = "Webhook-Timestamp"
	signatureHeader = "Webhook-Signature"
)

// WebhookOptions say where and how a Server sends its webhooks and callbacks.
type WebhookOptions struct {
	// Target is the base URL of the receiver. A webhook of the source NAME and the
	// operation OP is sent to Target, "/webhooks/", NAME, "/" and OP; OP is the webhook's
	// operationId, else its key under "webhooks". A callback is sent to the URL that its
	// key gives for the request that was received, if that is on this machine or has
	// the host of Target.
	Target string
	// Transport carries the messages; nil: one that connects to this machine and to the
	// host of Target alone. Redirects are never followed.
	Transport http.RoundTripper
	// After calls the function when the time has passed, once; nil: time.AfterFunc. With
	// a clock of one's own everything is sent by whoever calls the functions; the Server
	// starts no goroutine.
	After func(time.Duration, func())
	// Secret gives the secret with which the messages of a source are signed as
	// Standard Webhooks; nil, or an empty secret: they are not signed.
	Secret func(source string) []byte
	// Attempts is how often a message is sent, at most, until it is answered with a 2xx;
	// 0: DefaultAttempts.
	Attempts int
	// Backoff is how long after an attempt the second one comes; before each further one
	// the wait is twice as long; 0: DefaultBackoff.
	Backoff time.Duration
}

// ErrWebhooks tells that webhooks cannot be sent as they are described.
var ErrWebhooks = errors.New("webhooks cannot be sent")

// SendWebhooks lets the server send what its APIs describe as webhooks and callbacks:
// see docs/mock.md for which and when. It is to be called before the first request. The
// error wraps ErrWebhooks and tells what is wrong with the target, and each place of the
// descriptions that says wrongly what is sent; then nothing is sent.
func (s *Server) SendWebhooks(o WebhookOptions) error {
	base, err := url.Parse(o.Target)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return fmt.Errorf("%w: to %q: expected a base URL such as http://127.0.0.1:8080", ErrWebhooks, o.Target)
	}
	if faults := s.routes.compileSends(); len(faults) > 0 {
		return errors.Join(faults...)
	}
	if o.After == nil {
		o.After = func(d time.Duration, do func()) { time.AfterFunc(d, do) }
	}
	if o.Secret == nil {
		o.Secret = func(string) []byte { return nil }
	}
	if o.Attempts <= 0 {
		o.Attempts = DefaultAttempts
	}
	if o.Backoff <= 0 {
		o.Backoff = DefaultBackoff
	}
	box := &outbox{server: s, options: o, base: base}
	if o.Transport == nil {
		box.options.Transport = newSender(base.Hostname(), s.closing)
	}
	s.outbox.Store(box)
	return nil
}

// sign signs a message as Standard Webhooks: over its id, the time in Unix seconds and
// the raw bytes of its body.
func sign(secret []byte, id, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func unixText(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// isLocal tells whether a host can only be this machine.
func isLocal(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// secretPrefix begins a secret that is written as Standard Webhooks says: Base64 follows.
const secretPrefix = "whsec_"

// ParseSecret reads a secret for signing: after "whsec_" the Base64 of its bytes, else
// the text itself. It is an error if what follows is no Base64.
func ParseSecret(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	if !ok {
		return []byte(text), nil
	}
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("expected Base64 after %s", secretPrefix)
	}
	return secret, nil
}
