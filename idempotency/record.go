package idempotency

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
)

// Records are the verbs by which a server does a request once. A record is open
// from Begin until Complete or Release; its owner holds it by a lease.
//
// A lease that runs out hands the record to nobody: what became of the request is
// then not known, and only who looks into that, an operator or a recovery, takes it
// over (TakeOver) and completes or releases it. Whoever is not the owner any more
// gets ErrFenced. An owner that is late, but was not replaced, still is the owner:
// what it knows is better than what anybody would find out.
type Records interface {
	// Begin opens the record of a request, or tells what became of it before. A record
	// whose retention is over counts as none. Begun again by the owner of the open
	// record, with the same fingerprint, it gives Started again: so an owner whose
	// answer was lost may ask anew.
	Begin(ctx context.Context, start Start) (Begun, error)
	// Hold makes the lease last from now, and, unless it is empty, keeps the resource.
	Hold(ctx context.Context, claim Claim, lease time.Duration, resource string) error
	// Complete closes the record with the answer, to be kept for the retention from
	// now. Completed again by the same owner, it changes nothing and gives no error.
	Complete(ctx context.Context, claim Claim, answer []byte, retention time.Duration) error
	// Release removes the open record: nothing happened, and a next request begins
	// anew. Where there is no record it gives no error.
	Release(ctx context.Context, claim Claim) error
	// TakeOver makes another owner the one of an open record whose lease is over. For
	// the new owner it may be called again.
	TakeOver(ctx context.Context, takeover Takeover) error
	// Lapsed gives at most limit open records whose lease is over, longest over first.
	Lapsed(ctx context.Context, limit int) ([]Record, error)
}

// RecordKey is where a record is looked up. The same key of another principal, or
// in another scope, is another record.
type RecordKey struct {
	Principal string // who asks; empty where nobody is told apart
	Scope     string // for what: commonly method and path
	Key       string // the idempotency key, plain
}

// ID gives the key as 32 bytes, the same for the same parts only.
func (k RecordKey) ID() [sha256.Size]byte {
	return digest("record", k.Principal, k.Scope, k.Key)
}

// Check holds the key to what a store takes. The error wraps ErrInvalid.
func (k RecordKey) Check() error {
	if k.Key == "" {
		return wanted("key")
	}
	return checkNames([2]string{"principal", k.Principal}, [2]string{"scope", k.Scope}, [2]string{"key", k.Key})
}

// Claim is one owner's hold on an open record.
type Claim struct {
	Key RecordKey
	// Owner is a name that no other attempt at any work ever had: see NewOwner.
	Owner string
}

// NewOwner gives a name for the owner of a claim, from the system's random source.
func NewOwner() string { return uuid.NewString() }

// Check holds the claim to what a store takes. The error wraps ErrInvalid.
func (c Claim) Check() error {
	if c.Owner == "" {
		return wanted("owner")
	}
	if err := checkNames([2]string{"owner", c.Owner}); err != nil {
		return err
	}
	return c.Key.Check()
}

// Start is what Begin takes.
type Start struct {
	Claim
	Fingerprint Fingerprint
	// Lease is for how long the owner is believed to be at work without a sign.
	Lease time.Duration
}

// Check holds the start to what a store takes. The error wraps ErrInvalid.
func (s Start) Check() error {
	if err := checkTime("lease", s.Lease, time.Millisecond); err != nil {
		return err
	}
	return s.Claim.Check()
}

// BeginState is what Begin found.
type BeginState string

// The states.
const (
	// Started: the record is open, and the caller's.
	Started BeginState = "started"
	// Replay: the request was done before; Begun.Answer is its answer.
	Replay BeginState = "replay"
	// InProgress: the record is open, and another's.
	InProgress BeginState = "in progress"
	// Mismatch: the key was used for another request. Nothing was changed.
	Mismatch BeginState = "mismatch"
)

// Begun is the answer of Begin.
type Begun struct {
	State BeginState
	// Answer is that of Complete; of Replay only.
	Answer []byte
	// Record is what is there; of InProgress, Replay and Mismatch.
	Record Record
}

// Record is what is known of a request, but for its answer.
type Record struct {
	Key         RecordKey
	Fingerprint Fingerprint
	Owner       string
	// Resource is what the owner said that the work made; empty: nothing yet.
	Resource string
	Began    time.Time // by the clock of the store, to the millisecond
	Done     bool      // completed
	// Over tells that the lease of an open record is over.
	Over bool
}

// Takeover is what TakeOver takes.
type Takeover struct {
	Key   RecordKey
	From  string // the owner whose lease is over
	To    string // the new one: see NewOwner
	Lease time.Duration
}

// Check holds the takeover to what a store takes. The error wraps ErrInvalid.
func (t Takeover) Check() error {
	if t.From == t.To {
		return wanted("new owner")
	}
	if err := (Claim{Key: t.Key, Owner: t.From}).Check(); err != nil {
		return err
	}
	return Start{Claim: Claim{Key: t.Key, Owner: t.To}, Lease: t.Lease}.Check()
}

// CheckComplete holds the arguments of Complete to what a store takes.
func CheckComplete(claim Claim, retention time.Duration) error {
	if err := checkTime("retention", retention, time.Millisecond); err != nil {
		return err
	}
	return claim.Check()
}

// CheckHold holds the arguments of Hold to what a store takes. A lease of 0 gives
// the record up: it is over at once.
func CheckHold(claim Claim, lease time.Duration, resource string) error {
	if err := checkTime("lease", lease, 0); err != nil {
		return err
	}
	if err := checkNames([2]string{"resource", resource}); err != nil {
		return err
	}
	return claim.Check()
}

// Decide tells what a record that is there means for a start: the one rule of all
// stores, for a record whose retention is not over.
func (s Start) Decide(there Record, answer []byte) Begun {
	switch {
	case there.Fingerprint != s.Fingerprint:
		return Begun{State: Mismatch, Record: there}
	case there.Done:
		return Begun{State: Replay, Record: there, Answer: answer}
	case there.Owner == s.Owner:
		return Begun{State: Started}
	default:
		return Begun{State: InProgress, Record: there}
	}
}
