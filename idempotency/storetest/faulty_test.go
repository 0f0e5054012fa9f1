package storetest_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/storetest"
)

// faulty is a store with one verb that breaks a rule.
type faulty struct {
	idempotency.Store
	begin    func(context.Context, idempotency.Start) (idempotency.Begun, error)
	complete func(context.Context, idempotency.Claim, []byte, time.Duration) error
	takeOver func(context.Context, idempotency.Takeover) error
	claim    func(context.Context, idempotency.TokenClaim) (idempotency.Holder, error)
	end      func(context.Context, idempotency.Token, string, []byte) error
	free     func(context.Context, idempotency.Token, string) error
	holder   func(context.Context, idempotency.Token) (idempotency.Holder, error)
}

func (f *faulty) Begin(ctx context.Context, s idempotency.Start) (idempotency.Begun, error) {
	return f.begin(ctx, s)
}

func (f *faulty) Complete(ctx context.Context, c idempotency.Claim, answer []byte, retention time.Duration) error {
	return f.complete(ctx, c, answer, retention)
}

func (f *faulty) TakeOver(ctx context.Context, t idempotency.Takeover) error {
	return f.takeOver(ctx, t)
}

func (f *faulty) Claim(ctx context.Context, c idempotency.TokenClaim) (idempotency.Holder, error) {
	return f.claim(ctx, c)
}

func (f *faulty) End(ctx context.Context, token idempotency.Token, run string, result []byte) error {
	return f.end(ctx, token, run, result)
}

func (f *faulty) Free(ctx context.Context, token idempotency.Token, run string) error {
	return f.free(ctx, token, run)
}

func (f *faulty) Holder(ctx context.Context, token idempotency.Token) (idempotency.Holder, error) {
	return f.holder(ctx, token)
}

// faults break one rule each of a store that keeps it; the value names a case that must
// find it.
var faults = map[string]struct {
	found string
	apply func(f *faulty, s idempotency.Store)
}{
	"none": {"", func(*faulty, idempotency.Store) {}},
	"a begin that looks, and then writes": {"Statement26OneOfManyBegins", func(f *faulty, s idempotency.Store) {
		f.begin = func(ctx context.Context, start idempotency.Start) (idempotency.Begun, error) {
			begun, err := s.Begin(ctx, start)
			if begun.State == idempotency.InProgress && !begun.Record.Over {
				begun = idempotency.Begun{State: idempotency.Started}
			}
			return begun, err
		}
	}},
	"an owner that was replaced and is not fenced": {"Statement28", func(f *faulty, s idempotency.Store) {
		f.complete = func(ctx context.Context, c idempotency.Claim, answer []byte, retention time.Duration) error {
			err := s.Complete(ctx, c, answer, retention)
			if errors.Is(err, idempotency.ErrFenced) {
				return nil
			}
			return err
		}
	}},
	"a takeover from whoever is the owner": {"Statement28", func(f *faulty, s idempotency.Store) {
		f.takeOver = func(ctx context.Context, t idempotency.Takeover) error {
			lapsed, err := s.Lapsed(ctx, 100)
			for _, r := range lapsed {
				if r.Key == t.Key {
					t.From = r.Owner
				}
			}
			return errors.Join(err, s.TakeOver(ctx, t))
		}
	}},
	"a token that knows no inputs": {"Statement16", func(f *faulty, s idempotency.Store) {
		f.claim = func(ctx context.Context, c idempotency.TokenClaim) (idempotency.Holder, error) {
			c.Fingerprint = idempotency.Fingerprint{}
			return s.Claim(ctx, c)
		}
	}},
	"a token of another run for the asking": {"Statement15", func(f *faulty, s idempotency.Store) {
		f.claim = func(ctx context.Context, c idempotency.TokenClaim) (idempotency.Holder, error) {
			holder, err := s.Claim(ctx, c)
			var held *idempotency.HeldError
			if errors.As(err, &held) && held.Same {
				return held.Holder, nil
			}
			return holder, err
		}
	}},
	"an end that ignores the retention": {"Statement17RetentionCountsFromTheStart", func(f *faulty, s idempotency.Store) {
		f.end = func(ctx context.Context, token idempotency.Token, run string, result []byte) error {
			if err := s.End(ctx, token, run, result); err != nil {
				return err
			}
			_ = s.Free(ctx, token, run) // where it holds it
			return nil
		}
	}},
	"an end by anybody": {"Statement17WithoutRetentionTheEndFreesTheToken", func(f *faulty, s idempotency.Store) {
		f.end = func(ctx context.Context, token idempotency.Token, run string, result []byte) error {
			if holder, err := s.Holder(ctx, token); err == nil {
				run = holder.Run
			}
			return s.End(ctx, token, run, result)
		}
	}},
	"a free by anybody": {"Statement17FreeFreesAtOnce", func(f *faulty, s idempotency.Store) {
		f.free = func(ctx context.Context, token idempotency.Token, run string) error {
			if holder, err := s.Holder(ctx, token); err == nil {
				run = holder.Run
			}
			return s.Free(ctx, token, run)
		}
	}},
	"tokens of all tenants together": {"Statement20", func(f *faulty, s idempotency.Store) {
		f.claim = func(ctx context.Context, c idempotency.TokenClaim) (idempotency.Holder, error) {
			c.Token.Tenant = "all"
			return s.Claim(ctx, c)
		}
	}},
	"a phase that is lost": {"Statement18", func(f *faulty, s idempotency.Store) {
		f.holder = func(ctx context.Context, token idempotency.Token) (idempotency.Holder, error) {
			holder, err := s.Holder(ctx, token)
			holder.Phase = ""
			return holder, err
		}
	}},
}

const envFault = "WEFT_STORETEST_FAULT"

// TestOfAFaultyStore is what TestTheSuiteFindsFaults runs in processes of their own: the
// suite on the store whose fault the environment names.
func TestOfAFaultyStore(t *testing.T) {
	fault, ok := faults[os.Getenv(envFault)]
	if !ok {
		t.Skip("it is run by TestTheSuiteFindsFaults")
	}
	storetest.Run(t, func(testing.TB) storetest.Subject {
		c := &clock{at: time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)}
		s := memory.New(c.now)
		f := &faulty{
			Store: s, begin: s.Begin, complete: s.Complete, takeOver: s.TakeOver,
			claim: s.Claim, end: s.End, free: s.Free, holder: s.Holder,
		}
		fault.apply(f, s)
		return storetest.Subject{Store: f, Advance: c.advance}
	})
}

func TestTheSuiteFindsFaults(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range faults {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestOfAFaultyStore$", "-rapid.nofailfile")
		cmd.Env = append(os.Environ(), envFault+"="+name)
		out, err := cmd.CombinedOutput()
		if fault.found == "" && err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
		if fault.found != "" && (err == nil || !strings.Contains(string(out), "--- FAIL: TestOfAFaultyStore/"+fault.found)) {
			t.Errorf("%s: the case %s does not find it (%v): %s", name, fault.found, err, out)
		}
	}
}
