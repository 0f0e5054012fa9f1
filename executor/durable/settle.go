package durable

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"

	"github.com/weft-flow/weft/idempotency"
)

// Settlement is what an operator found out about an operation of which the run did
// not know the outcome.
type Settlement struct {
	Step     string    `json:"step"`
	Outcome  string    `json:"outcome"`            // succeeded or failed
	Operator string    `json:"operator"`           // who says so
	Settled  time.Time `json:"settled"`            // when; by Settle
	Response []byte    `json:"response,omitempty"` // what the server answered, where that was found; not shown
}

// The errors of Settle and Resume.
var (
	// ErrNotUnknown tells that the outcome of the step is not unknown.
	ErrNotUnknown = errors.New("the outcome of the step is not unknown")
	// ErrSettled tells that somebody has settled the step before.
	ErrSettled = errors.New("the step was settled before")
	// ErrNotParked tells that a run is not parked: it is executed, waits in line, or has ended.
	ErrNotParked = errors.New("the run is not parked")
)

// Settle records what became of an operation whose outcome is unknown. It is for
// people who look at the run: a run that has ended stays as it ended, and one that
// goes on does not take it up.
func (s *Store) Settle(ctx context.Context, run string, settlement Settlement) error {
	if settlement.Outcome != "succeeded" && settlement.Outcome != "failed" {
		return fmt.Errorf("settle the step %q: the outcome is %q; expected succeeded or failed", settlement.Step, settlement.Outcome)
	}
	d, err := s.Show(ctx, run)
	if err != nil {
		return err
	}
	known, unknown := false, false
	for _, step := range d.Steps {
		known = known || step.Step == settlement.Step
		unknown = unknown || step.Step == settlement.Step && step.Operation == idempotency.Unknown
	}
	if !known {
		return fmt.Errorf("settle the run %s: %w: no step %q has made a request in it", run, ErrNotUnknown, settlement.Step)
	}
	if !unknown {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run, ErrNotUnknown)
	}
	settled, err := s.db.exec(ctx, `INSERT INTO weft_settlement (run, step, outcome, operator, settled, response)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
		run, settlement.Step, settlement.Outcome, settlement.Operator, milliseconds(s.now()), s.seal.close(run, settlement.Response))
	if err == nil && settled == 0 {
		err = ErrSettled
	}
	if err != nil {
		return fmt.Errorf("settle the step %q of the run %s: %w", settlement.Step, run, err)
	}
	return nil
}

func (s *Store) showSettlements(ctx context.Context, d *Detail) error {
	return s.db.each(ctx, "SELECT step, outcome, operator, settled FROM weft_settlement WHERE run = $1 ORDER BY settled, step", []any{d.Run}, func(r row) error {
		var one Settlement
		var at int64
		err := r.Scan(&one.Step, &one.Outcome, &one.Operator, &at)
		one.Settled = atMilliseconds(at)
		d.Settlements = append(d.Settlements, one)
		return err
	})
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
