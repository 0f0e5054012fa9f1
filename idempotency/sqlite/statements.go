package sqlite

import "github.com/weft-flow/weft/idempotency/internal/relational"

// clock is the present time in milliseconds.
const clock = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

// retained is the end of a retention. Where there is none it is past by any clock,
// also one that goes back.
const retained = `CASE WHEN ?5 = 0 THEN 0 ELSE ` + clock + ` + ?5 END`

// statements are the texts of all statements.
var statements = relational.Statements{
	InsertRecord: `INSERT INTO weft_record
		(id, done, due, owner, fingerprint, began, principal, scope, key, resource)
		VALUES (?1, 0, ` + clock + ` + ?2, ?3, ?4, ` + clock + `, ?5, ?6, ?7, '')
		ON CONFLICT (id) DO NOTHING`,
	SelectRecord: `SELECT owner, fingerprint, began, resource, done, due <= ` + clock + `,
		CASE WHEN fingerprint = ?2 THEN answer END FROM weft_record WHERE id = ?1`,
	// A completed record that is over is replaced by whoever does so first.
	ReplaceRecord: `UPDATE weft_record SET done = 0, due = ` + clock + ` + ?2, owner = ?3,
		fingerprint = ?4, began = ` + clock + `, resource = '', answer = NULL
		WHERE id = ?1 AND owner = ?5 AND done = 1 AND due <= ` + clock,
	HoldRecord: `UPDATE weft_record SET due = ` + clock + ` + ?3,
		resource = CASE WHEN ?4 = '' THEN resource ELSE ?4 END
		WHERE id = ?1 AND owner = ?2 AND done = 0`,
	CompleteRecord: `UPDATE weft_record SET done = 1, due = ` + clock + ` + ?3, answer = ?4
		WHERE id = ?1 AND owner = ?2 AND done = 0`,
	CompletedRecord: `SELECT 1 FROM weft_record WHERE id = ?1 AND owner = ?2 AND done = 1`,
	ReleaseRecord:   `DELETE FROM weft_record WHERE id = ?1 AND owner = ?2 AND done = 0`,
	ExistsRecord:    `SELECT 1 FROM weft_record WHERE id = ?1`,
	TakeRecord: `UPDATE weft_record SET owner = ?3, due = ` + clock + ` + ?4
		WHERE id = ?1 AND done = 0 AND (owner = ?2 AND due <= ` + clock + ` OR owner = ?3)`,
	LapsedRecords: `SELECT principal, scope, key, owner, fingerprint, began, resource
		FROM weft_record WHERE done = 0 AND due <= ` + clock + ` ORDER BY due LIMIT ?`,

	// A token whose run has ended is there until its retention is over.
	InsertToken: `INSERT INTO weft_token
		(id, run, fingerprint, state, phase, claimed, until, tenant, workflow, name)
		VALUES (?1, ?2, ?3, 'accepted', ?4, ` + clock + `, ` + retained + `, ?6, ?7, ?8)
		ON CONFLICT (id) DO NOTHING RETURNING claimed, until`,
	SelectToken: `SELECT run, fingerprint, state, phase, claimed, until,
		state = 'ended' AND until <= ` + clock + `, result FROM weft_token WHERE id = ?1`,
	ShowToken: `SELECT run, fingerprint, state, phase, claimed, until,
		state = 'ended' AND until <= ` + clock + `, NULL FROM weft_token WHERE id = ?1`,
	ReplaceToken: `UPDATE weft_token SET run = ?2, fingerprint = ?3, state = 'accepted', phase = ?4,
		claimed = ` + clock + `, until = ` + retained + `, result = NULL
		WHERE id = ?1 AND run = ?6 AND state = 'ended' AND until <= ` + clock + ` RETURNING claimed, until`,
	MarkToken: `UPDATE weft_token SET state = ?3, phase = ?4 WHERE id = ?1 AND run = ?2 AND state <> 'ended'`,
	EndToken: `UPDATE weft_token SET state = 'ended', result = ?3
		WHERE id = ?1 AND run = ?2 AND state <> 'ended'`,
	FreeToken: `DELETE FROM weft_token WHERE id = ?1 AND run = ?2
		AND (state <> 'ended' OR until > ` + clock + `)`,

	PurgeRecords: `DELETE FROM weft_record WHERE id IN
		(SELECT id FROM weft_record WHERE done = 1 AND due <= ` + clock + ` LIMIT ?)`,
	PurgeTokens: `DELETE FROM weft_token WHERE id IN
		(SELECT id FROM weft_token WHERE state = 'ended' AND until <= ` + clock + ` LIMIT ?)`,
}
