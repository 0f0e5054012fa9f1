package durable

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
)

// owned is the word of the journal that an execution owns its run. With it the execution
// adds records by itself, each in one statement that does so only while it is the owner;
// the journal's own verbs ask several things of the database before and after.
//
// The word is read in the transaction in which the journal records the first request that
// this execution prepares. The journal records for the owner alone, and the record names
// the execution: if it is there, whoever was the owner then is this execution. The word is
// another one each time that a run changes hands, and none comes back.
type owned struct {
	word string // empty: not known yet
	text string // of the record with which it was read
}

// Where the journal keeps records, and who owns runs. JOURNAL stands for its schema.
var (
	readOwner = ofJournal("SELECT owner_xid FROM JOURNAL.workflow_status WHERE workflow_uuid = $1")

	addRecord = ofJournal(`WITH owned AS (SELECT workflow_uuid FROM JOURNAL.workflow_status WHERE workflow_uuid = $1 AND owner_xid = $2 FOR NO KEY UPDATE)
		INSERT INTO JOURNAL.operation_outputs (workflow_uuid, function_id, function_name, output, started_at_epoch_ms, completed_at_epoch_ms, serialization, application_name)
		SELECT workflow_uuid, CAST($3 AS integer), CAST($4 AS text), CAST($5 AS text), CAST($6 AS bigint), CAST($7 AS bigint), CAST($8 AS text), CAST($9 AS text) FROM owned`)

	readRecord = ofJournal(`SELECT r.output FROM JOURNAL.operation_outputs r JOIN JOURNAL.workflow_status s ON s.workflow_uuid = r.workflow_uuid
		WHERE r.workflow_uuid = $1 AND s.owner_xid = $2 AND r.function_id = $3 AND r.function_name = $4`)
)

// journalStatement is a statement about the tables of the journal, as each database takes
// it.
type journalStatement struct{ lite, postgres string }

func ofJournal(text string) journalStatement {
	return journalStatement{
		lite:     strings.NewReplacer("JOURNAL.", "", " FOR NO KEY UPDATE", "").Replace(text),
		postgres: strings.ReplaceAll(text, "JOURNAL.", "dbos."),
	}
}

func (d *database) ofJournal(statement journalStatement) string {
	if d.lite != nil {
		return statement.lite
	}
	return statement.postgres
}

// writesRecords tells whether the tables of the journal are those that this program knows.
// Where they are not, the journal's own verbs are slower and as good.
func (d *database) writesRecords(ctx context.Context) bool {
	for statement, arguments := range map[journalStatement][]any{
		readOwner:  {""},
		readRecord: {"", "", 0, ""},
		addRecord:  {"", "", 0, "", "", 0, 0, "", ""}, // nobody owns a run without a name
	} {
		if _, err := d.exec(ctx, d.ofJournal(statement), arguments...); err != nil {
			return false
		}
	}
	return true
}

// owner gives the word of who owns the run; empty: this program does not add records by
// itself.
func (x *execution) owner(ctx context.Context, c conn) (word string, err error) {
	if !x.driver.writesRecords {
		return "", nil
	}
	if step, err := dbos.GetStepID(x.ctx); err != nil || step != x.records {
		return "", nil // records are not numbered as they are here
	}
	_, err = one(ctx, c, x.store.db.ofJournal(readOwner), []any{x.run}, &word)
	return word, err
}

// add adds a record whose text do gives, in the transaction that do gets. It is done again
// where the database is away, until the execution ends; again tells that it was tried
// before, and that the answer may have been lost.
func (x *execution) add(name string, again bool, do func(ctx context.Context, c conn) (string, error)) (text string, err error) {
	const shortest, longest = 50 * time.Millisecond, 5 * time.Second
	began := time.Now()
	// What is begun is brought to its end, also where the store is being closed.
	ctx := context.WithoutCancel(x.ctx)
	for pause := shortest; ; pause = min(2*pause, longest) {
		err := x.store.db.attempt(ctx, func(tx *transaction) (err error) {
			done := false
			if again {
				done, err = one(ctx, tx, x.store.db.ofJournal(readRecord), []any{x.run, x.owned.word, x.records, name}, &text)
			}
			if done || err != nil {
				return err
			}
			if text, err = do(ctx, tx); err != nil {
				return err
			}
			return x.addText(ctx, tx, name, text, began)
		})
		if err == nil || !x.isAway(name, err, pause) {
			return text, err
		}
		again = true
	}
}

// addOutcome adds a record of what has happened, in one statement.
func (x *execution) addOutcome(name, text string, began time.Time) error {
	ctx := context.WithoutCancel(x.ctx)
	err := x.addText(ctx, x.store.db, name, text, began)
	if err == nil || !x.isAway(name, err, 0) {
		return err
	}
	kept, err := x.add(name, true, func(context.Context, conn) (string, error) { return text, nil })
	if err == nil && kept != text {
		err = errors.New("another outcome is recorded")
	}
	return err
}

// isAway tells whether the database is away and the record may be added again, after a
// pause.
func (x *execution) isAway(name string, err error, pause time.Duration) bool {
	if !x.driver.isRetryable(err) {
		return false
	}
	x.store.log.Warn("the database takes no record", "run", x.run, "record", name, "error", err)
	select {
	case <-x.ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// addText adds a record for the owner of the run.
func (x *execution) addText(ctx context.Context, c conn, name, text string, began time.Time) error {
	added, err := c.exec(ctx, x.store.db.ofJournal(addRecord), x.run, x.owned.word, x.records, name, text,
		milliseconds(began), milliseconds(time.Now()), asText{}.Name(), application)
	if err == nil && added == 0 {
		err = dbos.ErrConflictingWorkflowID
	}
	return err
}
