package durable

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// Settlement is what an operator found out about an operation of which the run did
// not know the outcome.
type Settlement struct {
	// Workflow is the call path of the workflow whose step it is, as Detail.Steps has it;
	// empty: the only one in which the outcome of the step is unknown.
	Workflow string    `json:"workflow,omitempty"`
	Step     string    `json:"step"`
	Outcome  string    `json:"outcome"`            // succeeded or failed
	Operator string    `json:"operator"`           // who says so
	Settled  time.Time `json:"settled"`            // when; by Settle
	Response []byte    `json:"response,omitempty"` // what the server answered, where that was found; not shown
	// Activation and Attempt name the request of the step that it is about, as Detail.Steps
	// has them. Where one is given, Settle refuses unless it is that of the last request:
	// between a look and a settlement there may have been another. 0: the last.
	Activation int `json:"activation,omitempty"`
	Attempt    int `json:"attempt,omitempty"`
	// TakenUp tells that the run has gone on by it; by Show.
	TakenUp bool `json:"takenUp,omitempty"`
	// Void tells that the run does not go on by it: what became of the request was known
	// otherwise, or another one was sent since; by Show.
	Void bool `json:"void,omitempty"`
}

// The errors of Settle and Resume.
var (
	// ErrNotUnknown tells that the outcome of the step is not unknown.
	ErrNotUnknown = errors.New("the outcome of the step is not unknown")
	// ErrOtherRequest tells that the step has made another request since the one that is meant.
	ErrOtherRequest = errors.New("another request of the step was sent since")
	// ErrAmbiguous tells that the outcome of the step is unknown in several workflows.
	ErrAmbiguous = errors.New("which workflow's step is meant is not clear")
	// ErrSettled tells that somebody has settled the step before.
	ErrSettled = errors.New("the step was settled before")
	// ErrResponse tells that the response cannot be that of the step.
	ErrResponse = errors.New("the response cannot be taken")
	// ErrNotParked tells that a run is not parked: it is executed, waits in line, or has ended.
	ErrNotParked = errors.New("the run is not parked")
)

// Settle tells a run what became of an operation whose outcome is unknown to it. The run
// takes it up where it stands, as if a requery had told: a wait is looked at at once, and
// one that is parked does it when it goes on. One that has ended stays as it ended: there
// it is for people who look at it. Of a succeeded operation the response, where it is
// given, makes the outputs of the step.
func (s *Store) Settle(ctx context.Context, run string, settlement Settlement) error {
	if settlement.Outcome != "succeeded" && settlement.Outcome != "failed" {
		return fmt.Errorf("settle the step %q: the outcome is %q; expected succeeded or failed", settlement.Step, settlement.Outcome)
	}
	d, err := s.Show(ctx, run)
	if err != nil {
		return err
	}
	if d.Sealed {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run, ErrSealed)
	}
	of, err := unknownStep(d, settlement)
	if err != nil {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run, err)
	}
	if a, n := settlement.Activation, settlement.Attempt; a != 0 && a != of.Activation || n != 0 && n != of.Attempt {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run,
			fmt.Errorf("%w: the last was of activation %d, attempt %d", ErrOtherRequest, of.Activation, of.Attempt))
	}
	settlement.Workflow, settlement.Activation, settlement.Attempt = of.Workflow, of.Activation, of.Attempt
	if err := s.checkResponse(ctx, run, settlement); err != nil {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run, err)
	}
	s.reach("before settle")
	err = s.db.within(ctx, func(tx *transaction) error { return s.settle(ctx, tx, run, settlement, of.Requested) })
	if err != nil {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run, err)
	}
	s.reach("after settle")
	s.news.wake(run)
	return nil
}

// checkResponse looks at a response before the settlement is kept, since there is only one.
func (s *Store) checkResponse(ctx context.Context, run string, settlement Settlement) error {
	switch {
	case settlement.Response == nil:
		return nil
	case settlement.Outcome == "failed":
		return fmt.Errorf("%w: what failed has none; leave it out", ErrResponse)
	}
	var bundle, config []byte
	_, err := one(ctx, s.db, "SELECT b.data, c.data FROM weft_run r JOIN weft_blob b ON b.digest = r.bundle JOIN weft_blob c ON c.digest = r.config WHERE r.id = $1",
		[]any{run}, &bundle, &config)
	if err != nil {
		return err
	}
	made, err := s.definitions.compile(ctx, bundle, config)
	if err != nil {
		return err
	}
	if err := made.plan.CheckAnswer(settlement.Step, settlement.Response); err != nil {
		return fmt.Errorf("%w: %w", ErrResponse, err)
	}
	return nil
}

// unknownStep finds the step of which the outcome is unknown.
func unknownStep(d Detail, settlement Settlement) (of StepView, err error) {
	var unknown []string
	known, settled := false, false
	for _, step := range d.Steps {
		if step.Step != settlement.Step || settlement.Workflow != "" && step.Workflow != settlement.Workflow {
			continue
		}
		known, settled = true, settled || step.settled
		if step.Operation == idempotency.Unknown && step.continued == "" {
			of, unknown = step, append(unknown, step.Workflow)
		}
	}
	switch {
	case len(unknown) == 1:
		return of, nil
	case len(unknown) > 1:
		return of, fmt.Errorf("%w: it is unknown in %s: name the workflow", ErrAmbiguous, strings.Join(unknown, " and in "))
	case settled:
		return of, ErrSettled
	case !known:
		return of, fmt.Errorf("%w: no step of this name has made a request in it", ErrNotUnknown)
	default:
		return of, ErrNotUnknown
	}
}

// settle keeps a settlement, unless there is one since the step's last request, and makes
// it known.
func (s *Store) settle(ctx context.Context, tx conn, run string, settlement Settlement, since time.Time) error {
	var id string
	if _, err := one(ctx, tx, "SELECT id FROM weft_run WHERE id = $1 FOR UPDATE", []any{run}, &id); err != nil {
		return err
	}
	last, before := 0, 0
	_, err := one(ctx, tx, "SELECT coalesce(max(number), 0) FROM weft_settled WHERE run = $1", []any{run}, &last)
	if err == nil {
		// By the request: clocks of machines may differ. Earlier versions named none.
		_, err = one(ctx, tx, `SELECT count(*) FROM weft_settled WHERE run = $1 AND step = $2 AND workflow IN ('', $3)
			AND (activation = $4 AND attempt = $5 OR attempt = 0 AND settled >= $6)`,
			[]any{run, settlement.Step, settlement.Workflow, settlement.Activation, settlement.Attempt, milliseconds(since)}, &before)
	}
	if err == nil && before > 0 {
		err = ErrSettled
	}
	if err != nil {
		return err
	}
	var response []byte
	if settlement.Response != nil {
		response = s.seal.close(run, settlement.Response)
	}
	_, err = tx.exec(ctx, `INSERT INTO weft_settled (run, number, workflow, step, outcome, operator, settled, response, activation, attempt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		run, last+1, settlement.Workflow, settlement.Step, settlement.Outcome, settlement.Operator, milliseconds(s.now()), response, settlement.Activation, settlement.Attempt)
	if err == nil {
		err = s.announce(ctx, tx, run)
	}
	return err
}

func (s *Store) showSettlements(ctx context.Context, d *Detail) error {
	return s.db.each(ctx, "SELECT workflow, step, outcome, operator, settled, activation, attempt FROM weft_settled WHERE run = $1 ORDER BY number", []any{d.Run}, func(r row) error {
		var one Settlement
		var at int64
		err := r.Scan(&one.Workflow, &one.Step, &one.Outcome, &one.Operator, &at, &one.Activation, &one.Attempt)
		one.Settled = atMilliseconds(at)
		for _, taken := range d.taken {
			one.TakenUp = one.TakenUp || taken.is(one)
		}
		one.Void = !one.TakenUp && !d.Sealed && d.isOver(one)
		d.Settlements = append(d.Settlements, one)
		return err
	})
}

// isOver tells whether nothing is left to be settled of what a settlement that was not
// taken up is about.
func (d *Detail) isOver(s Settlement) bool {
	for _, step := range d.Steps {
		if step.Step != s.Step || s.Workflow != "" && step.Workflow != s.Workflow {
			continue
		}
		same := step.Activation == s.Activation && step.Attempt == s.Attempt
		if s.Attempt == 0 {
			same = !s.Settled.Before(step.Requested.Truncate(time.Millisecond))
		}
		if same && step.Operation == idempotency.Unknown && step.continued == "" {
			return false
		}
	}
	return true
}

// told is a settlement as the history of a run has it.
type told struct {
	Number     int                 `json:"number"`
	Settlement executor.Settlement `json:"settlement"`
}

// settledSuffix ends the names of the records of what operators have told.
const settledSuffix = ":settled"

var _ executor.Settler = (*execution)(nil)

// Settlements gives what operators have found out since the run was last told. Where
// there is nothing, nothing is recorded: a history has such a record only where they did,
// and a replay gives what it has.
func (x *execution) Settlements(_ context.Context, name string) ([]executor.Settlement, error) {
	name += settledSuffix
	if x.records < x.recorded {
		if x.heard[x.records] != name {
			return nil, nil
		}
	} else if there, err := x.isTold(x.ctx); err != nil || !there {
		x.must(err)
		x.asks()
		return nil, nil
	}
	all := transact(x, name, func(ctx context.Context, c conn) ([]told, error) { return x.readSettlements(ctx, c) })
	given := make([]executor.Settlement, len(all))
	for i, t := range all {
		given[i], x.settled = t.Settlement, t.Number
	}
	return given, nil
}

// isTold tells whether there is something that the run was not told yet.
func (x *execution) isTold(ctx context.Context) (bool, error) {
	last := 0
	_, err := one(ctx, x.store.db, "SELECT coalesce(max(number), 0) FROM weft_settled WHERE run = $1", []any{x.run}, &last)
	return last > x.settled, err
}

func (x *execution) readSettlements(ctx context.Context, c conn) (all []told, err error) {
	err = c.each(ctx, "SELECT number, workflow, step, outcome, operator, settled, response, activation, attempt FROM weft_settled WHERE run = $1 AND number > $2 ORDER BY number",
		[]any{x.run, x.settled}, func(r row) error {
			var t told
			var outcome string
			var at int64
			var response []byte
			if err := r.Scan(&t.Number, &t.Settlement.Workflow, &t.Settlement.Step, &outcome, &t.Settlement.By, &at, &response, &t.Settlement.Activation, &t.Settlement.Attempt); err != nil {
				return err
			}
			t.Settlement.Succeeded, t.Settlement.Time = outcome == "succeeded", atMilliseconds(at)
			if len(response) > 0 {
				body, err := x.store.seal.open(x.run, response)
				if err != nil {
					return err
				}
				t.Settlement.Response = body
			}
			all = append(all, t)
			return nil
		})
	return all, err
}

// Resume has a run that is parked executed anew from what is recorded. The error
// wraps ErrNotParked where it is not.
func (s *Store) Resume(ctx context.Context, run string) error {
	found, err := s.Find(ctx, run)
	if err != nil {
		return err
	}
	if found.Parked == "" {
		return fmt.Errorf("resume the run %s: %w", run, ErrNotParked)
	}
	if err := s.putInLine(ctx, run, func(dbos.WorkflowStatus) bool { return true }); err != nil {
		return fmt.Errorf("resume the run %s: %w", run, err)
	}
	if _, err := s.db.exec(ctx, "UPDATE weft_run SET parked = '' WHERE id = $1", run); err != nil {
		return fmt.Errorf("resume the run %s: %w", run, err)
	}
	return nil
}

// isRecorded tells whether the journal knows the end of a run.
func (s *Store) isRecorded(run string) (bool, error) {
	all, err := dbos.ListWorkflows(s.dbos, dbos.WithFilterWorkflowIDs(run), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
	return err == nil && len(all) == 1 && all[0].Status == dbos.WorkflowStatusSuccess, err
}
