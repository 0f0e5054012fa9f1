package idempotency

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"
)

// Tokens are the verbs by which at most one run is started for a token.
type Tokens interface {
	// Claim gives the token to a run that is to be started, or an error that wraps
	// ErrTokenHeld, as a *HeldError. A run that holds the token already gets it again:
	// a start whose answer was lost may be made anew. The id of a run whose hold has
	// ended must not be used for another, and a run that has ended must not claim again:
	// a start that is made anew looks for its run before it claims. Made part of the
	// transaction that accepts the run, token and run are there together or not at all.
	Claim(ctx context.Context, claim TokenClaim) (Holder, error)
	// Mark says how far the start or the run has come: a state other than Ended, and
	// a phase in the caller's words. ErrNotHeld where the run does not hold the token.
	Mark(ctx context.Context, token Token, run string, state RunState, phase string) error
	// End ends the run's hold: at once, or when the retention of its claim is over,
	// counted from the claim. Until then the result is there for who asks. Where the
	// run does not hold the token (it was released), nothing happens.
	End(ctx context.Context, token Token, run string, result []byte) error
	// Free frees the token at once, whatever the state of its run and its retention;
	// the run goes on and is not told. ErrNotHeld where the run does not hold it.
	Free(ctx context.Context, token Token, run string) error
	// Holder tells which run holds the token, but for its result, and changes nothing:
	// it is for who wants to see, and waits for nobody. ErrNotHeld where the token is
	// free. What it tells may be over when it is read: only Claim decides.
	Holder(ctx context.Context, token Token) (Holder, error)
}

// Token names work of which one run at most is wanted at a time.
type Token struct {
	Tenant   string // empty where there is one only
	Workflow string
	Name     string
}

// ID gives the token as 32 bytes, the same for the same parts only.
func (t Token) ID() [sha256.Size]byte {
	return digest("token", t.Tenant, t.Workflow, t.Name)
}

// Check holds the token, and the run that is to hold it, to what a store takes.
// The error wraps ErrInvalid.
func (t Token) Check(run string) error {
	if err := CheckToken(t); err != nil {
		return err
	}
	if run == "" {
		return wanted("run")
	}
	return checkNames([2]string{"run", run})
}

// CheckToken holds the argument of Holder to what a store takes.
func CheckToken(token Token) error {
	if token.Name == "" {
		return wanted("token")
	}
	return checkNames([2]string{"tenant", token.Tenant}, [2]string{"workflow", token.Workflow},
		[2]string{"token", token.Name})
}

// TokenClaim is what Claim takes.
type TokenClaim struct {
	Token Token
	// Run is the id of the candidate: the run there will be if the token is free.
	Run         string
	Fingerprint Fingerprint // of the run's inputs
	// Retention is the least time from this claim for which the token stays held; 0:
	// it is free when the run ends.
	Retention time.Duration
	Phase     string // of the start, in the caller's words
}

// Check holds the claim to what a store takes. The error wraps ErrInvalid.
func (c TokenClaim) Check() error {
	if err := checkTime("retention", c.Retention, 0); err != nil {
		return err
	}
	if err := checkNames([2]string{"phase", c.Phase}); err != nil {
		return err
	}
	return c.Token.Check(c.Run)
}

// RunState is the state of the run that holds a token.
type RunState string

// The states.
const (
	Accepted RunState = "accepted" // its code has not begun
	Running  RunState = "running"
	Ended    RunState = "ended" // and the token is retained
)

// CheckMark holds the arguments of Mark to what a store takes.
func CheckMark(token Token, run string, state RunState, phase string) error {
	if state != Accepted && state != Running {
		return fmt.Errorf("%w: the state %q; there are %s and %s", ErrInvalid, state, Accepted, Running)
	}
	if err := checkNames([2]string{"phase", phase}); err != nil {
		return err
	}
	return token.Check(run)
}

// Holder is the run that holds a token.
type Holder struct {
	Run         string
	Fingerprint Fingerprint
	State       RunState
	// Phase is how far its start had come when last told, in the caller's words.
	Phase   string
	Claimed time.Time // by the clock of the store, to the millisecond
	// Until is when the retention of the claim is over, by the clock of the store, to
	// the millisecond. Not before then, and not before its run ends, does the token
	// become free by itself. Zero: the claim has no retention, and the end frees it.
	Until time.Time
	// Result is that of End; nil before, and where only the Holder was asked for.
	Result []byte
}

// Retention is that of the claim, counted from Claimed; 0: it has none.
func (h Holder) Retention() time.Duration {
	if h.Until.IsZero() {
		return 0
	}
	return h.Until.Sub(h.Claimed)
}

// HeldError tells which run holds a token. It wraps ErrTokenHeld, and
// ErrFingerprintMismatch where that run has other inputs.
type HeldError struct {
	Holder Holder
	// Same tells that the holder has the inputs that were asked for: then to join it,
	// and to take its result, is to have been started. Otherwise Holder.Result is
	// nil: the result of other inputs is nobody's answer.
	Same bool
	// Unclear tells why it is not known whether the inputs are the same, Same being false
	// then; nil: it is known.
	Unclear error
}

// Error names the run and its state.
func (e *HeldError) Error() string {
	if e.Same {
		return fmt.Sprintf("%v by the run %s with the same inputs (%s)", ErrTokenHeld, e.Holder.Run, e.Holder.State)
	}
	if e.Unclear != nil {
		return fmt.Sprintf("%v by the run %s (%s), whose inputs cannot be compared: %v", ErrTokenHeld, e.Holder.Run, e.Holder.State, e.Unclear)
	}
	return fmt.Sprintf("%v by the run %s with other inputs (%s)", ErrTokenHeld, e.Holder.Run, e.Holder.State)
}

// Is tells that the error is ErrTokenHeld, or ErrFingerprintMismatch.
func (e *HeldError) Is(target error) bool {
	return target == ErrTokenHeld || target == ErrFingerprintMismatch && !e.Same
}

// Decide tells what a holder that is there means for a claim: the one rule of all
// stores, for a token that is not free.
func (c TokenClaim) Decide(there Holder) (Holder, error) {
	same := there.Fingerprint == c.Fingerprint
	if same && there.Run == c.Run {
		return there, nil
	}
	if !same {
		there.Result = nil
	}
	return Holder{}, &HeldError{Holder: there, Same: same}
}
