package memory

import (
	"bytes"
	"context"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// held is a token that a run holds.
type held struct {
	idempotency.Holder
}

// free tells that the token is nobody's. Where there is no retention Until is zero:
// past by any clock, also one that goes back.
func (h *held) free(now time.Time) bool {
	return h.State == idempotency.Ended && !h.Until.After(now)
}

// Claim gives the token to a run; see idempotency.Tokens.
func (s *Store) Claim(_ context.Context, claim idempotency.TokenClaim) (idempotency.Holder, error) {
	if err := claim.Check(); err != nil {
		return idempotency.Holder{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now, id := s.present(), claim.Token.ID()
	if there := s.tokens[id]; there != nil && !there.free(now) {
		holder := there.Holder
		holder.Result = bytes.Clone(holder.Result)
		return claim.Decide(holder)
	}
	holder := idempotency.Holder{
		Run: claim.Run, Fingerprint: claim.Fingerprint, State: idempotency.Accepted,
		Phase: claim.Phase, Claimed: now,
	}
	if claim.Retention > 0 {
		holder.Until = now.Add(claim.Retention)
	}
	s.tokens[id] = &held{Holder: holder}
	return holder, nil
}

// present is the time to the millisecond, as it is kept of tokens.
func (s *Store) present() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// holding gives what the run holds, or nil.
func (s *Store) holding(token idempotency.Token, run string) *held {
	h := s.tokens[token.ID()]
	if h == nil || h.Run != run || h.free(s.present()) {
		return nil
	}
	return h
}

// Mark tells how far the run has come; see idempotency.Tokens.
func (s *Store) Mark(_ context.Context, token idempotency.Token, run string, state idempotency.RunState, phase string) error {
	if err := idempotency.CheckMark(token, run, state, phase); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.holding(token, run)
	if h == nil || h.State == idempotency.Ended {
		return idempotency.ErrNotHeld
	}
	h.State, h.Phase = state, phase
	return nil
}

// End ends the run's hold; see idempotency.Tokens.
func (s *Store) End(_ context.Context, token idempotency.Token, run string, result []byte) error {
	if err := token.Check(run); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.holding(token, run); h != nil && h.State != idempotency.Ended {
		h.State, h.Result = idempotency.Ended, bytes.Clone(result)
	}
	return nil
}

// Free frees the token; see idempotency.Tokens.
func (s *Store) Free(_ context.Context, token idempotency.Token, run string) error {
	if err := token.Check(run); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holding(token, run) == nil {
		return idempotency.ErrNotHeld
	}
	delete(s.tokens, token.ID())
	return nil
}

// Holder tells who holds the token; see idempotency.Tokens.
func (s *Store) Holder(_ context.Context, token idempotency.Token) (idempotency.Holder, error) {
	if err := idempotency.CheckToken(token); err != nil {
		return idempotency.Holder{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	there := s.tokens[token.ID()]
	if there == nil || there.free(s.present()) {
		return idempotency.Holder{}, idempotency.ErrNotHeld
	}
	holder := there.Holder
	holder.Result = nil
	return holder, nil
}
