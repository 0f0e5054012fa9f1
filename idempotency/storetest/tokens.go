package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

var tokenCases = []testCase{
	{"Statement15WhoIsRefusedLearnsOfTheOwner", heldTokens},
	{"Statement16TheSameInputsJoinAndOthersAreRefused", joined},
	{"Statement17WithoutRetentionTheEndFreesTheToken", freeAtEnd},
	{"Statement17RetentionCountsFromTheStart", retained},
	{"Statement17FreeFreesAtOnce", freed},
	{"Statement18AStartWhoseAnswerWasLostFindsItsRun", lostAnswer},
	{"Statement20TokensAreApartByTenantAndWorkflow", tokensApart},
	{"Statement17PurgeLeavesWhatIsHeld", purgedTokens},
	{"Statement17AClockThatGoesBackFreesNothing", tokenClockBack},
	{"Statement15WhatIsNotValidIsRefused", invalidTokens},
	{"Statement17TheLeastRetentionIsOne", shortRetention},
	{"Statement17TheHolderIsShownWithItsRetention", shownHolder},
	{"Statement18TheHolderShowsHowFarItsStartCame", shownPhase},
}

func claim(t testing.TB, s idempotency.Store, c idempotency.TokenClaim) idempotency.Holder {
	t.Helper()
	holder, err := s.Claim(t.Context(), c)
	if err != nil {
		t.Fatalf("claim by %s: %v", c.Run, err)
	}
	if holder.Run != c.Run || holder.Fingerprint != c.Fingerprint || holder.Claimed.IsZero() {
		t.Fatalf("claim by %s gives %+v", c.Run, holder)
	}
	return holder
}

func wantHeld(t testing.TB, s idempotency.Store, c idempotency.TokenClaim, owner string, state idempotency.RunState) idempotency.HeldError {
	t.Helper()
	_, err := s.Claim(t.Context(), c)
	var held *idempotency.HeldError
	if !errors.Is(err, idempotency.ErrTokenHeld) || !errors.As(err, &held) {
		t.Fatalf("claim by %s: %v, want that the token is held", c.Run, err)
	}
	if held.Holder.Run != owner || held.Holder.State != state || held.Holder.Claimed.IsZero() {
		t.Fatalf("claim by %s: held by %+v, want %s, %s", c.Run, held.Holder, owner, state)
	}
	if held.Same == errors.Is(err, idempotency.ErrFingerprintMismatch) {
		t.Fatalf("same inputs %v, yet the error is %v", held.Same, err)
	}
	return *held
}

// wantHolder looks who holds the token order-1, and gives it; an empty run: nobody does.
func wantHolder(t testing.TB, s idempotency.Store, run string, state idempotency.RunState) idempotency.Holder {
	t.Helper()
	const name = "order-1"
	holder, err := s.Holder(t.Context(), token(name))
	if run == "" {
		wantError(t, "look who holds it", err, idempotency.ErrNotHeld)
		return holder
	}
	if err != nil || holder.Run != run || holder.State != state || holder.Claimed.IsZero() || holder.Result != nil {
		t.Fatalf("%s is held by %+v (%v), want %s, %s, and no result", name, holder, err, run, state)
	}
	return holder
}

func shownHolder(t *testing.T, s Subject) {
	wantHolder(t, s.Store, "", "")
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = retention
	got := claim(t, s.Store, c)
	for _, node := range s.nodes(t, 2) {
		seen := wantHolder(t, node, "run-1", idempotency.Accepted)
		if seen.Fingerprint != c.Fingerprint || !seen.Claimed.Equal(got.Claimed) || !seen.Until.Equal(got.Until) {
			t.Errorf("claimed %+v, seen %+v", got, seen)
		}
		if seen.Retention() != retention || seen.Until.Sub(seen.Claimed) != retention {
			t.Errorf("the retention is %v, until %v, want %v", seen.Retention(), seen.Until, retention)
		}
	}
	end(t, s.Store, "order-1", "run-1", "result")
	if seen := wantHolder(t, s.Store, "run-1", idempotency.Ended); seen.Retention() != retention {
		t.Errorf("after the end the retention is %v", seen.Retention())
	}
	s.Advance(t, retention)
	wantHolder(t, s.Store, "", "")

	claim(t, s.Store, tokenClaim("order-1", "run-2", "others"))
	if seen := wantHolder(t, s.Store, "run-2", idempotency.Accepted); !seen.Until.IsZero() || seen.Retention() != 0 {
		t.Errorf("without a retention: until %v, %v", seen.Until, seen.Retention())
	}
	end(t, s.Store, "order-1", "run-2", "")
	wantHolder(t, s.Store, "", "")

	claim(t, s.Store, tokenClaim("order-1", "run-3", "inputs"))
	wantError(t, "free", s.Store.Free(t.Context(), token("order-1"), "run-3"), nil)
	wantHolder(t, s.Store, "", "")
	_, err := s.Store.Holder(t.Context(), token(""))
	wantError(t, "look at no token", err, idempotency.ErrInvalid)
}

func shownPhase(t *testing.T, s Subject) {
	claim(t, s.Store, tokenClaim("order-1", "run-1", "inputs"))
	if seen := wantHolder(t, s.Store, "run-1", idempotency.Accepted); seen.Phase != "claimed" {
		t.Errorf("the phase is %q", seen.Phase)
	}
	wantError(t, "mark", s.Store.Mark(t.Context(), token("order-1"), "run-1", idempotency.Accepted, "enqueue failed"), nil)
	if seen := wantHolder(t, s.Store, "run-1", idempotency.Accepted); seen.Phase != "enqueue failed" {
		t.Errorf("the phase is %q", seen.Phase)
	}
	wantError(t, "mark", s.Store.Mark(t.Context(), token("order-1"), "run-1", idempotency.Running, "step 1"), nil)
	if seen := wantHolder(t, s.Store, "run-1", idempotency.Running); seen.Phase != "step 1" {
		t.Errorf("the phase is %q", seen.Phase)
	}
}

func end(t testing.TB, s idempotency.Store, name, run, result string) {
	t.Helper()
	wantError(t, "end of "+run, s.End(t.Context(), token(name), run, []byte(result)), nil)
}

func heldTokens(t *testing.T, s Subject) {
	ctx := t.Context()
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	if held := wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Accepted); !held.Same || held.Holder.Phase != "claimed" {
		t.Errorf("held: %+v", held)
	}
	wantError(t, "mark", s.Store.Mark(ctx, token("order-1"), "run-1", idempotency.Running, "step 1"), nil)
	if held := wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "others"), "run-1", idempotency.Running); held.Same || held.Holder.Phase != "step 1" {
		t.Errorf("held: %+v", held)
	}
	end(t, s.Store, "order-1", "run-1", "result")
	wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Ended)
	wantError(t, "mark after the end", s.Store.Mark(ctx, token("order-1"), "run-1", idempotency.Running, ""), idempotency.ErrNotHeld)
	wantError(t, "mark by another", s.Store.Mark(ctx, token("order-1"), "run-2", idempotency.Running, ""), idempotency.ErrNotHeld)
}

func joined(t *testing.T, s Subject) {
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	if held := wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Accepted); held.Holder.Result != nil {
		t.Errorf("before the end the result is %q", held.Holder.Result)
	}
	end(t, s.Store, "order-1", "run-1", "result")
	end(t, s.Store, "order-1", "run-1", "another result")
	if held := wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Ended); string(held.Holder.Result) != "result" {
		t.Errorf("who joins gets %q", held.Holder.Result)
	}
	if held := wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "others"), "run-1", idempotency.Ended); held.Same || held.Holder.Result != nil {
		t.Errorf("who has other inputs gets %q", held.Holder.Result)
	}
}

func freeAtEnd(t *testing.T, s Subject) {
	claim(t, s.Store, tokenClaim("order-1", "run-1", "inputs"))
	s.Advance(t, 1000*time.Hour)
	wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Accepted)
	end(t, s.Store, "order-1", "run-1", "result")
	holder := claim(t, s.Store, tokenClaim("order-1", "run-2", "others"))
	if holder.State != idempotency.Accepted || holder.Result != nil {
		t.Errorf("the new run has %+v", holder)
	}
	end(t, s.Store, "order-1", "run-1", "late") // and frees nothing of the new run
	wantHeld(t, s.Store, tokenClaim("order-1", "run-3", "others"), "run-2", idempotency.Accepted)
}

func retained(t *testing.T, s Subject) {
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	s.Advance(t, retention/2)
	end(t, s.Store, "order-1", "run-1", "")
	s.Advance(t, retention/2-time.Second)
	wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Ended)
	s.Advance(t, time.Second) // counted from the start, not from the end
	claim(t, s.Store, tokenClaim("order-1", "run-2", "inputs"))

	c = tokenClaim("order-2", "run-3", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	s.Advance(t, 2*retention) // the run outlasts the retention
	wantHeld(t, s.Store, tokenClaim("order-2", "run-4", "inputs"), "run-3", idempotency.Accepted)
	end(t, s.Store, "order-2", "run-3", "")
	claim(t, s.Store, tokenClaim("order-2", "run-4", "inputs"))
}

// shortRetention holds that a retention too short for a store's clock is rounded up,
// not down to none, with which the end would free the token by any clock.
func shortRetention(t *testing.T, s Subject) {
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = time.Microsecond
	if got := claim(t, s.Store, c); !got.Until.After(got.Claimed) {
		t.Errorf("claimed %v, until %v", got.Claimed, got.Until)
	}
	s.Advance(t, -time.Hour)
	end(t, s.Store, "order-1", "run-1", "")
	wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Ended)
	s.Advance(t, time.Hour+time.Second)
	claim(t, s.Store, tokenClaim("order-1", "run-2", "inputs"))
}

func freed(t *testing.T, s Subject) {
	ctx := t.Context()
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	wantError(t, "free by another", s.Store.Free(ctx, token("order-1"), "run-2"), idempotency.ErrNotHeld)
	wantError(t, "free while the run goes on", s.Store.Free(ctx, token("order-1"), "run-1"), nil)
	wantError(t, "mark", s.Store.Mark(ctx, token("order-1"), "run-1", idempotency.Running, ""), idempotency.ErrNotHeld)
	c.Run = "run-2"
	claim(t, s.Store, c)
	end(t, s.Store, "order-1", "run-1", "of the run before")
	wantHeld(t, s.Store, tokenClaim("order-1", "run-3", "inputs"), "run-2", idempotency.Accepted)
	end(t, s.Store, "order-1", "run-2", "")
	wantError(t, "free while retained", s.Store.Free(ctx, token("order-1"), "run-2"), nil)
	claim(t, s.Store, tokenClaim("order-1", "run-3", "inputs"))
}

func lostAnswer(t *testing.T, s Subject) {
	first := tokenClaim("order-1", "run-1", "inputs")
	first.Retention = retention
	claim(t, s.Store, first)
	if again := claim(t, s.Store, first); again.State != idempotency.Accepted || again.Phase != "claimed" {
		t.Errorf("the same start again finds %+v", again)
	}
	wantError(t, "mark", s.Store.Mark(t.Context(), token("order-1"), "run-1", idempotency.Accepted, "enqueue failed"), nil)
	// A start that was made anew with another candidate finds the first one and how
	// far it came.
	if held := wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Accepted); held.Holder.Phase != "enqueue failed" {
		t.Errorf("the phase is %q", held.Holder.Phase)
	}
	other := first
	other.Fingerprint = idempotency.FingerprintBytes([]byte("others"))
	wantHeld(t, s.Store, other, "run-1", idempotency.Accepted)
	end(t, s.Store, "order-1", "run-1", "result")
	if again := claim(t, s.Store, first); again.State != idempotency.Ended || string(again.Result) != "result" {
		t.Errorf("after the end the same start finds %+v", again)
	}
}

func tokensApart(t *testing.T, s Subject) {
	for _, tok := range []idempotency.Token{
		{Tenant: "a", Workflow: "w", Name: "n"},
		{Tenant: "b", Workflow: "w", Name: "n"},
		{Tenant: "a", Workflow: "v", Name: "n"},
		{Tenant: "a", Workflow: "w", Name: "m"},
		{Tenant: "aw", Workflow: "", Name: "n"},
		{Tenant: "", Workflow: "aw", Name: "n"},
		{Name: "awn"},
	} {
		c := tokenClaim("", "run of "+tok.Tenant+"/"+tok.Workflow+"/"+tok.Name, "inputs")
		c.Token = tok
		claim(t, s.Store, c)
	}
}

func purgedTokens(t *testing.T, s Subject) {
	kept := tokenClaim("kept", "run-1", "inputs")
	kept.Retention = retention
	claim(t, s.Store, kept)
	claim(t, s.Store, tokenClaim("over", "run-2", "inputs"))
	claim(t, s.Store, tokenClaim("running", "run-3", "inputs"))
	end(t, s.Store, "kept", "run-1", "result")
	end(t, s.Store, "over", "run-2", "")
	if n, err := s.Store.Purge(t.Context(), 10); err != nil || n != 1 {
		t.Errorf("%d were removed (%v), want 1", n, err)
	}
	wantHeld(t, s.Store, tokenClaim("kept", "run-4", "inputs"), "run-1", idempotency.Ended)
	wantHeld(t, s.Store, tokenClaim("running", "run-4", "inputs"), "run-3", idempotency.Accepted)
	s.Advance(t, 1000*retention)
	if n, err := s.Store.Purge(t.Context(), 10); err != nil || n != 1 {
		t.Errorf("%d were removed later (%v), want 1", n, err)
	}
	wantHeld(t, s.Store, tokenClaim("running", "run-4", "inputs"), "run-3", idempotency.Accepted)
}

func tokenClockBack(t *testing.T, s Subject) {
	c := tokenClaim("order-1", "run-1", "inputs")
	c.Retention = retention
	claim(t, s.Store, c)
	s.Advance(t, -10*retention)
	end(t, s.Store, "order-1", "run-1", "")
	wantHeld(t, s.Store, tokenClaim("order-1", "run-2", "inputs"), "run-1", idempotency.Ended)
	s.Advance(t, 11*retention)
	claim(t, s.Store, tokenClaim("order-1", "run-2", "inputs"))
	s.Advance(t, -10*retention) // without a retention the end frees it by any clock
	end(t, s.Store, "order-1", "run-2", "")
	claim(t, s.Store, tokenClaim("order-1", "run-3", "inputs"))
}

func invalidTokens(t *testing.T, s Subject) {
	ctx := t.Context()
	bad := map[string]idempotency.TokenClaim{
		"no name":   tokenClaim("", "run", "inputs"),
		"no run":    tokenClaim("order-1", "", "inputs"),
		"a NUL":     tokenClaim("order\x00", "run", "inputs"),
		"not UTF-8": tokenClaim("\xff", "run", "inputs"),
	}
	late := tokenClaim("order-1", "run", "inputs")
	late.Retention = -1
	bad["a retention that is past"] = late
	for what, c := range bad {
		_, err := s.Store.Claim(ctx, c)
		wantError(t, "claim with "+what, err, idempotency.ErrInvalid)
	}
	wantError(t, "mark as ended", s.Store.Mark(ctx, token("order-1"), "run", idempotency.Ended, ""), idempotency.ErrInvalid)
	wantError(t, "end without a run", s.Store.End(ctx, token("order-1"), "", nil), idempotency.ErrInvalid)
	wantError(t, "free without a run", s.Store.Free(ctx, token("order-1"), ""), idempotency.ErrInvalid)
}
