package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"reflect"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
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
// inbox for them all. Nothing is opened where none of them receives.
func (s *session) openReceiver(jobs []*job) error {
	options := live.ReceiverOptions{Messages: webhook.Options{Sources: map[string]webhook.Source{}}}
	receivers := 0
	for _, j := range jobs {
		if len(j.plan.Mailboxes()) == 0 {
			continue
		}
		receivers++
		options.Address, options.URL = j.settings.receiving.listen, j.settings.receiving.callbackURL
		if err := s.mergeSenders(options.Messages.Sources, j); err != nil {
			return err
		}
	}
	if receivers == 0 || s.flags.dryRun {
		return nil
	}
	receiver, err := live.Listen(options)
	if err != nil {
		return usage("%w", err)
	}
	s.receiver = receiver
	for _, j := range jobs {
		if err := s.connect(j); err != nil {
			return err
		}
	}
	return nil
}

// mergeSenders adds what is known of the messages of a document's sources.
func (s *session) mergeSenders(known map[string]webhook.Source, j *job) (fault error) {
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

// connect lets the runs of a document receive, and its mock send.
func (s *session) connect(j *job) error {
	boxes := j.plan.Mailboxes()
	if len(boxes) == 0 {
		return nil
	}
	if err := s.receiver.Hub().Declare(s.ctx, boxes); err != nil {
		return fmt.Errorf("open the addresses of messages: %w", err)
	}
	j.gear.runtime.Receive(s.receiver)
	if j.played == nil {
		for _, box := range boxes {
			if !box.Scoped {
				fmt.Fprintf(s.stdio.Err, "messages are received at %s%s\n", s.receiver.URL(), webhook.FixedPath(box))
			}
		}
		return nil
	}
	err := j.played.server.SendWebhooks(mock.WebhookOptions{
		Target: s.receiver.URL(), Secret: func(string) []byte { return []byte(j.played.secret) },
	})
	if err != nil {
		return usage("%w", err)
	}
	return nil
}

// closeReceiver answers what is in the air, and receives nothing more.
func (s *session) closeReceiver() {
	if s.receiver == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := s.receiver.Close(ctx); err != nil {
		fmt.Fprintf(s.stdio.Err, "weft: %v\n", err)
	}
}

// newSecret gives a secret for the messages of a mock.
func newSecret() string { return rand.Text() }
