package relational

import (
	"context"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Claim gives the token to a run; see idempotency.Tokens.
func (s *store) Claim(ctx context.Context, claim idempotency.TokenClaim) (idempotency.Holder, error) {
	if err := claim.Check(); err != nil {
		return idempotency.Holder{}, err
	}
	for range attempts {
		fresh, won, err := s.take(ctx, claim, s.text.InsertToken,
			claim.Token.Tenant, claim.Token.Workflow, claim.Token.Name)
		if err != nil {
			return idempotency.Holder{}, fmt.Errorf("claim a token: %w", err)
		}
		if won {
			return fresh, nil
		}
		there, free, found, err := s.holder(ctx, claim.Token, s.text.SelectToken)
		switch {
		case err != nil:
			return idempotency.Holder{}, fmt.Errorf("look at a token: %w", err)
		case !found: // freed since
			continue
		case !free:
			return claim.Decide(there)
		}
		fresh, won, err = s.take(ctx, claim, s.text.ReplaceToken, there.Run)
		if err != nil {
			return idempotency.Holder{}, fmt.Errorf("claim a free token: %w", err)
		}
		if won {
			return fresh, nil
		}
	}
	return idempotency.Holder{}, contended("claim a token")
}

// take runs a statement that gives the token to a run, and tells whether it did.
func (s *store) take(ctx context.Context, claim idempotency.TokenClaim, text string, more ...any) (fresh idempotency.Holder, won bool, err error) {
	id := claim.Token.ID()
	args := append([]any{id[:], claim.Run, claim.Fingerprint[:], claim.Phase, milliseconds(claim.Retention)}, more...)
	var claimed, until int64
	won, err = s.db.One(ctx, text, args, &claimed, &until)
	if err != nil || !won {
		return idempotency.Holder{}, false, err
	}
	fresh = idempotency.Holder{
		Run: claim.Run, Fingerprint: claim.Fingerprint, State: idempotency.Accepted, Phase: claim.Phase,
	}
	fresh.Claimed, fresh.Until = times(claimed, until)
	return fresh, true, nil
}

func (s *store) holder(ctx context.Context, token idempotency.Token, text string) (h idempotency.Holder, free, found bool, err error) {
	id := token.ID()
	var print []byte
	var claimed, until int64
	found, err = s.db.One(ctx, text, []any{id[:]}, &h.Run, &print, &h.State, &h.Phase, &claimed, &until, &free, &h.Result)
	if err != nil || !found {
		return idempotency.Holder{}, false, false, err
	}
	h.Claimed, h.Until = times(claimed, until)
	h.Fingerprint, err = fingerprint(print)
	return h, free, true, err
}

// times gives the times of a claim; an until of 0 is none.
func times(claimed, until int64) (from, to time.Time) {
	if until != 0 {
		to = at(until)
	}
	return at(claimed), to
}

// Holder tells who holds the token; see idempotency.Tokens.
func (s *store) Holder(ctx context.Context, token idempotency.Token) (idempotency.Holder, error) {
	if err := idempotency.CheckToken(token); err != nil {
		return idempotency.Holder{}, err
	}
	there, free, found, err := s.holder(ctx, token, s.text.ShowToken)
	if err != nil {
		return idempotency.Holder{}, fmt.Errorf("look who holds a token: %w", err)
	}
	if !found || free {
		return idempotency.Holder{}, idempotency.ErrNotHeld
	}
	return there, nil
}

// Mark tells how far the run has come; see idempotency.Tokens.
func (s *store) Mark(ctx context.Context, token idempotency.Token, run string, state idempotency.RunState, phase string) error {
	if err := idempotency.CheckMark(token, run, state, phase); err != nil {
		return err
	}
	id := token.ID()
	marked, err := s.db.Exec(ctx, s.text.MarkToken, id[:], run, string(state), phase)
	if err != nil {
		return fmt.Errorf("mark a token: %w", err)
	}
	return notHeldUnless(marked > 0)
}

// End ends the run's hold; see idempotency.Tokens.
func (s *store) End(ctx context.Context, token idempotency.Token, run string, result []byte) error {
	if err := token.Check(run); err != nil {
		return err
	}
	id := token.ID()
	if _, err := s.db.Exec(ctx, s.text.EndToken, id[:], run, result); err != nil {
		return fmt.Errorf("end the hold of a token: %w", err)
	}
	return nil
}

// Free frees the token; see idempotency.Tokens.
func (s *store) Free(ctx context.Context, token idempotency.Token, run string) error {
	if err := token.Check(run); err != nil {
		return err
	}
	id := token.ID()
	freed, err := s.db.Exec(ctx, s.text.FreeToken, id[:], run)
	if err != nil {
		return fmt.Errorf("free a token: %w", err)
	}
	return notHeldUnless(freed > 0)
}

func notHeldUnless(held bool) error {
	if !held {
		return idempotency.ErrNotHeld
	}
	return nil
}
