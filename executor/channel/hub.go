package channel

import (
	"context"
	"errors"
	"time"

	"github.com/weft-flow/weft/executor"
)

// Hub keeps the messages of many runs: receivers hand them over on one side, the
// runtimes of the runs take them on the other.
type Hub interface {
	Keeper
	Inboxes
	// Unmatched lists the messages that belong to no run yet, in the order in which
	// they came.
	Unmatched(ctx context.Context) ([]Unmatched, error)
}

// Keeper is the side of receivers. An error tells that the keeper itself failed: the
// message may not be acknowledged.
type Keeper interface {
	// Find tells what is known of an address; false: nothing.
	Find(ctx context.Context, target Target) (Known, bool, error)
	// Keep stores a message where it belongs. When it returns without an error, what
	// the outcome says is true for good: a duplicate is told only of a message that is
	// stored.
	Keep(ctx context.Context, a Arrival) (Kept, error)
	// Refuse records a message that came to a known address and is not to be kept.
	Refuse(ctx context.Context, r Refused) error
}

// Inboxes is the side of runtimes.
type Inboxes interface {
	// Declare makes fixed addresses known before any run opens them: messages that come
	// to them are kept until one does. Boxes with an address for each run are passed
	// over. To declare a box again changes nothing.
	Declare(ctx context.Context, boxes []executor.Mailbox) error
	// Open begins to receive for a run, and offers it what is unmatched. It gives the
	// tokens of the boxes that have an address of their own, by the name of the box.
	// To open a run again gives the same tokens; ErrRunEnded after its end.
	Open(ctx context.Context, run string, boxes []executor.Mailbox) (tokens map[string]string, err error)
	// Expect says which messages of a box belong to the run, beside what was said
	// before, and offers it what is unmatched. To expect the same again changes nothing.
	Expect(ctx context.Context, run string, e executor.Expectation) error
	// Wait tells that the run waits for a message from now on, until the Waiting is
	// stopped: such runs come before others. Messages up to the number after are read:
	// they do not fill the mailbox any more and may be dropped.
	Wait(ctx context.Context, run string, after int) (Waiting, error)
	// Repeats gives the messages of a run that have come more than once, with their
	// totals, by number.
	Repeats(ctx context.Context, run string) ([]executor.Repeat, error)
	// Strays gives the latest executor.MaxStrays messages that came to the addresses of
	// the run since it was opened and belong to no run, or were refused, in their order.
	Strays(ctx context.Context, run string) ([]executor.Stray, error)
	// Late gives what came for a run after its end, as far as it is kept, in its order.
	// The numbers of these messages are 0.
	Late(ctx context.Context, run string) ([]executor.Message, error)
	// End ends the inbox of a run: what comes afterwards is late. To end it again
	// changes nothing.
	End(ctx context.Context, run string) error
}

// Waiting is a run's wait for its next message. No lock is held meanwhile, and it is
// used by one goroutine:
//
//	for {
//		woken := w.Woken() // first, so that nothing is missed between
//		if m, err := w.Next(ctx); m != nil || err != nil { … }
//		select { case <-woken: … }
//	}
type Waiting interface {
	// Next gives the first message whose number is above the one that is read; nil:
	// there is none yet. It never blocks, and gives the same again until the next Wait.
	// The message is shared and must not be changed.
	Next(ctx context.Context) (*executor.Message, error)
	// Woken gives a channel that is closed when there may be something new.
	Woken() <-chan struct{}
	// Stop ends the wait. It may be called again.
	Stop()
}

// The errors of a Hub that are not faults of what keeps the messages.
var (
	// ErrNoRun tells that nobody has opened the run, or that it is forgotten.
	ErrNoRun = errors.New("no such run has an inbox")
	// ErrRunEnded tells that the inbox of the run has ended.
	ErrRunEnded = errors.New("the inbox of the run has ended")
	// ErrNoBox tells that the run has no mailbox of this name.
	ErrNoBox = errors.New("the run has no such mailbox")
)

// Target is an address as a message was sent to it, before anybody has looked it up.
type Target struct {
	// Token is that of an address of a run's own; the other fields but Rest are then
	// empty.
	Token  string
	Kind   executor.MailboxKind
	Source string // the name of the source
	// Rest are the segments of the path that follow, decoded: of a webhook the
	// operation, of a channel its address.
	Rest []string
}

// Known is what is known of an address.
type Known struct {
	Place  Place
	Source string // the name of the source whose settings apply
	// Path are the address parameters of the target.
	Path map[string]string
	// Methods are those that bring messages; never empty.
	Methods []string
	// ContentTypes are what messages may come as; empty: anything.
	ContentTypes []string
	// Status is the documented 2xx that acknowledges a message; 0: none is documented.
	Status int
	// Signed tells that messages are to be signed, whatever the receiver knows of the source.
	Signed bool
	// Gone tells that the run whose address it is has ended.
	Gone bool
}

// Arrival is a message as it came in, before anybody has decided whose it is.
type Arrival struct {
	Place    Place
	Received time.Time
	// Identity is what the protocol or the message itself names it by (NativeIdentity);
	// empty: nothing.
	Identity string
	Method   string
	Header   executor.Header // canonical names, no credentials
	Query    map[string][]string
	Path     map[string]string // address parameters
	Body     []byte            // as it came, byte for byte
}

// Message gives the arrival as a message of a box; its number is not known yet.
func (a *Arrival) Message(box string) *executor.Message {
	return &executor.Message{
		Box: box, Received: a.Received, Scoped: a.Place.Token != "", Identity: a.Identity,
		Method: a.Method, Header: a.Header, Query: a.Query, Path: a.Path, Body: a.Body,
	}
}

// Outcome is what became of an Arrival.
type Outcome string

// What can become of an Arrival.
const (
	// Stored: it is in the inbox of a run.
	Stored Outcome = "stored"
	// Duplicate: one of the same identity and content is kept; it is counted.
	Duplicate Outcome = "duplicate"
	// Conflicting: one of the same identity and other content is kept; it is counted.
	Conflicting Outcome = "conflicting"
	// KeptUnmatched: it belongs to no run yet, and is kept for those that open or expect later.
	KeptUnmatched Outcome = "unmatched"
	// Late: it belongs to a run that has ended; it is recorded and changes nothing.
	Late Outcome = "late"
	// Gone: the run whose address it is has ended. Nothing is kept.
	Gone Outcome = "gone"
	// Full: there is no room. Nothing is kept, and it may be sent again.
	Full Outcome = "full"
	// Unknown: the address is not known, or not any more. Nothing is kept.
	Unknown Outcome = "unknown"
)

// Acknowledged tells that the sender may forget the message.
func (o Outcome) Acknowledged() bool {
	switch o {
	case Stored, Duplicate, Conflicting, KeptUnmatched, Late:
		return true
	default:
		return false
	}
}

// Kept is what became of an Arrival, and where.
type Kept struct {
	Outcome Outcome
	Run     string // empty where it belongs to none
	Box     string // the name of the run's mailbox
	Number  int    // in the run's inbox; of repeats that of the first
	Status  int    // the documented 2xx of the box; 0: none is documented
}

// Refused is a message that a receiver did not take.
type Refused struct {
	Place    Place
	Received time.Time
	Identity string // as it claims; nobody has proved it
	Reason   string // for a person: "the signature does not match"
}

// Unmatched is a message that belongs to no run yet.
type Unmatched struct {
	Place   Place
	Message executor.Message // without number and box
	// Same and Different tell how often it has come again, with the same content and
	// with other.
	Same, Different int
	// Reason tells why it belongs to none, for a person.
	Reason string
}
