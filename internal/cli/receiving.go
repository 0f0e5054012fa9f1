package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"reflect"
	"slices"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/internal/config"
)

// faultLinger is how long a run against a mock goes on receiving after its end, where
// faults of webhooks are planned and --linger says nothing: the second of two messages
// is to be seen.
const faultLinger = time.Second

// receiving are the flags of what receives messages.
type receiving struct {
	listen, callbackURL string
	linger              time.Duration
}

func (r receiving) check(mocked bool) error {
	if r.linger < 0 {
		return usage("--linger must not be negative")
	}
	if r.callbackURL == "" {
		return nil
	}
	if mocked {
		return usage("--mock and --callback-url exclude each other: the mock sends to this process")
	}
	if _, err := webhook.BaseURL(r.callbackURL); err != nil {
		return usage("--callback-url: %w", err)
	}
	return nil
}

// openReceiver opens what the documents receive messages through: one address and one
// inbox for them all. Nothing is opened where none of them receives, and where a store
// keeps the messages, openDurable does it.
func (s *session) openReceiver(jobs []*job) error {
	options, receives, err := receiverOptions(jobs)
	if err != nil || !receives || s.flags.dryRun {
		return err
	}
	if s.flags.durably.given() {
		s.expected = &options
		return nil
	}
	receiver, err := live.Listen(options)
	if err != nil {
		return listenFault(options.Address, err)
	}
	s.receiver = receiver
	for _, j := range jobs {
		if len(j.plan.Mailboxes()) > 0 {
			j.gear.runtime.Receive(receiver)
		}
		if err := s.connect(j, receiver.URL()); err != nil {
			return err
		}
	}
	return nil
}

// receiverOptions says how messages come in for documents; receives is false where none
// do.
func receiverOptions(jobs []*job) (options live.ReceiverOptions, receives bool, err error) {
	options.Messages.Sources = map[string]webhook.Source{}
	for _, j := range jobs {
		if len(j.plan.Mailboxes()) == 0 {
			continue
		}
		receives = true
		options.Address, options.URL = j.settings.receiving.listen, j.settings.receiving.callbackURL
		if err := mergeSenders(options.Messages.Sources, j); err != nil {
			return options, receives, err
		}
	}
	return options, receives, nil
}

// listenDurably opens what messages are received through and a store keeps, and gives
// its URL; empty where no document receives.
func (s *session) listenDurably(jobs []*job) (string, error) {
	if s.expected == nil {
		return "", nil
	}
	hub := s.store.Hub()
	handler, err := webhook.New(hub, s.expected.Messages)
	if err != nil {
		return "", usage("%w", err)
	}
	for _, j := range jobs {
		if err := hub.Declare(s.ctx, j.mailboxes(s.expected.Messages.Sources)); err != nil {
			return "", err
		}
	}
	listener, err := webhook.Listen(handler, webhook.ListenOptions{Address: s.expected.Address, URL: s.expected.URL})
	if err != nil {
		return "", listenFault(s.expected.Address, err)
	}
	s.listener = listener
	for _, j := range jobs {
		if err := s.connect(j, listener.URL()); err != nil {
			return "", err
		}
	}
	return listener.URL(), nil
}

// mergeSenders adds what is known of the messages of a document's sources.
func mergeSenders(known map[string]webhook.Source, j *job) (fault error) {
	names := source.NamesOf(j.set)
	names.Each(func(d *source.Description) {
		name := names.Qualified(d)
		sender := j.sender(names.Of(d))
		if other, ok := known[name]; ok && !reflect.DeepEqual(other, sender) && fault == nil {
			fault = usage("%s: another document is told something else of the messages of source %q; run them apart", j.path, name)
		}
		known[name] = sender
	})
	return fault
}

// mailboxes gives what the document receives through. Which messages are to be signed is
// told to all processes that share a store: one of them may not have the secrets.
func (j *job) mailboxes(known map[string]webhook.Source) []executor.Mailbox {
	boxes := slices.Clone(j.plan.Mailboxes())
	for n := range boxes {
		boxes[n].Signed = len(known[boxes[n].Source].Secrets) > 0
	}
	return boxes
}

// sender gives what is known of the messages of one source. A mock signs with a secret
// of its own.
func (j *job) sender(names []string) webhook.Source {
	if j.played != nil {
		return webhook.Source{Secrets: []string{j.played.secret}}
	}
	from := j.settings.file.Source(names...).Webhooks
	if from == nil {
		return webhook.Source{}
	}
	return senderOf(from)
}

func senderOf(from *config.Webhooks) webhook.Source {
	return webhook.Source{
		Secrets: from.Secrets, Tolerance: from.Tolerance.Value, ConflictStatus: from.ConflictStatus.Value,
		Origins: from.Origins, Rate: float64(from.Rate.Value), MaxBody: from.MaxBody.Value,
	}
}

// connect tells where the messages of a document are received, or its mock.
func (s *session) connect(j *job, url string) error {
	boxes := j.plan.Mailboxes()
	if len(boxes) == 0 {
		return nil
	}
	if j.played == nil {
		for _, box := range boxes {
			if !box.Scoped {
				fmt.Fprintf(s.stdio.Err, "messages are received at %s%s\n", url, webhook.FixedPath(box))
			}
		}
		return nil
	}
	err := j.played.server.SendWebhooks(mock.WebhookOptions{
		Target: url, Secret: func(string) []byte { return []byte(j.played.secret) },
	})
	if err != nil {
		return usage("%w", err)
	}
	return nil
}

// closeReceiver answers what is in the air, and receives nothing more.
func (s *session) closeReceiver() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var err error
	if s.receiver != nil {
		err = s.receiver.Close(ctx)
	}
	if s.listener != nil {
		err = s.listener.Close(ctx)
	}
	if err != nil {
		fmt.Fprintf(s.stdio.Err, "weft: %v\n", err)
	}
}

// newSecret gives a secret for the messages of a mock.
func newSecret() string { return rand.Text() }

// listenFault tells why messages cannot be received at an address.
func listenFault(address string, err error) error {
	if _, _, split := net.SplitHostPort(address); address != "" && split != nil {
		return usage("--listen %s: expected HOST:PORT, such as 127.0.0.1:8085", address)
	}
	return usage("%w", err)
}
