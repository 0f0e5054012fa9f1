package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/idempotency"
)

// mostListed is how many runs a page has at most.
const mostListed = 1000

func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) error {
	f, err := filterOf(r)
	if err != nil {
		return err
	}
	page, err := s.options.Runs.List(r.Context(), f)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, page)
}

func filterOf(r *http.Request) (f durable.Filter, err error) {
	query, err := queryOf(r, "tenant", "workflow", "token", "state", "status", "parked", "limit", "after")
	if err != nil {
		return f, err
	}
	tenant, err := tenantOf(r, query.Get("tenant"))
	if err != nil {
		return f, err
	}
	if !callerOf(r.Context()).open || query.Has("tenant") {
		f.Tenant = &tenant
	}
	state, err := oneOf(query, "state", string(idempotency.Accepted), string(idempotency.Running), string(idempotency.Ended))
	if err != nil {
		return f, err
	}
	status, err := oneOf(query, "status", string(executor.Succeeded), string(executor.Recovered), string(executor.Failed), string(executor.Cancelled), string(executor.Unknown))
	if err != nil {
		return f, err
	}
	parked, err := oneOf(query, "parked", "true", "false")
	if err != nil {
		return f, err
	}
	f.Workflow, f.Token, f.After = query.Get("workflow"), query.Get("token"), query.Get("after")
	f.State, f.Status, f.Parked = idempotency.RunState(state), executor.Status(status), parked == "true"
	f.Limit, err = number(query, "limit", 1, mostListed, 0)
	return f, err
}

// visible gives the run of a request, if it is one that the caller may know of.
func (s *Server) visible(r *http.Request) (durable.Summary, error) {
	run := r.PathValue("run")
	if checkText(run) != nil {
		return durable.Summary{}, noRun
	}
	found, err := s.options.Runs.Find(r.Context(), run)
	if err != nil {
		return durable.Summary{}, err
	}
	if c := callerOf(r.Context()); !c.open && found.Tenant != c.Tenant {
		return durable.Summary{}, noRun
	}
	return found, nil
}

func (s *Server) showRun(w http.ResponseWriter, r *http.Request) error {
	found, err := s.visible(r)
	if err != nil {
		return err
	}
	detail, err := s.options.Runs.Show(r.Context(), found.Run)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, detail)
}

// runResult answers with how a run ended: the members of report.Result, and the run.
type runResult struct {
	run    string
	result report.Result
}

// MarshalJSON puts the run in front of what the result has.
func (r runResult) MarshalJSON() ([]byte, error) {
	run, err := json.Marshal(r.run)
	if err != nil {
		return nil, err
	}
	result, err := json.Marshal(r.result)
	if err != nil {
		return nil, err
	}
	return append(append(append([]byte(`{"run":`), run...), ','), result[1:]...), nil
}

func (s *Server) result(w http.ResponseWriter, r *http.Request) error {
	found, err := s.visible(r)
	if err != nil {
		return err
	}
	patient(w)
	wait, _ := preferredWait(r)
	result, ended, err := s.resultWithin(r.Context(), found.Run, wait)
	switch {
	case err != nil:
		return err
	case !ended:
		return &problem{Title: notEndedYet.Title, Status: notEndedYet.Status, Run: found.Run, State: found.State}
	default:
		return writeJSON(w, http.StatusOK, runResult{found.Run, report.NewResult(result)})
	}
}

// done answers that something was done to a run.
type done struct {
	Run  string `json:"run"`
	Done string `json:"done"`
}

func (s *Server) cancelRun(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, "asked to stop", s.options.Runs.Cancel)
}

func (s *Server) resumeRun(w http.ResponseWriter, r *http.Request) error {
	return s.act(w, r, "put in line", s.options.Runs.Resume)
}

// act does something to a run, and says so.
func (s *Server) act(w http.ResponseWriter, r *http.Request, what string, do func(context.Context, string) error) error {
	found, err := s.visible(r)
	if err != nil {
		return err
	}
	if err := do(r.Context(), found.Run); err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, done{found.Run, what})
}

// withoutTokens is who settles where there are no tokens.
const withoutTokens = "a program of this machine"

func (s *Server) settleRun(w http.ResponseWriter, r *http.Request) error {
	var settlement durable.Settlement
	var response string
	err := readObject(r, member{"step", text(&settlement.Step)}, member{"outcome", word(&settlement.Outcome, "succeeded", "failed")},
		member{"workflow", text(&settlement.Workflow)}, member{"response", text(&response)},
		member{"activation", count(&settlement.Activation)}, member{"attempt", count(&settlement.Attempt)})
	switch {
	case err != nil:
		return err
	case settlement.Step == "" || settlement.Outcome == "":
		return bad("expected a step, and an outcome: succeeded or failed")
	}
	settlement.Operator = callerOf(r.Context()).Name
	if settlement.Operator == "" {
		settlement.Operator = withoutTokens
	}
	if response != "" {
		settlement.Response = []byte(response)
	}
	found, err := s.visible(r)
	if err != nil {
		return err
	}
	if err := s.options.Runs.Settle(r.Context(), found.Run, settlement); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, done{found.Run, "step " + settlement.Step + " is settled: " + settlement.Outcome})
}

func (s *Server) releaseToken(w http.ResponseWriter, r *http.Request) error {
	query, err := queryOf(r, "tenant")
	if err != nil {
		return err
	}
	tenant, err := tenantOf(r, query.Get("tenant"))
	if err != nil {
		return err
	}
	run, err := s.options.Runs.Release(r.Context(), tenant, r.PathValue("workflow"), r.PathValue("token"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, done{run, "holds its token no more"})
}
