package durable

import (
	"context"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

const (
	// cleanedAtOnce is how many runs, or claims of tokens, one clean-up removes at most.
	cleanedAtOnce = 500
	// newsKept is how long it stays written that there was news.
	newsKept = 10 * time.Minute
	// nodesKept is how long nodes that are gone are shown.
	nodesKept = 24 * time.Hour
)

// cleanUp removes what is over.
func (d *driver) cleanUp(ctx context.Context) {
	s := d.store
	tell := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			s.log.Warn("clean up: "+what, "error", err)
		}
	}
	if d.options.Keep > 0 {
		_, err := s.Forget(ctx, d.options.Keep, cleanedAtOnce)
		tell("ended runs", err)
	}
	_, err := s.db.tokens.Purge(ctx, cleanedAtOnce)
	tell("tokens", err)
	_, err = s.db.exec(ctx, "DELETE FROM weft_news WHERE at < "+s.db.clock()+" - $1", newsKept.Milliseconds())
	tell("news", err)
	_, err = s.db.exec(ctx, "DELETE FROM weft_node WHERE state = 'gone' AND beat < "+s.db.clock()+" - $1", nodesKept.Milliseconds())
	tell("nodes", err)
}

// Forget removes the data of at most limit runs that ended at least keep ago, and
// tells how many there were. Tokens that are retained stay held.
func (s *Store) Forget(ctx context.Context, keep time.Duration, limit int) (int, error) {
	var runs []string
	err := s.db.each(ctx, "SELECT id FROM weft_run WHERE state = 'ended' AND ended <= $1 ORDER BY ended LIMIT $2",
		[]any{milliseconds(s.now().Add(-keep)), limit}, func(r row) error {
			runs = append(runs, "")
			return r.Scan(&runs[len(runs)-1])
		})
	if err != nil || len(runs) == 0 {
		return 0, err
	}
	forgotten := 0
	for _, run := range runs {
		// Where the journal still is at work on the end of the run, its row goes another time.
		all, err := dbos.ListWorkflows(s.dbos, dbos.WithFilterWorkflowIDs(run), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
		if err != nil {
			return forgotten, err
		}
		if len(all) > 0 && (all[0].Status == dbos.WorkflowStatusPending || all[0].Status == dbos.WorkflowStatusEnqueued) {
			continue
		}
		if err := dbos.DeleteWorkflows(s.dbos, []string{run}); err != nil {
			return forgotten, err
		}
		if err := s.db.within(ctx, func(tx *transaction) error { return forget(ctx, tx, run) }); err != nil {
			return forgotten, err
		}
		forgotten++
	}
	_, err = s.db.exec(ctx, `DELETE FROM weft_blob WHERE NOT EXISTS
		(SELECT 1 FROM weft_run r WHERE r.bundle = weft_blob.digest OR r.config = weft_blob.digest OR r.inputs = weft_blob.digest)`)
	return forgotten, err
}

func forget(ctx context.Context, tx conn, run string) error {
	if err := forgetInbox(ctx, tx, run); err != nil {
		return err
	}
	for _, table := range []string{"weft_message", "weft_event", "weft_body", "weft_state", "weft_settlement", "weft_settled", "weft_joined"} {
		if _, err := tx.exec(ctx, "DELETE FROM "+table+" WHERE run = $1", run); err != nil {
			return err
		}
	}
	_, err := tx.exec(ctx, "DELETE FROM weft_run WHERE id = $1", run)
	return err
}
