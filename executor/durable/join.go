package durable

import (
	"context"
	"fmt"

	"github.com/weft-flow/weft/idempotency"
)

// bind keeps that a candidate has joined a run: the id of the candidate means that run
// from now on. Of a run whose data was forgotten nothing is kept.
func bind(ctx context.Context, tx conn, c *candidate, run string) error {
	found, err := one(ctx, tx, "SELECT id FROM weft_run WHERE id = $1 FOR UPDATE", []any{run}, &run)
	if err != nil || !found {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO weft_joined (id, run, tenant, workflow, token, fingerprint, document, retention)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
		c.Run, run, c.Tenant, c.workflow, c.Token, c.fingerprint[:], c.Bundle.Name, c.Retention.Milliseconds())
	return err
}

// bound gives a *idempotency.HeldError where the candidate has joined a run before, and
// ErrRunExists where another one with its id has.
func (s *Store) bound(ctx context.Context, c conn, candidate *candidate) error {
	var run, state, tenant, workflow, token, document string
	var print []byte
	var retention int64
	found, err := one(ctx, c, `SELECT r.id, r.state, j.tenant, j.workflow, j.token, j.fingerprint, j.document, j.retention
		FROM weft_joined j JOIN weft_run r ON r.id = j.run WHERE j.id = $1`, []any{candidate.Run},
		&run, &state, &tenant, &workflow, &token, &print, &document, &retention)
	if err != nil || !found {
		return err
	}
	same := candidate.Join && tenant == candidate.Tenant && workflow == candidate.workflow && token == candidate.Token &&
		document == candidate.Bundle.Name && retention == candidate.Retention.Milliseconds()
	if same {
		same, err = s.isOfInputs(ctx, c, candidate, print, run)
	}
	if err != nil {
		return err
	}
	if !same {
		return fmt.Errorf("%w: %s has joined the run %s", ErrRunExists, candidate.Run, run)
	}
	holder := idempotency.Holder{Run: run, Fingerprint: candidate.fingerprint, State: idempotency.RunState(state)}
	return &idempotency.HeldError{Holder: holder, Same: true}
}
