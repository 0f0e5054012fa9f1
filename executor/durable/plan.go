package durable

import (
	"context"
	"fmt"

	"github.com/weft-flow/weft/executor"
)

// Plan gives what a run executes, as it was kept with the run.
func (s *Store) Plan(ctx context.Context, run string) (*executor.Plan, error) {
	var bundle, config []byte
	found, err := one(ctx, s.db, `SELECT b.data, c.data FROM weft_run r
		JOIN weft_blob b ON b.digest = r.bundle JOIN weft_blob c ON c.digest = r.config WHERE r.id = $1`, []any{run}, &bundle, &config)
	if err == nil && !found {
		err = ErrNoRun
	}
	if err != nil {
		return nil, fmt.Errorf("the plan of the run %s: %w", run, err)
	}
	c, err := s.definitions.compile(ctx, bundle, config)
	if err != nil {
		return nil, fmt.Errorf("the plan of the run %s: %w", run, err)
	}
	return c.plan, nil
}
