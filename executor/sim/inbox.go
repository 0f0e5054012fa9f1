package sim

import (
	"context"
	"fmt"
	"net/http"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/mock"
)

// receiverHost is where the runs seem to receive: a name that can only be this
// machine's (RFC 6761).
const receiverHost = "http://weft.localhost"

// secret is what the mock signs with and the receiver knows: nobody else is there.
const secret = "the secret of a simulation, which keeps nothing secret"

// sendersOf says of each source that its messages are signed.
func sendersOf(sources []mock.Source) map[string]webhook.Source {
	senders := make(map[string]webhook.Source, len(sources))
	for _, src := range sources {
		senders[src.Name] = webhook.Source{Secrets: []string{secret}}
	}
	return senders
}

// Hub gives what keeps the messages of the world's runs.
func (r *Runtime) Hub() channel.Hub { return r.hub }

// receive sets up the receiving side of the world: what the mock sends comes in as it
// would over a connection, signed and all, in virtual time. Where no run receives, there
// is nobody whom the mock could send to.
func (r *Runtime) receive() error {
	if r.hears {
		return nil
	}
	receiver, err := webhook.New(r.hub, webhook.Options{Now: r.clock.now, Sources: r.senders})
	if err != nil {
		return fmt.Errorf("receive messages: %w", err)
	}
	r.hears = true
	err = r.server.SendWebhooks(mock.WebhookOptions{
		Target: receiverHost, Transport: handled{receiver}, After: r.clock.after,
		Secret: func(string) []byte { return []byte(secret) },
	})
	if err != nil {
		return fmt.Errorf("let the mock send webhooks: %w", err)
	}
	return nil
}

// open opens the mailboxes of a run and gives their addresses.
func (r *Runtime) open(ctx context.Context, run string, boxes []executor.Mailbox) (map[string]string, error) {
	if len(boxes) == 0 {
		return nil, nil
	}
	if err := r.receive(); err != nil {
		return nil, err
	}
	tokens, err := r.hub.Open(ctx, run, boxes)
	if err != nil {
		return nil, fmt.Errorf("open the mailboxes: %w", err)
	}
	r.receiving = run
	return webhook.Addresses(receiverHost, boxes, tokens), nil
}

// Wait lets the time pass at once, up to the next message where the inbox is waited
// for. It ends at a cancel.
func (r *Runtime) Wait(ctx context.Context, until executor.WaitSpec) (executor.Signal, error) {
	end, signal := until.Until, executor.Signal{Kind: executor.SignalTimeout}
	if !until.AfterCancel && !r.cancelled.IsZero() && r.cancelled.Before(end) {
		end, signal.Kind = r.cancelled, executor.SignalCancel
	}
	if !until.Inbox {
		signal.Time = r.clock.reach(end)
		return signal, nil
	}
	if until.Expect != nil {
		if err := r.hub.Expect(ctx, until.Run, *until.Expect); err != nil {
			return signal, fmt.Errorf("expect a message: %w", err)
		}
	}
	waiting, err := r.hub.Wait(ctx, until.Run, until.After)
	if err != nil {
		return signal, fmt.Errorf("wait for a message: %w", err)
	}
	defer waiting.Stop()
	for {
		if signal.Message, err = waiting.Next(ctx); err != nil {
			return signal, fmt.Errorf("read the inbox: %w", err)
		}
		if signal.Message != nil {
			signal.Kind, signal.Time = executor.SignalMessage, r.clock.now()
			break
		}
		if !r.clock.step(end) {
			signal.Time = r.clock.reach(end)
			break
		}
	}
	return r.tell(ctx, until.Run, signal)
}

// tell adds what else is known of the run's messages.
func (r *Runtime) tell(ctx context.Context, run string, signal executor.Signal) (executor.Signal, error) {
	var err error
	if signal.Repeats, err = r.hub.Repeats(ctx, run); err == nil && signal.Kind == executor.SignalTimeout {
		signal.Strays, err = r.hub.Strays(ctx, run)
	}
	if err != nil {
		return signal, fmt.Errorf("read the inbox: %w", err)
	}
	return signal, nil
}

// End closes the receivers of a run.
func (r *Runtime) End(ctx context.Context, run string) error {
	if run != r.receiving {
		return nil
	}
	return r.hub.End(ctx, run)
}

// handled is a transport that has a handler answer.
type handled struct{ handler http.Handler }

// RoundTrip has the handler answer the request, in this goroutine.
func (h handled) RoundTrip(request *http.Request) (*http.Response, error) {
	w := &answer{header: http.Header{}, status: http.StatusOK}
	request.RequestURI = request.URL.RequestURI()
	h.handler.ServeHTTP(w, request)
	return w.response(request), nil
}
