package executor

import (
	"context"
	"time"
)

// Runtime is everything that the interpreter can do to the world and learn from
// it. Outcomes are data; an error from a verb means that the runtime itself
// failed: it stops the run and is never judged as the outcome of a step.
type Runtime interface {
	// Open makes every receiver ready. It is called once, before the first step.
	Open(ctx context.Context, boxes []Mailbox) (Opened, error)
	// Call makes one HTTP attempt: exactly one request on the wire, or none.
	Call(ctx context.Context, call Call) (Exchange, error)
	// Wait returns at the next message of a mailbox, at a cancel, or at the
	// deadline. Sleeping is waiting without a mailbox.
	Wait(ctx context.Context, until WaitSpec) (Signal, error)
	// Admit asks the retry budget whether a retry may be made.
	Admit(ctx context.Context, retry Retry) (Admission, error)
}

// Mailbox is where the messages of one channel arrive for a run.
type Mailbox struct {
	Name string
}

// Opened is what Open returned.
type Opened struct {
	Run  string    // the run's id
	Time time.Time // when the run began
}

// WaitSpec says how long to wait.
type WaitSpec struct {
	Name string // stable name of the verb
	For  time.Duration
	// AfterCancel tells that the run was cancelled before, and that this wait is part
	// of what is done about it: the same cancel does not end it.
	AfterCancel bool
}

// SignalKind tells why a wait is over.
type SignalKind string

// The reasons for a wait to be over.
const (
	SignalTimeout SignalKind = "timeout"
	SignalCancel  SignalKind = "cancel"
)

// Signal is what ended a wait.
type Signal struct {
	Kind SignalKind
	Time time.Time
}

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
