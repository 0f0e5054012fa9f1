package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

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

// A token whose run has ended is there until its retention is over.
const (
	insertToken = `INSERT INTO weft_token
		(id, run, fingerprint, state, phase, claimed, until, tenant, workflow, name)
		SELECT $1, $2, $3, 'accepted', $4, present, ` + retained + `, $6, $7, $8 FROM ` + once + `
		ON CONFLICT (id) DO NOTHING RETURNING ` + times
	selectToken = `SELECT run, fingerprint, state, phase, ` + times + `,
		state = 'ended' AND until <= ` + clock + `, result FROM weft_token WHERE id = $1`
	showToken = `SELECT run, fingerprint, state, phase, ` + times + `,
		state = 'ended' AND until <= ` + clock + `, NULL::bytea FROM weft_token WHERE id = $1`
	replaceToken = `UPDATE weft_token SET run = $2, fingerprint = $3, state = 'accepted', phase = $4,
		claimed = present, until = ` + retained + `, result = NULL FROM ` + once + `
		WHERE id = $1 AND run = $6 AND state = 'ended' AND until <= ` + clock + ` RETURNING ` + times
	markToken = `UPDATE weft_token SET state = $3, phase = $4 WHERE id = $1 AND run = $2 AND state <> 'ended'`
	endToken  = `UPDATE weft_token SET state = 'ended', result = $3
		WHERE id = $1 AND run = $2 AND state <> 'ended'`
	freeToken = `DELETE FROM weft_token WHERE id = $1 AND run = $2
		AND (state <> 'ended' OR until > ` + clock + `)`
)

// Claim gives the token to a run; see idempotency.Tokens.
func (s *Store) Claim(ctx context.Context, claim idempotency.TokenClaim) (idempotency.Holder, error) {
	if err := claim.Check(); err != nil {
		return idempotency.Holder{}, err
	}
	id, retention := claim.Token.ID(), claim.Retention.Milliseconds()
	fresh := idempotency.Holder{
		Run: claim.Run, Fingerprint: claim.Fingerprint, State: idempotency.Accepted, Phase: claim.Phase,
	}
	var claimed, until int64
	for range attempts {
		won, err := s.one(ctx, insertToken, []any{id[:], claim.Run, claim.Fingerprint[:], claim.Phase, retention,
			claim.Token.Tenant, claim.Token.Workflow, claim.Token.Name}, &claimed, &until)
		if err != nil {
			return idempotency.Holder{}, fmt.Errorf("claim a token: %w", err)
		}
		if !won {
			there, free, found, err := s.holder(ctx, claim.Token, selectToken)
			switch {
			case err != nil:
				return idempotency.Holder{}, fmt.Errorf("look at a token: %w", err)
			case !found: // freed since
				continue
			case !free:
				return claim.Decide(there)
			}
			won, err = s.one(ctx, replaceToken, []any{id[:], claim.Run, claim.Fingerprint[:], claim.Phase, retention, there.Run}, &claimed, &until)
			if err != nil {
				return idempotency.Holder{}, fmt.Errorf("claim a free token: %w", err)
			}
		}
		if won {
			fresh.Claimed, fresh.Until = claimTimes(claimed, until)
			return fresh, nil
		}
	}
	return idempotency.Holder{}, contended("claim a token")
}

func (s *Store) holder(ctx context.Context, token idempotency.Token, text string) (h idempotency.Holder, free, found bool, err error) {
	id := token.ID()
	var print []byte
	var claimed, until int64
	found, err = s.one(ctx, text, []any{id[:]}, &h.Run, &print, &h.State, &h.Phase, &claimed, &until, &free, &h.Result)
	if err != nil || !found {
		return idempotency.Holder{}, false, false, err
	}
	h.Claimed, h.Until = claimTimes(claimed, until)
	h.Fingerprint, err = fingerprint(print)
	return h, free, true, err
}

// Holder tells who holds the token; see idempotency.Tokens.
func (s *Store) Holder(ctx context.Context, token idempotency.Token) (idempotency.Holder, error) {
	if err := idempotency.CheckToken(token); err != nil {
		return idempotency.Holder{}, err
	}
	there, free, found, err := s.holder(ctx, token, showToken)
	if err != nil {
		return idempotency.Holder{}, fmt.Errorf("look who holds a token: %w", err)
	}
	if !found || free {
		return idempotency.Holder{}, idempotency.ErrNotHeld
	}
	return there, nil
}

// Mark tells how far the run has come; see idempotency.Tokens.
func (s *Store) Mark(ctx context.Context, token idempotency.Token, run string, state idempotency.RunState, phase string) error {
	if err := idempotency.CheckMark(token, run, state, phase); err != nil {
		return err
	}
	id := token.ID()
	marked, err := s.exec(ctx, markToken, id[:], run, string(state), phase)
	if err != nil {
		return fmt.Errorf("mark a token: %w", err)
	}
	return notHeldUnless(marked > 0)
}

// End ends the run's hold; see idempotency.Tokens.
func (s *Store) End(ctx context.Context, token idempotency.Token, run string, result []byte) error {
	if err := token.Check(run); err != nil {
		return err
	}
	id := token.ID()
	if _, err := s.exec(ctx, endToken, id[:], run, result); err != nil {
		return fmt.Errorf("end the hold of a token: %w", err)
	}
	return nil
}

// Free frees the token; see idempotency.Tokens.
func (s *Store) Free(ctx context.Context, token idempotency.Token, run string) error {
	if err := token.Check(run); err != nil {
		return err
	}
	id := token.ID()
	freed, err := s.exec(ctx, freeToken, id[:], run)
	if err != nil {
		return fmt.Errorf("free a token: %w", err)
	}
	return notHeldUnless(freed > 0)
}

// claimTimes gives the times of a claim, from milliseconds; an until of 0 is none.
func claimTimes(claimed, until int64) (from, to time.Time) {
	from = time.UnixMilli(claimed).UTC()
	if until != 0 {
		to = time.UnixMilli(until).UTC()
	}
	return from, to
}

func notHeldUnless(held bool) error {
	if !held {
		return idempotency.ErrNotHeld
	}
	return nil
}
