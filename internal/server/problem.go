package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

// problem is an answer that tells what went wrong (RFC 9457).
type problem struct {
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	// Run is the run that it is about, for a held token its holder.
	Run string `json:"run,omitempty"`
	// State is where that run stands.
	State idempotency.RunState `json:"state,omitempty"`
	// Phase is how far an uncertain start had come.
	Phase string `json:"phase,omitempty"`
	cause error  // that the log tells; nil: the caller knows all there is
}

// Error gives what went wrong (error).
func (p *problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Title + ": " + p.Detail
}

func (p *problem) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p) // who asked may have gone
}

// bad is a request that cannot be understood.
func bad(detail string) *problem {
	return &problem{Title: "The request cannot be understood", Status: http.StatusBadRequest, Detail: detail}
}

var (
	unknownPath = &problem{Title: "There is nothing here", Status: http.StatusNotFound, Detail: "GET /openapi.yaml describes what there is"}
	wrongMethod = &problem{Title: "This method is not for this path", Status: http.StatusMethodNotAllowed}
	noRun       = &problem{Title: "There is no such run", Status: http.StatusNotFound}
	noToken     = &problem{Title: "A bearer token is needed", Status: http.StatusUnauthorized}
	wrongToken  = &problem{Title: "The bearer token is not known", Status: http.StatusUnauthorized}
	notAllowed  = &problem{Title: "The bearer token gives no right to this", Status: http.StatusForbidden}
	notFromHere = &problem{
		Title: "Without tokens only programs of this machine are served", Status: http.StatusForbidden,
		Detail: "Requests of web pages, by the name of another host, and through proxies need serve.tokens in weft.yaml.",
	}
	tooLarge    = &problem{Title: "The request is too large", Status: http.StatusRequestEntityTooLarge}
	fault       = &problem{Title: "Something is wrong with this server", Status: http.StatusInternalServerError}
	brokenOff   = &problem{Title: "The connection was closed before the answer was there", Status: http.StatusServiceUnavailable}
	outOfOrder  = &problem{Title: "The store of runs does not answer", Status: http.StatusServiceUnavailable}
	notEndedYet = &problem{Title: "The run has not ended", Status: http.StatusConflict}
)

// kinds are the answers for errors that the caller can do something about.
var kinds = []struct {
	err    error
	title  string
	status int
}{
	{durable.ErrNoRun, noRun.Title, http.StatusNotFound},
	{durable.ErrRunEnded, "The run has ended", http.StatusConflict},
	{durable.ErrNotParked, "The run is not parked", http.StatusConflict},
	{durable.ErrNotUnknown, "The outcome is not unknown", http.StatusConflict},
	{durable.ErrAmbiguous, "Which step is meant is not clear", http.StatusConflict},
	{durable.ErrOtherRequest, "Another request was sent since", http.StatusConflict},
	{durable.ErrSettled, "The step was settled before", http.StatusConflict},
	{durable.ErrResponse, "The response cannot be taken", http.StatusBadRequest},
	{durable.ErrMailboxFull, "The run takes no more messages", http.StatusTooManyRequests},
	{durable.ErrPage, "There is no such page", http.StatusBadRequest},
	{durable.ErrSecretInput, "The store keeps no passwords", http.StatusUnprocessableEntity},
	{durable.ErrRunExists, "Another request was made with this Idempotency-Key", http.StatusUnprocessableEntity},
	{idempotency.ErrNotHeld, "Nothing holds the token", http.StatusNotFound},
	{idempotency.ErrInvalid, "The request cannot be carried out", http.StatusUnprocessableEntity},
}

// problemOf gives the answer for an error; nil where it is a fault of the server.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	var held *idempotency.HeldError
	if errors.As(err, &held) {
		return heldProblem(held)
	}
	var inputs *executor.InputError
	var undeclared *executor.UndeclaredInputError
	var refused *durable.RefusedError
	var receiver *executor.ReceiverError
	switch {
	case errors.As(err, &inputs), errors.As(err, &undeclared), errors.As(err, &refused):
		return &problem{Title: "The run cannot be executed", Status: http.StatusUnprocessableEntity, Detail: err.Error()}
	case errors.As(err, &receiver):
		return &problem{Title: "It is not clear what receives the message", Status: http.StatusUnprocessableEntity, Detail: err.Error()}
	case errors.Is(err, durable.ErrRunUnclear):
		return &problem{
			Title: "There is a run of this Idempotency-Key, and the inputs cannot be compared", Status: http.StatusConflict,
			Detail: "It was started under another store key than this process has. Nothing was started.",
		}
	case errors.Is(err, durable.ErrSealed):
		// Another process that shares the store may have the key.
		return &problem{Title: "This process cannot read the run", Status: http.StatusServiceUnavailable, Detail: "It has not the key that the run was encrypted with (WEFT_STORE_KEY)."}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return tooLarge
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return &problem{Title: k.title, Status: k.status, Detail: err.Error()}
		}
	}
	return nil
}

func heldProblem(held *idempotency.HeldError) *problem {
	p := &problem{Title: "The token is held", Status: http.StatusConflict, Run: held.Holder.Run, State: held.Holder.State}
	if !held.Same {
		p.Title, p.Detail = "The token is held for other inputs", "Nothing was started."
		if held.Unclear != nil {
			p.Title = "The token is held, and the inputs cannot be compared"
			p.Detail = "The run that holds it was started under another store key than this process has. Nothing was started."
		}
	}
	return p
}

// fail answers with an error, always: a handler that writes nothing answers 200. That
// the request's context has ended does not mean that nobody is there any more: a caller
// may have closed its sending side alone.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	switch {
	case p == nil && r.Context().Err() != nil:
		p = brokenOff
	case p == nil:
		p = s.unanswered(r, err)
	case p.cause != nil:
		p.Detail = strings.TrimSpace(s.unanswered(r, p.cause).Detail + " " + p.Detail)
	}
	if p.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="weft"`)
	}
	if p.Status == http.StatusServiceUnavailable || p.Status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "2")
	}
	p.write(w)
}

// unanswered logs that the store did not do what it was asked for, and says what can be
// done about that.
func (s *Server) unanswered(r *http.Request, err error) *problem {
	advice, _ := durable.Advice(err)
	s.log.Error("a request failed", "method", r.Method, "path", r.URL.Path, "store", s.options.Store, "error", err, "advice", advice)
	p := *outOfOrder
	if advice != "" {
		p.Detail = "Of the store: " + advice + "."
	}
	return &p
}

// writeJSON answers with a document.
func writeJSON(w http.ResponseWriter, status int, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // who asked may have gone
	return nil
}
