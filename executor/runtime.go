package executor

import (
	"context"
	"time"
)

// Runtime is everything that the interpreter can do to the world and learn from
// it. Outcomes are data; an error from a verb means that the runtime itself
// failed: it stops the run and is never judged as the outcome of a step.
//
// Whatever a verb returns is the recorded history of the run: an interpreter that
// is given the same returns makes the same calls, in the same order, with the same
// names.
type Runtime interface {
	// Open makes every receiver ready. It is called once, before the first step.
	Open(ctx context.Context, boxes []Mailbox) (Opened, error)
	// Call makes one HTTP attempt: exactly one request on the wire, or none.
	Call(ctx context.Context, call Call) (Exchange, error)
	// Wait returns at the next message of the run's inbox, at a cancel, or at the
	// deadline. Sleeping is waiting without the inbox.
	Wait(ctx context.Context, until WaitSpec) (Signal, error)
	// Admit asks the retry budget whether a retry may be made.
	Admit(ctx context.Context, retry Retry) (Admission, error)
	// Move moves the state of the business, by compare-and-set on where it stands.
	Move(ctx context.Context, move Move) (Moved, error)
	// End closes the receivers of a run that has ended, or that the runtime's own
	// fault has stopped: what comes afterwards is late.
	End(ctx context.Context, run string) error
}

// Historian is a Runtime that gives a run what was recorded of it before, perhaps by an
// earlier version of this program, whose rules were others.
type Historian interface {
	// HasCalled tells whether what is recorded goes on with the call of this name. It is
	// asked only about a call that would not be made.
	HasCalled(name string) bool
}

// Opened is what Open returned.
type Opened struct {
	Run  string    // the run's id
	Time time.Time // when the run began
	// Addresses are where messages are to be sent, by the name of the mailbox: absolute
	// URLs. A mailbox without one cannot be reached from outside.
	Addresses map[string]string
}

// WaitSpec says what is waited for.
type WaitSpec struct {
	Run   string    // the run's id
	Name  string    // stable name of the verb
	Until time.Time // the deadline; one that has passed: only what is there is taken
	// Inbox tells that the next message of the run's inbox ends the wait: the first
	// whose number is above After.
	Inbox bool
	After int
	// Expect says which messages belong to the run, from now on; nil: nothing new.
	Expect *Expectation
	// Settles tells that the wait ends also when there are settlements that the run was
	// not given yet (Settler).
	Settles bool
	// AfterCancel tells that the run was cancelled before, and that this wait is part
	// of what is done about it: the same cancel does not end it.
	AfterCancel bool
}

// SignalKind tells why a wait is over.
type SignalKind string

// The reasons for a wait to be over.
const (
	SignalMessage SignalKind = "message"
	SignalTimeout SignalKind = "timeout"
	SignalCancel  SignalKind = "cancel"
	SignalSettled SignalKind = "settled"
)

// Signal is what ended a wait.
type Signal struct {
	Kind    SignalKind
	Time    time.Time
	Message *Message // for SignalMessage
	// Repeats are the messages of the run that have come more than once, so far, with
	// their totals. Only a wait on the inbox has them.
	Repeats []Repeat
	// Strays are messages that came to the addresses of the run since it began and
	// belong to no run, or were refused. Only a wait on the inbox that ends with
	// SignalTimeout has them, and no more than MaxStrays.
	Strays []Stray
}

// MaxStrays is how many strays a Signal has at most: the latest.
const MaxStrays = 20

// Retry is a retry that the budget is asked for.
type Retry struct {
	Name   string // stable name of the attempt to be made
	Target string // host and port
}

// Admission is the budget's answer.
type Admission struct {
	Granted bool
	Reason  string // why not
	Time    time.Time
}

// Move is a move of the state of the business.
type Move struct {
	Run      string
	Name     string // stable name of the verb
	Workflow string // call path of the workflow whose states they are
	From, To string
	Cause    string // the step that succeeded, or the action that was taken
}

// Moved is what came of a Move.
type Moved struct {
	Done  bool
	State string // where it stands now
	Time  time.Time
}
