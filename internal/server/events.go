package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/idempotency"
)

const (
	// mostEvents is how many events a page has at most, and eventsInPage how many it has
	// where nothing else is asked for.
	mostEvents, eventsInPage = 1000, 100
	// keepAlive is how often a stream without news says that it lives.
	keepAlive = 15 * time.Second
	// streamTimeout is how long one write to a stream may take.
	streamTimeout = 30 * time.Second
)

// eventPage is a part of the events of a run.
type eventPage struct {
	Events []report.Event `json:"events"`
	// Next is what after must be for the page that follows.
	Next int `json:"next"`
	// Ended tells that there will be no more than those that there are now.
	Ended bool `json:"ended"`
}

func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	found, err := s.visible(r)
	if err != nil {
		return err
	}
	query, err := queryOf(r, "after", "limit")
	if err != nil {
		return err
	}
	after, err := number(query, "after", 0, 1<<31-1, 0)
	if err != nil {
		return err
	}
	limit, err := number(query, "limit", 1, mostEvents, eventsInPage)
	if err != nil {
		return err
	}
	w.Header().Set("Vary", "Accept")
	if wantsJSON(r) {
		return s.pageOfEvents(w, r, found.Run, after, limit)
	}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		if after, err = strconv.Atoi(last); err != nil || after < 0 {
			return bad("Last-Event-ID: expected the id of an event")
		}
	}
	return s.stream(w, r, found.Run, after)
}

// wantsJSON tells whether a page is asked for, and no stream.
func wantsJSON(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/event-stream")
}

func (s *Server) pageOfEvents(w http.ResponseWriter, r *http.Request, run string, after, limit int) error {
	// The end is looked for first: all events are there when it is.
	found, err := s.options.Runs.Find(r.Context(), run)
	if err != nil {
		return err
	}
	events, err := s.options.Runs.Events(r.Context(), run, after, limit)
	if err != nil {
		return err
	}
	page := eventPage{Events: []report.Event{}, Next: after, Ended: found.State == idempotency.Ended && len(events) < limit}
	for _, e := range events {
		form, err := report.NewEvent(e)
		if err != nil {
			return err
		}
		page.Events, page.Next = append(page.Events, form), e.Sequence
	}
	return writeJSON(w, http.StatusOK, page)
}

// stream sends the events of a run as they come, until it has ended. Who has seen them
// all by then is told not to come again.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, run string, after int) error {
	_, ended, err := s.options.Runs.Result(r.Context(), run)
	if err != nil {
		return err
	}
	left, err := s.options.Runs.Events(r.Context(), run, after, 1)
	if err != nil {
		return err // what cannot be read is told before the answer begins
	}
	if ended && len(left) == 0 {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	patient(w)
	out := &eventStream{w: w, control: http.NewResponseController(w)}
	if err := out.begin(); err != nil {
		return err
	}
	ctx, cancel := s.untilClosing(r.Context())
	defer cancel()
	stop := out.keepAlive(cancel)
	defer stop()
	if _, err := s.options.Runs.Follow(ctx, run, after, out); err != nil && ctx.Err() == nil {
		s.log.Warn("a stream of events ends", "run", run, "error", err)
	}
	out.allow()
	return nil // the answer has begun: it ends, and who listens comes again
}

// eventStream writes events as Server-Sent Events. It is an executor.Sink.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController

	mu sync.Mutex
}

func (s *eventStream) begin() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers would hold back what is new
	s.w.WriteHeader(http.StatusOK)
	return s.control.Flush()
}

// Write sends an event.
func (s *eventStream) Write(e executor.Event) error {
	form, err := report.NewEvent(e)
	if err != nil {
		return err
	}
	data, err := json.Marshal(form)
	if err != nil {
		return err
	}
	return s.send(fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", e.Sequence, e.Detail.Type(), bytes.ReplaceAll(data, []byte("\n"), nil)))
}

func (s *eventStream) send(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allow()
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

// allow gives the next write its time.
func (s *eventStream) allow() {
	_ = s.control.SetWriteDeadline(time.Now().Add(streamTimeout)) // not all writers can
}

// keepAlive writes comments while there is nothing else to send, and calls gone where
// nobody takes them. stop waits until it writes no more.
func (s *eventStream) keepAlive(gone func()) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	tick := time.NewTicker(keepAlive)
	go func() {
		defer close(ended)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if s.send([]byte(": still here\n\n")) != nil {
				gone()
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
