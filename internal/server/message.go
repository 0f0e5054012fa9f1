package server

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/weft-flow/weft/executor/channel"
	"github.com/weft-flow/weft/executor/channel/webhook"
	"github.com/weft-flow/weft/executor/durable"
)

// Delivered tells what became of a message that was handed to a run.
type Delivered struct {
	Run    string `json:"run"`
	Number int    `json:"number"`
	// Duplicate and Conflicting tell that one of the same identity had come before, with
	// the same content or with other.
	Duplicate   bool `json:"duplicate,omitempty"`
	Conflicting bool `json:"conflicting,omitempty"`
}

func (s *Server) deliverMessage(w http.ResponseWriter, r *http.Request) error {
	query, err := queryOf(r, "step")
	if err != nil {
		return err
	}
	found, err := s.visible(r)
	if err != nil {
		return err
	}
	body, err := readBody(r)
	if err != nil {
		return err
	}
	m, err := webhook.ReadMessage(r, body)
	if err != nil {
		return &problem{Title: "The message is not taken", Status: http.StatusUnsupportedMediaType, Detail: err.Error()}
	}
	plan, err := s.options.Runs.Plan(r.Context(), found.Run)
	if err != nil {
		return err
	}
	if m.Box, err = plan.Receiver(query.Get("step")); err != nil {
		return err
	}
	kept, err := s.options.Runs.Deliver(r.Context(), found.Run, m)
	s.metrics.messages.WithLabelValues(deliveredAs(kept, err)).Inc()
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, Delivered{Run: found.Run, Number: kept.Number, Duplicate: kept.Duplicate, Conflicting: kept.Conflicting})
}

// deliveredAs names what became of a message as receivers do.
func deliveredAs(kept durable.Delivered, err error) string {
	switch {
	case errors.Is(err, durable.ErrRunEnded):
		return string(channel.Gone)
	case errors.Is(err, durable.ErrMailboxFull):
		return string(channel.Full)
	case err != nil:
		return "failed"
	case kept.Duplicate:
		return string(channel.Duplicate)
	case kept.Conflicting:
		return string(channel.Conflicting)
	default:
		return string(channel.Stored)
	}
}

// countedHub counts what becomes of the messages that are received.
type countedHub struct {
	channel.Keeper
	metrics *metrics
}

// Keep keeps a message and counts it.
func (h countedHub) Keep(ctx context.Context, a channel.Arrival) (channel.Kept, error) {
	kept, err := h.Keeper.Keep(ctx, a)
	if err != nil {
		h.metrics.messages.WithLabelValues("failed").Inc()
		return kept, err
	}
	h.metrics.messages.WithLabelValues(string(kept.Outcome)).Inc()
	return kept, nil
}

// Refuse records that a message is not taken and counts it.
func (h countedHub) Refuse(ctx context.Context, r channel.Refused) error {
	h.metrics.messages.WithLabelValues("refused").Inc()
	return h.Keeper.Refuse(ctx, r)
}

// Unmatched is a message that belongs to no run, without its body.
type Unmatched struct {
	Kind   string `json:"kind"` // webhook or channel
	Source string `json:"source"`
	// Name is the operation of a webhook, or the address of a channel.
	Name        string    `json:"name"`
	Received    time.Time `json:"received"`
	Identity    string    `json:"identity,omitempty"`
	ContentType string    `json:"contentType,omitempty"`
	Bytes       int       `json:"bytes"`               // of the body
	Same        int       `json:"same,omitempty"`      // times that it came again
	Different   int       `json:"different,omitempty"` // times that it came again with other content
	Reason      string    `json:"reason"`              // why it belongs to none
}

// UnmatchedPage is a list of messages that belong to no run, in the order in which they
// came.
type UnmatchedPage struct {
	Messages []Unmatched `json:"messages"`
}

// ListUnmatched lists the messages of a hub that belong to no run.
func ListUnmatched(ctx context.Context, hub channel.Hub) (UnmatchedPage, error) {
	page := UnmatchedPage{Messages: []Unmatched{}}
	all, err := hub.Unmatched(ctx)
	for _, u := range all {
		one := Unmatched{
			Kind: string(u.Place.Kind), Source: u.Place.Source, Name: u.Place.Name, Received: u.Message.Received.UTC(),
			Identity: u.Message.Identity, Bytes: len(u.Message.Body), Same: u.Same, Different: u.Different, Reason: u.Reason,
		}
		if types := u.Message.Header["Content-Type"]; len(types) > 0 {
			one.ContentType = types[0]
		}
		page.Messages = append(page.Messages, one)
	}
	return page, err
}

func (s *Server) listUnmatched(w http.ResponseWriter, r *http.Request) error {
	page, err := ListUnmatched(r.Context(), s.options.Hub)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, page)
}
