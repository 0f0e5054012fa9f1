package postgres

import "github.com/weft-flow/weft/idempotency/internal/relational"

// clock is the present time: not now(), which is when the transaction began.
const clock = `clock_timestamp()`

// reached is the time by which what is due is looked for: unlike the clock, it lets
// an index be used. It may stand a little behind, which finds less, never more.
const reached = `statement_timestamp()`

// retained is the end of a retention. Where there is none it is past by any clock,
// also one that goes back.
const retained = `CASE WHEN $5::bigint = 0 THEN timestamptz '-infinity'
	ELSE present + $5::bigint * interval '1 millisecond' END`

// once reads the clock once, as present: a retention counts from the very moment of
// the claim.
const once = `(SELECT ` + clock + ` AS present) AS clock`

// times are those of a claim in milliseconds since 1970; until is 0 without retention.
const times = `floor(extract(epoch FROM claimed) * 1000)::bigint,
	CASE WHEN isfinite(until) THEN floor(extract(epoch FROM until) * 1000)::bigint ELSE 0 END`

// began is when a record was begun, in milliseconds since 1970.
const began = `floor(extract(epoch FROM began) * 1000)::bigint`

// statements are the texts of all statements.
var statements = relational.Statements{
	InsertRecord: `INSERT INTO weft_record
		(id, done, due, owner, fingerprint, began, principal, scope, key, resource)
		VALUES ($1, false, ` + clock + ` + $2 * interval '1 millisecond', $3, $4, ` + clock + `, $5, $6, $7, '')
		ON CONFLICT (id) DO NOTHING`,
	SelectRecord: `SELECT owner, fingerprint, ` + began + `, resource, done, due <= ` + clock + `,
		CASE WHEN fingerprint = $2 THEN answer END FROM weft_record WHERE id = $1`,
	// A completed record that is over is replaced by whoever does so first.
	ReplaceRecord: `UPDATE weft_record SET done = false, due = ` + clock + ` + $2 * interval '1 millisecond', owner = $3,
		fingerprint = $4, began = ` + clock + `, resource = '', answer = NULL
		WHERE id = $1 AND owner = $5 AND done AND due <= ` + clock,
	HoldRecord: `UPDATE weft_record SET due = ` + clock + ` + $3 * interval '1 millisecond',
		resource = CASE WHEN $4 = '' THEN resource ELSE $4 END
		WHERE id = $1 AND owner = $2 AND NOT done`,
	CompleteRecord: `UPDATE weft_record SET done = true, due = ` + clock + ` + $3 * interval '1 millisecond', answer = $4
		WHERE id = $1 AND owner = $2 AND NOT done`,
	CompletedRecord: `SELECT 1 FROM weft_record WHERE id = $1 AND owner = $2 AND done`,
	ReleaseRecord:   `DELETE FROM weft_record WHERE id = $1 AND owner = $2 AND NOT done`,
	ExistsRecord:    `SELECT 1 FROM weft_record WHERE id = $1`,
	TakeRecord: `UPDATE weft_record SET owner = $3, due = ` + clock + ` + $4 * interval '1 millisecond'
		WHERE id = $1 AND NOT done AND (owner = $2 AND due <= ` + clock + ` OR owner = $3)`,
	LapsedRecords: `SELECT principal, scope, key, owner, fingerprint, ` + began + `, resource
		FROM weft_record WHERE NOT done AND due <= ` + reached + ` ORDER BY due LIMIT $1`,

	// A token whose run has ended is there until its retention is over.
	InsertToken: `INSERT INTO weft_token
		(id, run, fingerprint, state, phase, claimed, until, tenant, workflow, name)
		SELECT $1, $2, $3, 'accepted', $4, present, ` + retained + `, $6, $7, $8 FROM ` + once + `
		ON CONFLICT (id) DO NOTHING RETURNING ` + times,
	SelectToken: `SELECT run, fingerprint, state, phase, ` + times + `,
		state = 'ended' AND until <= ` + clock + `, result FROM weft_token WHERE id = $1`,
	ShowToken: `SELECT run, fingerprint, state, phase, ` + times + `,
		state = 'ended' AND until <= ` + clock + `, NULL::bytea FROM weft_token WHERE id = $1`,
	ReplaceToken: `UPDATE weft_token SET run = $2, fingerprint = $3, state = 'accepted', phase = $4,
		claimed = present, until = ` + retained + `, result = NULL FROM ` + once + `
		WHERE id = $1 AND run = $6 AND state = 'ended' AND until <= ` + clock + ` RETURNING ` + times,
	MarkToken: `UPDATE weft_token SET state = $3, phase = $4 WHERE id = $1 AND run = $2 AND state <> 'ended'`,
	EndToken: `UPDATE weft_token SET state = 'ended', result = $3
		WHERE id = $1 AND run = $2 AND state <> 'ended'`,
	FreeToken: `DELETE FROM weft_token WHERE id = $1 AND run = $2
		AND (state <> 'ended' OR until > ` + clock + `)`,

	// Rows that others are at work on are left for the next time, so that nobody waits.
	PurgeRecords: `DELETE FROM weft_record WHERE id = ANY (ARRAY(SELECT id FROM weft_record
		WHERE done AND due <= ` + reached + ` LIMIT $1 FOR UPDATE SKIP LOCKED))`,
	PurgeTokens: `DELETE FROM weft_token WHERE id = ANY (ARRAY(SELECT id FROM weft_token
		WHERE state = 'ended' AND until <= ` + reached + ` LIMIT $1 FOR UPDATE SKIP LOCKED))`,
}
