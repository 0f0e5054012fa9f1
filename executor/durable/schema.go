package durable

import (
	"context"
	"fmt"
	"strings"
)

// migrations lead from one version of the tables to the next. One that was released
// is never changed. BYTES and INT are written as the database calls them. Times are
// milliseconds since 1970; 0 is none.
var migrations = []string{`
CREATE TABLE weft_blob (
	digest BYTES PRIMARY KEY,
	data   BYTES NOT NULL
);
CREATE TABLE weft_run (
	id          text PRIMARY KEY,
	tenant      text NOT NULL,
	workflow    text NOT NULL,
	token       text NOT NULL,
	engine      text NOT NULL,
	state       text NOT NULL,
	status      text NOT NULL,
	reason      text NOT NULL,
	document    text NOT NULL,
	bundle      BYTES NOT NULL,
	config      BYTES NOT NULL,
	inputs      BYTES NOT NULL,
	fingerprint BYTES NOT NULL,
	retention   INT NOT NULL,
	created     INT NOT NULL,
	began       INT NOT NULL,
	ended       INT NOT NULL,
	cancelled   INT NOT NULL,
	node        text NOT NULL,
	waiting     text NOT NULL,
	parked      text NOT NULL,
	result      BYTES
);
CREATE INDEX weft_run_created ON weft_run (created, id);
CREATE INDEX weft_run_ended ON weft_run (ended) WHERE state = 'ended';
CREATE INDEX weft_run_token ON weft_run (tenant, token) WHERE token <> '';
CREATE TABLE weft_body (
	run    text NOT NULL,
	digest BYTES NOT NULL,
	data   BYTES NOT NULL,
	PRIMARY KEY (run, digest)
);
CREATE TABLE weft_inbox (
	ord        SERIAL PRIMARY KEY,
	run        text NOT NULL UNIQUE,
	opened     INT NOT NULL,
	ended      INT NOT NULL,
	last       INT NOT NULL,
	reached    INT NOT NULL,
	identified INT NOT NULL,
	waits      INT NOT NULL
);
CREATE INDEX weft_inbox_ended ON weft_inbox (ended) WHERE ended > 0;
CREATE TABLE weft_place (
	place  text PRIMARY KEY,
	kind   text NOT NULL,
	source text NOT NULL,
	name   text NOT NULL,
	token  text NOT NULL
);
CREATE INDEX weft_place_source ON weft_place (kind, source);
CREATE TABLE weft_form (
	ord      SERIAL PRIMARY KEY,
	place    text NOT NULL,
	form     BYTES NOT NULL,
	declared INT NOT NULL,
	mailbox  BYTES NOT NULL,
	UNIQUE (place, form, declared)
);
CREATE TABLE weft_box (
	run     text NOT NULL,
	name    text NOT NULL,
	place   text NOT NULL,
	token   text NOT NULL,
	form    BYTES NOT NULL,
	status  INT NOT NULL,
	address text NOT NULL,
	PRIMARY KEY (run, name)
);
CREATE INDEX weft_box_place ON weft_box (place, form);
CREATE TABLE weft_locator (
	place text NOT NULL,
	use   text NOT NULL,
	text  text NOT NULL,
	PRIMARY KEY (place, use, text)
);
CREATE TABLE weft_expectation (
	run      text NOT NULL,
	id       BYTES NOT NULL,
	place    text NOT NULL,
	box      text NOT NULL,
	identity text NOT NULL,
	PRIMARY KEY (run, id)
);
CREATE TABLE weft_expected (
	place text NOT NULL,
	key   text NOT NULL,
	run   text NOT NULL,
	id    BYTES NOT NULL,
	PRIMARY KEY (place, key, run, id)
);
CREATE INDEX weft_expected_run ON weft_expected (run);
CREATE TABLE weft_message (
	id        SERIAL PRIMARY KEY,
	run       text NOT NULL,
	number    INT NOT NULL,
	box       text NOT NULL,
	place     text NOT NULL,
	key       text NOT NULL,
	identity  text NOT NULL,
	content   BYTES NOT NULL,
	received  INT NOT NULL,
	size      INT NOT NULL,
	same      INT NOT NULL,
	different INT NOT NULL,
	reason    text NOT NULL,
	data      BYTES
);
CREATE UNIQUE INDEX weft_message_key ON weft_message (place, key) WHERE key <> '';
CREATE INDEX weft_message_run ON weft_message (run, number) WHERE run <> '';
CREATE INDEX weft_message_none ON weft_message (place, number, id) WHERE run = '';
CREATE TABLE weft_unmatched (
	place   text NOT NULL,
	key     text NOT NULL,
	message INT NOT NULL,
	PRIMARY KEY (place, key, message)
);
CREATE INDEX weft_unmatched_message ON weft_unmatched (message);
CREATE TABLE weft_event (
	run      text NOT NULL,
	sequence INT NOT NULL,
	data     BYTES NOT NULL,
	PRIMARY KEY (run, sequence)
);
CREATE TABLE weft_state (
	run      text NOT NULL,
	workflow text NOT NULL,
	state    text NOT NULL,
	moved    INT NOT NULL,
	PRIMARY KEY (run, workflow)
);
CREATE TABLE weft_settlement (
	run      text NOT NULL,
	step     text NOT NULL,
	outcome  text NOT NULL,
	operator text NOT NULL,
	settled  INT NOT NULL,
	response BYTES,
	PRIMARY KEY (run, step)
);
CREATE TABLE weft_node (
	id         text PRIMARY KEY,
	engine     text NOT NULL,
	machine    text NOT NULL,
	process    text NOT NULL,
	began      INT NOT NULL,
	beat       INT NOT NULL,
	state      text NOT NULL,
	taken_by   text NOT NULL,
	generation INT NOT NULL
);
CREATE TABLE weft_news (
	id    SERIAL PRIMARY KEY,
	at    INT NOT NULL,
	node  text NOT NULL,
	topic text NOT NULL
);
`, `
CREATE TABLE weft_joined (
	id          text PRIMARY KEY,
	run         text NOT NULL,
	tenant      text NOT NULL,
	workflow    text NOT NULL,
	token       text NOT NULL,
	fingerprint BYTES NOT NULL,
	document    text NOT NULL,
	retention   INT NOT NULL
);
CREATE INDEX weft_joined_run ON weft_joined (run);
`, `
CREATE TABLE weft_settled (
	run      text NOT NULL,
	number   INT NOT NULL,
	workflow text NOT NULL,
	step     text NOT NULL,
	outcome  text NOT NULL,
	operator text NOT NULL,
	settled  INT NOT NULL,
	response BYTES,
	PRIMARY KEY (run, number)
);
INSERT INTO weft_settled (run, number, workflow, step, outcome, operator, settled, response)
	SELECT run, row_number() OVER (PARTITION BY run ORDER BY settled, step), '', step, outcome, operator, settled, response FROM weft_settlement;
CREATE INDEX weft_run_open ON weft_run (state) WHERE state <> 'ended';
`, `
ALTER TABLE weft_settled ADD COLUMN activation INT NOT NULL DEFAULT 0;
ALTER TABLE weft_settled ADD COLUMN attempt INT NOT NULL DEFAULT 0;
`}

// migrationLock is the advisory lock of PostgreSQL under which the tables are made.
// The number is arbitrary and never changes.
const migrationLock = 0x77656674_72756e73

// migrate brings the tables to the present version. Any number of processes may do
// so at once.
func (d *database) migrate(ctx context.Context) error { return d.migrateTo(ctx, len(migrations)) }

// migrateTo brings the tables to a version, unless they have a later one.
func (d *database) migrateTo(ctx context.Context, target int) error {
	return d.withoutLimit(ctx, func(tx *transaction) error {
		if d.lite == nil {
			if _, err := tx.exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(migrationLock)); err != nil {
				return err
			}
		}
		if _, err := tx.exec(ctx, "CREATE TABLE IF NOT EXISTS weft_durable_version (version integer NOT NULL)"); err != nil {
			return err
		}
		version := 0
		if _, err := one(ctx, tx, "SELECT coalesce(max(version), 0) FROM weft_durable_version", nil, &version); err != nil {
			return err
		}
		if version > len(migrations) {
			return fmt.Errorf("the tables of runs have version %d, this program knows up to %d: use a newer weft", version, len(migrations))
		}
		for ; version < target; version++ {
			for statement := range strings.SplitSeq(d.spell(migrations[version]), ";") {
				if strings.TrimSpace(statement) == "" {
					continue
				}
				if _, err := tx.exec(ctx, statement); err != nil {
					return err
				}
			}
			if _, err := tx.exec(ctx, "INSERT INTO weft_durable_version VALUES ($1)", version+1); err != nil {
				return err
			}
		}
		return nil
	})
}

// spell writes types as the database calls them.
func (d *database) spell(text string) string {
	if d.lite != nil {
		return strings.NewReplacer("BYTES", "BLOB", "SERIAL PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT", "INT ", "INTEGER ").Replace(text)
	}
	return strings.NewReplacer("BYTES", "bytea", "SERIAL PRIMARY KEY", "bigserial PRIMARY KEY", "INT ", "bigint ").Replace(text)
}

// clock is the time of the database in milliseconds: where machines share it, theirs
// do not count.
func (d *database) clock() string {
	if d.lite != nil {
		return "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
	}
	return "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"
}
