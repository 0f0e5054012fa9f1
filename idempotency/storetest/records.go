package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

var recordCases = []testCase{
	{"Statement26ACompletedRequestIsReplayed", replayed},
	{"Statement26AnotherPayloadChangesNothing", mismatched},
	{"Statement27EachPartOfTheKeyCounts", keysApart},
	{"Statement28ALapsedClaimIsNobodysToRun", lapsed},
	{"Statement28ALateOwnerCannotOverwrite", fenced},
	{"Statement28ALateOwnerThatNobodyReplacedIsStillTheOwner", lateOwner},
	{"Statement28ATakeoverNeedsALapsedLease", takeovers},
	{"Statement28LapsedClaimsAreListed", listed},
	{"Statement28AnOpenRecordIsNeverPurged", purged},
	{"Statement28AResourceIsKept", resource},
	{"Statement28AClockThatGoesBackGivesNothingAway", clockBack},
	{"Statement29ARetentionThatIsOverBeginsAnew", forgotten},
	{"Statement29VerbsMayBeCalledAgain", repeated},
	{"Statement29AReleasedRecordBeginsAnew", released},
	{"Statement29WhatIsNotValidIsRefused", invalid},
}

func begin(t testing.TB, s idempotency.Store, st idempotency.Start) idempotency.Begun {
	t.Helper()
	begun, err := s.Begin(t.Context(), st)
	if err != nil {
		t.Fatalf("begin: %v", err)
	}
	return begun
}

func wantBegun(t testing.TB, s idempotency.Store, st idempotency.Start, want idempotency.BeginState) idempotency.Begun {
	t.Helper()
	begun := begin(t, s, st)
	if begun.State != want {
		t.Fatalf("begin by %s gives %q, want %q", st.Owner, begun.State, want)
	}
	return begun
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) || (want == nil && got != nil) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

func complete(t testing.TB, s idempotency.Store, n int, owner, answer string) {
	t.Helper()
	wantError(t, "complete by "+owner, s.Complete(t.Context(), claimOf(n, owner), []byte(answer), retention), nil)
}

func wantReplay(t testing.TB, s idempotency.Store, st idempotency.Start, answer string) {
	t.Helper()
	if begun := wantBegun(t, s, st, idempotency.Replay); string(begun.Answer) != answer {
		t.Fatalf("the replay is %q, want %q", begun.Answer, answer)
	}
}

func replayed(t *testing.T, s Subject) {
	answer := strings.Repeat("answer \x00\xff", 10_000)
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.InProgress)
	if begun.Record.Owner != "a" || begun.Record.Began.IsZero() || begun.Record.Over || begun.Record.Done {
		t.Errorf("the record in progress is %+v", begun.Record)
	}
	complete(t, s.Store, 1, "a", answer)
	wantReplay(t, s.Store, start(1, "b", "work"), answer)
	wantReplay(t, s.Store, start(1, "a", "work"), answer)
	wantBegun(t, s.Store, start(2, "a2", "work"), idempotency.Started)
	complete(t, s.Store, 2, "a2", "")
	wantReplay(t, s.Store, start(2, "b", "work"), "")
}

func mismatched(t *testing.T, s Subject) {
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	wantBegun(t, s.Store, start(1, "b", "other work"), idempotency.Mismatch)
	wantBegun(t, s.Store, start(1, "a", "other work"), idempotency.Mismatch)
	complete(t, s.Store, 1, "a", "done")
	if begun := wantBegun(t, s.Store, start(1, "b", "other work"), idempotency.Mismatch); begun.Answer != nil {
		t.Errorf("another request gets the answer %q", begun.Answer)
	}
	wantReplay(t, s.Store, start(1, "b", "work"), "done")
}

func keysApart(t *testing.T, s Subject) {
	keys := []idempotency.RecordKey{
		{Principal: "p", Scope: "s", Key: "k"},
		{Principal: "q", Scope: "s", Key: "k"},
		{Principal: "p", Scope: "t", Key: "k"},
		{Principal: "p", Scope: "s", Key: "l"},
		{Principal: "P", Scope: "s", Key: "k"},
		{Principal: "ps", Scope: "", Key: "k"},
		{Principal: "", Scope: "ps", Key: "k"},
		{Principal: "", Scope: "", Key: "psk"},
		{Principal: "p", Scope: "s", Key: "k "},
	}
	for i, key := range keys {
		st := start(0, idempotency.NewOwner(), "work")
		st.Key = key
		if begun := begin(t, s.Store, st); begun.State != idempotency.Started {
			t.Errorf("key %d, %+v, is taken for another: %q", i, key, begun.State)
		}
	}
}

func lapsed(t *testing.T, s Subject) {
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	for _, gone := range []time.Duration{lease, 1000 * time.Hour} {
		s.Advance(t, gone)
		if begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.InProgress); !begun.Record.Over {
			t.Errorf("%v later the lease is not over", gone)
		}
	}
}

func fenced(t *testing.T, s Subject) {
	ctx := t.Context()
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	s.Advance(t, lease)
	wantError(t, "takeover", s.Store.TakeOver(ctx, idempotency.Takeover{Key: key(1), From: "a", To: "b", Lease: lease}), nil)
	late := func() {
		t.Helper()
		wantError(t, "late hold", s.Store.Hold(ctx, claimOf(1, "a"), lease, "x"), idempotency.ErrFenced)
		wantError(t, "late complete", s.Store.Complete(ctx, claimOf(1, "a"), []byte("late"), retention), idempotency.ErrFenced)
		wantError(t, "late release", s.Store.Release(ctx, claimOf(1, "a")), idempotency.ErrFenced)
	}
	late()
	complete(t, s.Store, 1, "b", "settled")
	late()
	wantReplay(t, s.Store, start(1, "c", "work"), "settled")
	wantError(t, "release of what is done", s.Store.Release(ctx, claimOf(1, "b")), idempotency.ErrFenced)
	wantError(t, "hold of what is done", s.Store.Hold(ctx, claimOf(1, "b"), lease, ""), idempotency.ErrFenced)

	s.Advance(t, retention)
	wantBegun(t, s.Store, start(1, "c", "work"), idempotency.Started)
	late()
	wantError(t, "complete by the owner before", s.Store.Complete(ctx, claimOf(1, "b"), []byte("late"), retention), idempotency.ErrFenced)
}

func lateOwner(t *testing.T, s Subject) {
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	s.Advance(t, 2*lease)
	wantError(t, "hold", s.Store.Hold(t.Context(), claimOf(1, "a"), lease, ""), nil)
	if begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.InProgress); begun.Record.Over {
		t.Error("the lease that was prolonged is over")
	}
	s.Advance(t, 2*lease)
	complete(t, s.Store, 1, "a", "done")
	wantReplay(t, s.Store, start(1, "b", "work"), "done")
}

func takeovers(t *testing.T, s Subject) {
	ctx := t.Context()
	take := func(from, to string) error {
		return s.Store.TakeOver(ctx, idempotency.Takeover{Key: key(1), From: from, To: to, Lease: lease})
	}
	wantError(t, "takeover of nothing", take("a", "b"), idempotency.ErrFenced)
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	wantError(t, "takeover too early", take("a", "b"), idempotency.ErrFenced)
	s.Advance(t, lease-time.Second)
	wantError(t, "takeover a little too early", take("a", "b"), idempotency.ErrFenced)
	s.Advance(t, time.Second)
	wantError(t, "takeover from who is not the owner", take("x", "b"), idempotency.ErrFenced)
	wantError(t, "takeover", take("a", "b"), nil)
	wantError(t, "second takeover", take("a", "c"), idempotency.ErrFenced)
	wantError(t, "takeover from who took over", take("b", "c"), idempotency.ErrFenced)
	complete(t, s.Store, 1, "b", "settled")
	s.Advance(t, lease)
	wantError(t, "takeover of what is done", take("b", "c"), idempotency.ErrFenced)
}

func listed(t *testing.T, s Subject) {
	ctx := t.Context()
	for n, owner := range []string{"done", "first", "second", "at work", "released"} {
		wantBegun(t, s.Store, start(n, owner, owner), idempotency.Started)
		s.Advance(t, time.Second)
	}
	complete(t, s.Store, 0, "done", "x")
	wantError(t, "release", s.Store.Release(ctx, claimOf(4, "released")), nil)
	wantError(t, "hold", s.Store.Hold(ctx, claimOf(1, "first"), lease, "order 1"), nil)
	if open, err := s.Store.Lapsed(ctx, 10); err != nil || len(open) != 0 {
		t.Fatalf("%d claims are lapsed before their time (%v)", len(open), err)
	}
	s.Advance(t, lease)
	wantError(t, "hold", s.Store.Hold(ctx, claimOf(3, "at work"), lease, ""), nil)
	open, err := s.Store.Lapsed(ctx, 10)
	if err != nil || len(open) != 2 || open[0].Owner != "second" || open[1].Owner != "first" {
		t.Fatalf("lapsed are %+v (%v), want second and first", open, err)
	}
	first := open[1]
	if first.Key != key(1) || first.Resource != "order 1" || first.Done || !first.Over || first.Began.IsZero() ||
		first.Fingerprint != idempotency.FingerprintBytes([]byte("first")) {
		t.Errorf("the lapsed claim is told as %+v", first)
	}
	if open, err := s.Store.Lapsed(ctx, 1); err != nil || len(open) != 1 || open[0].Owner != "second" {
		t.Errorf("of at most one there are %+v (%v)", open, err)
	}
	if open, err := s.Store.Lapsed(ctx, 0); err != nil || len(open) != 0 {
		t.Errorf("of none there are %+v (%v)", open, err)
	}
}

func purged(t *testing.T, s Subject) {
	ctx := t.Context()
	for n := range 5 {
		wantBegun(t, s.Store, start(n, "a", "work"), idempotency.Started)
		if n < 4 {
			complete(t, s.Store, n, "a", "done")
		}
	}
	purge := func(limit, want int) {
		t.Helper()
		if got, err := s.Store.Purge(ctx, limit); err != nil || got != want {
			t.Fatalf("purge of at most %d removed %d (%v), want %d", limit, got, err, want)
		}
	}
	purge(100, 0)
	s.Advance(t, retention)
	purge(0, 0)
	purge(3, 3)
	purge(3, 1)
	s.Advance(t, 1000*retention)
	purge(100, 0)
	wantBegun(t, s.Store, start(4, "b", "work"), idempotency.InProgress)
	wantError(t, "complete of what was purged", s.Store.Complete(ctx, claimOf(0, "a"), nil, retention), idempotency.ErrFenced)
	wantError(t, "hold of what was purged", s.Store.Hold(ctx, claimOf(0, "a"), lease, ""), idempotency.ErrFenced)
}

func resource(t *testing.T, s Subject) {
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	for _, name := range []string{"order 1", ""} {
		wantError(t, "hold", s.Store.Hold(t.Context(), claimOf(1, "a"), lease, name), nil)
		if begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.InProgress); begun.Record.Resource != "order 1" {
			t.Errorf("after %q the resource is %q", name, begun.Record.Resource)
		}
	}
	complete(t, s.Store, 1, "a", "done")
	if begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.Replay); begun.Record.Resource != "order 1" {
		t.Errorf("when done, the resource is %q", begun.Record.Resource)
	}
	s.Advance(t, retention)
	wantBegun(t, s.Store, start(1, "c", "work"), idempotency.Started)
	if begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.InProgress); begun.Record.Resource != "" {
		t.Errorf("begun anew, the resource is %q", begun.Record.Resource)
	}
}

func clockBack(t *testing.T, s Subject) {
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	wantBegun(t, s.Store, start(2, "a", "work"), idempotency.Started)
	complete(t, s.Store, 2, "a", "done")
	s.Advance(t, -1000*time.Hour)
	if begun := wantBegun(t, s.Store, start(1, "b", "work"), idempotency.InProgress); begun.Record.Over {
		t.Error("the lease is over")
	}
	wantReplay(t, s.Store, start(2, "b", "work"), "done")
	complete(t, s.Store, 1, "a", "done")
	s.Advance(t, 1000*time.Hour-time.Second)
	wantReplay(t, s.Store, start(2, "b", "work"), "done")
}

func forgotten(t *testing.T, s Subject) {
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	complete(t, s.Store, 1, "a", "first")
	s.Advance(t, retention-time.Second)
	wantReplay(t, s.Store, start(1, "b", "work"), "first")
	s.Advance(t, time.Second)
	wantBegun(t, s.Store, start(1, "c", "other work"), idempotency.Started)
	wantBegun(t, s.Store, start(1, "d", "other work"), idempotency.InProgress)
	complete(t, s.Store, 1, "c", "second")
	wantReplay(t, s.Store, start(1, "d", "other work"), "second")
}

func repeated(t *testing.T, s Subject) {
	ctx := t.Context()
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	s.Advance(t, lease)
	for range 2 {
		wantError(t, "takeover", s.Store.TakeOver(ctx, idempotency.Takeover{Key: key(1), From: "a", To: "b", Lease: lease}), nil)
	}
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.InProgress)
	complete(t, s.Store, 1, "b", "first")
	complete(t, s.Store, 1, "b", "second")
	wantReplay(t, s.Store, start(1, "c", "work"), "first")
	wantBegun(t, s.Store, start(2, "a", "work"), idempotency.Started)
	for range 2 {
		wantError(t, "release", s.Store.Release(ctx, claimOf(2, "a")), nil)
	}
}

func released(t *testing.T, s Subject) {
	ctx := t.Context()
	wantBegun(t, s.Store, start(1, "a", "work"), idempotency.Started)
	wantError(t, "release by another", s.Store.Release(ctx, claimOf(1, "b")), idempotency.ErrFenced)
	wantError(t, "release", s.Store.Release(ctx, claimOf(1, "a")), nil)
	wantBegun(t, s.Store, start(1, "b", "other work"), idempotency.Started)
	wantError(t, "second release", s.Store.Release(ctx, claimOf(1, "a")), idempotency.ErrFenced)
	wantError(t, "complete after release", s.Store.Complete(ctx, claimOf(1, "a"), nil, retention), idempotency.ErrFenced)
	wantBegun(t, s.Store, start(1, "c", "other work"), idempotency.InProgress)
}

func invalid(t *testing.T, s Subject) {
	ctx := t.Context()
	change := func(change func(*idempotency.Start)) idempotency.Start {
		st := start(1, "a", "work")
		change(&st)
		return st
	}
	for what, st := range map[string]idempotency.Start{
		"no key":           change(func(s *idempotency.Start) { s.Key.Key = "" }),
		"no owner":         change(func(s *idempotency.Start) { s.Owner = "" }),
		"no lease":         change(func(s *idempotency.Start) { s.Lease = 0 }),
		"a NUL":            change(func(s *idempotency.Start) { s.Key.Principal = "a\x00b" }),
		"not UTF-8":        change(func(s *idempotency.Start) { s.Key.Scope = "\xff" }),
		"a long name":      change(func(s *idempotency.Start) { s.Key.Key = strings.Repeat("k", idempotency.MaxName+1) }),
		"a long, odd name": change(func(s *idempotency.Start) { s.Owner = strings.Repeat("\xff", idempotency.MaxName) }),
	} {
		_, err := s.Store.Begin(ctx, st)
		wantError(t, "begin with "+what, err, idempotency.ErrInvalid)
	}
	wantError(t, "hold", s.Store.Hold(ctx, claimOf(1, "a"), -lease, ""), idempotency.ErrInvalid)
	wantError(t, "complete", s.Store.Complete(ctx, claimOf(1, "a"), nil, 0), idempotency.ErrInvalid)
	wantError(t, "release", s.Store.Release(ctx, claimOf(1, "")), idempotency.ErrInvalid)
	wantError(t, "takeover", s.Store.TakeOver(ctx, idempotency.Takeover{Key: key(1), From: "a", To: "a", Lease: lease}), idempotency.ErrInvalid)
	longest := change(func(s *idempotency.Start) { s.Key.Key = strings.Repeat("€", idempotency.MaxName/3) })
	wantBegun(t, s.Store, longest, idempotency.Started)
}
