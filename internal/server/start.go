package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/idempotency"
)

// startRequest says which run is to be started.
type startRequest struct {
	document, token, tenant, onConflict string
	workflows                           []string
	inputs                              value.Value
	retention                           time.Duration
	key                                 string // of the request; empty: it has none
}

func readStart(r *http.Request) (startRequest, error) {
	s := startRequest{inputs: value.Absent}
	err := readObject(r,
		member{"document", text(&s.document)}, member{"workflows", oneOrMore(texts(&s.workflows))}, member{"inputs", object(&s.inputs)},
		member{"token", notEmpty(text(&s.token))}, member{"minRetention", duration(&s.retention)}, member{"tenant", text(&s.tenant)},
		member{"onConflict", word(&s.onConflict, "join", "fail")})
	switch {
	case err != nil:
		return s, err
	case s.document == "":
		return s, bad("document is missing; GET /v1/documents lists them")
	case s.retention > 0 && s.token == "":
		return s, bad("minRetention is that of a token, and there is none")
	}
	if s.key, err = keyOf(r); err != nil {
		return s, err
	}
	s.tenant, err = tenantOf(r, s.tenant)
	return s, err
}

// longestKey is how many bytes an Idempotency-Key has at most.
const longestKey = 255

// keyOf gives the Idempotency-Key of a request, with or without the quotes that the
// Internet-Draft asks for; empty where it has none.
func keyOf(r *http.Request) (string, error) {
	fields := r.Header.Values("Idempotency-Key")
	if len(fields) == 0 {
		return "", nil
	}
	key := strings.TrimSpace(fields[0])
	if len(key) >= 2 && key[0] == '"' && key[len(key)-1] == '"' {
		key = key[1 : len(key)-1]
	}
	if len(fields) > 1 || key == "" || len(key) > longestKey {
		return "", bad(fmt.Sprintf("Idempotency-Key: expected one of 1 to %d bytes", longestKey))
	}
	if !utf8.ValidString(key) { // others that are none would be the same
		return "", bad("Idempotency-Key: is not UTF-8")
	}
	return key, nil
}

// startKeys is the UUID namespace of the ids of runs that were started with an
// Idempotency-Key. It never changes: the same request again must find its run.
var startKeys = uuid.MustParse("0f7c2a5e-9d41-4f0b-8a6c-3b1e5d7f9a24")

// runOf gives the id of the run that a request with a key starts; empty: any.
func (s startRequest) runOf() string {
	if s.key == "" {
		return ""
	}
	name, err := json.Marshal([2]string{s.tenant, s.key})
	if err != nil {
		panic(err) // two texts
	}
	return uuid.NewSHA1(startKeys, name).String()
}

// startedRun answers a start.
type startedRun struct {
	Run      string               `json:"run"`
	Workflow string               `json:"workflow"`
	State    idempotency.RunState `json:"state"`
	// Joined tells that another start had claimed the token, with the same inputs.
	Joined bool           `json:"joined"`
	Result *report.Result `json:"result,omitempty"`
}

func (s *Server) startRun(w http.ResponseWriter, r *http.Request) error {
	request, err := readStart(r)
	if err != nil {
		s.metrics.starts.WithLabelValues("invalid").Inc()
		return err
	}
	d, ok := s.documents[request.document]
	if !ok {
		s.metrics.starts.WithLabelValues("invalid").Inc()
		return &problem{Title: "There is no such document", Status: http.StatusUnprocessableEntity, Detail: "GET /v1/documents lists them"}
	}
	patient(w)
	if request.tenant == "" && callerOf(r.Context()).open {
		request.tenant = d.Config.Tenant // as weft run has it: keys are derived from it
	}
	started, err := s.start(r.Context(), d, request)
	if err == nil {
		trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("weft.run", started.Run))
	}
	var held *idempotency.HeldError
	if errors.As(err, &held) && held.Same && request.onConflict != "fail" {
		s.metrics.starts.WithLabelValues("joined").Inc()
		return s.answerJoined(w, r, held.Holder, strings.Join(d.workflows(request.workflows), ","))
	}
	if err != nil {
		s.metrics.starts.WithLabelValues(startOutcome(err)).Inc()
		return request.explained(err)
	}
	answer := startedRun{Run: started.Run, Workflow: started.Workflow, State: idempotency.Accepted}
	if started.Again {
		s.metrics.starts.WithLabelValues("again").Inc()
		return s.answerStart(w, r, answer, http.StatusOK)
	}
	s.metrics.starts.WithLabelValues("started").Inc()
	return s.answerStart(w, r, answer, http.StatusCreated)
}

// explained says of an uncertain start what its caller can rely on.
func (s startRequest) explained(err error) error {
	var none *durable.NotAcceptedError
	if errors.As(err, &none) {
		return &problem{
			Title: "No run was accepted", Status: http.StatusServiceUnavailable, cause: none,
			Detail: "The store of runs did not take this start. The same request can be made again.",
		}
	}
	var uncertain *durable.UncertainError
	if !errors.As(err, &uncertain) {
		return err
	}
	p := &problem{
		Title: "It is uncertain whether the run was accepted", Status: http.StatusServiceUnavailable, Run: uncertain.Run, Phase: uncertain.Phase,
		cause: uncertain,
	}
	switch {
	case s.key != "":
		p.Detail = "The same request with the same Idempotency-Key finds the run that it made or joined, or makes it."
	case s.token != "":
		p.Detail = "While that run holds its token, the same request joins it. GET /v1/runs/" + uncertain.Run + " tells whether it is there; a start with an Idempotency-Key can be made again at any time."
	default:
		p.Detail = "GET /v1/runs/" + uncertain.Run + " tells whether it is there; the same request may make a second one. A start with an Idempotency-Key can be made again at any time."
	}
	return p
}

func startOutcome(err error) string {
	var held *idempotency.HeldError
	var uncertain *durable.UncertainError
	var none *durable.NotAcceptedError
	switch {
	case errors.As(err, &held) && !held.Same, errors.Is(err, durable.ErrRunUnclear):
		return "mismatch"
	case errors.As(err, &held):
		return "held"
	case errors.As(err, &uncertain):
		return "uncertain"
	case errors.As(err, &none):
		return "unavailable"
	default:
		return "invalid"
	}
}

// start starts a run, or finds the one that the same request started before.
func (s *Server) start(ctx context.Context, d Document, request startRequest) (durable.Started, error) {
	spec := durable.Spec{
		Run: request.runOf(), Bundle: d.Bundle, Workflows: request.workflows, Config: d.Config, Inputs: request.inputs,
		Tenant: request.tenant, Token: request.token, Retention: request.retention,
		Join: request.onConflict != "fail",
	}
	started, err := s.options.Runs.Start(ctx, spec)
	var uncertain *durable.UncertainError
	var none *durable.NotAcceptedError
	if (errors.As(err, &uncertain) || errors.As(err, &none)) && spec.Run != "" && ctx.Err() == nil {
		started, err = s.options.Runs.Start(ctx, spec) // the same request may have been quicker
	}
	if err != nil || !started.Again {
		return started, err
	}
	// The store holds it against tenant, workflows, token and inputs; the rest is ours.
	found, err := s.options.Runs.Find(ctx, started.Run)
	if err == nil && (found.Document != d.Bundle.Name || found.Retention != request.retention) {
		err = durable.ErrRunExists
	}
	return started, err
}

// answerStart answers with the run that there is now, and with its result where the
// caller waits for it or it is there.
func (s *Server) answerStart(w http.ResponseWriter, r *http.Request, answer startedRun, status int) error {
	wait, waits := preferredWait(r)
	if status == http.StatusOK || waits {
		found, err := s.options.Runs.Find(r.Context(), answer.Run)
		if err != nil {
			return err
		}
		answer.State = found.State
		result, ended, err := s.resultWithin(r.Context(), answer.Run, wait)
		if err != nil {
			return err
		}
		if ended {
			answer.State, answer.Result = idempotency.Ended, new(report.NewResult(result))
		}
	}
	if waits {
		w.Header().Set("Preference-Applied", fmt.Sprintf("wait=%d", int(wait.Seconds())))
		status = http.StatusAccepted
		if answer.Result != nil {
			status = http.StatusOK
		}
	}
	w.Header().Set("Location", "/v1/runs/"+answer.Run)
	return writeJSON(w, status, answer)
}

// answerJoined answers with the run that holds the token.
func (s *Server) answerJoined(w http.ResponseWriter, r *http.Request, holder idempotency.Holder, workflow string) error {
	answer := startedRun{Run: holder.Run, Workflow: workflow, State: holder.State, Joined: true}
	err := s.answerStart(w, r, answer, http.StatusOK)
	if !errors.Is(err, durable.ErrNoRun) || holder.State != idempotency.Ended {
		return err
	}
	result, err := s.options.Runs.ReadHeld(holder) // the run's own data was forgotten
	if err != nil {
		return err
	}
	answer.Result = new(report.NewResult(result))
	return writeJSON(w, http.StatusOK, answer)
}

// resultWithin gives the result of a run that ends within a time; ended is false where
// it does not.
func (s *Server) resultWithin(ctx context.Context, run string, within time.Duration) (result executor.Result, ended bool, err error) {
	if within <= 0 {
		return s.options.Runs.Result(ctx, run)
	}
	waiting, cancel := s.untilClosing(ctx)
	defer cancel()
	waiting, stop := context.WithTimeout(waiting, within)
	defer stop()
	result, err = s.options.Runs.Wait(waiting, run)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return executor.Result{}, false, nil
	}
	return result, err == nil, err
}

// untilClosing gives a context that ends when the server is being closed.
func (s *Server) untilClosing(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
