package executor

import (
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// Event is one thing that happened in a run. The events of a run are one
// ordered stream; secrets are masked before an event is made.
type Event struct {
	Run        string
	Sequence   int // from 1, without gaps
	Time       time.Time
	Place      Place  // the source that caused it
	Workflow   string // call path: the workflow's id, for nested ones "outer/step/inner"
	Depth      int    // 0 for a workflow that was asked for, 1 for one that it calls, …
	Step       string // empty where the event is not of a step
	Activation int    // of the step in this run, from 1
	Attempt    int    // of the activation, from 1; 0 where the event is not of an attempt
	Detail     Detail
}

// Place is where in which file an event has its cause.
type Place struct {
	File    string
	Span    arazzo.Span
	Pointer string
}

// Detail is what is particular to one type of event.
type Detail interface {
	// Type is the event's name in reports, such as "stepStarted".
	Type() string
}

// Sink takes events. Write is called from one goroutine a run; an error does not
// stop the run and is told at its end.
type Sink interface {
	Write(Event) error
}

// The details of events, in the order in which a run has them.
type (
	// RunStarted opens the stream.
	RunStarted struct {
		Document string   // file
		Origins  []string // the target origins, sorted
	}
	// WorkflowStarted begins a workflow.
	WorkflowStarted struct {
		ID     string
		Inputs value.Value
	}
	// StepStarted begins one activation of a step.
	StepStarted struct {
		Owner string // who answers for the step (x-weft-owner); empty: nobody is named
	}
	// RequestPrepared comes before a request is sent.
	RequestPrepared struct {
		Method      string
		Target      string // path and query of the operation, its template filled
		KeyHeader   string // empty: no key
		KeyDigest   string
		Key         string // the key itself; empty unless keys may be shown
		Contract    bool
		Effectful   bool
		OperationID string
		// Continues is the call path of the workflow in which the step made the request
		// before of the same operation, where that is another one: a step that called it was
		// done again. Empty: this one, or it is the first.
		Continues string `json:",omitempty"`
	}
	// AttemptFinished tells what came of a request.
	AttemptFinished struct {
		Sent      Sent
		Response  *Response
		Duration  time.Duration
		Attempt   idempotency.Class // class of this attempt
		Operation idempotency.Class // class of the operation over all its attempts
		Reason    string
		Refused   string
		// Redirects are those that were followed, in their order: Response is the
		// answer to the last request that they led to.
		Redirects []Redirect
	}
	// CriterionEvaluated tells what a criterion said.
	CriterionEvaluated struct {
		Action    string // the action it belongs to; empty: success criteria
		Condition string
		Passed    bool
		Fault     string // why it could not be evaluated; it then did not pass
	}
	// ActionChosen tells which action was taken.
	ActionChosen struct {
		Name    string
		Kind    string // end, goto or retry
		Target  string // step or workflow; empty: none
		Trigger string // onSuccess or onFailure
	}
	// RetryScheduled tells that the step will be tried again.
	RetryScheduled struct {
		Action      string
		After       time.Duration
		Used, Limit int // this is retry number Used of Limit
	}
	// RetryWithheld tells that a retry that the document asks for is not made.
	RetryWithheld struct {
		Action string
		Reason string
	}
	// StepFinished ends one activation of a step.
	StepFinished struct {
		Succeeded bool
		Reason    string // why it failed
		Operation idempotency.Class
		Outputs   value.Value
		// Settles are the operations of which the step has told what became of them.
		Settles []Settled `json:",omitempty"`
	}
	// WorkflowFinished ends a workflow.
	WorkflowFinished struct {
		ID      string
		Status  Status
		Reason  string
		Outputs value.Value
		State   string // of the business; empty: the document declares none
	}
	// ContractFinding tells of a message that breaks its description.
	ContractFinding struct {
		Of      string // request or response
		Kind    string // status, media-type, body, header or parameter
		Message string
		Pointer string // JSON Pointer into the body; empty where it is not about a part of one
	}
	// StateMoved tells that the state of the business has changed.
	StateMoved struct {
		From, To string
		Cause    string // the step that succeeded, or the action that was taken
	}
	// StateRefused tells of a move that the document does not allow: it changed
	// nothing.
	StateRefused struct {
		State  string // as it stays
		To     string // empty: the value names no state
		Cause  string
		Reason string
	}
	// MessageAwaited tells that a step waits for a message.
	MessageAwaited struct {
		Channel     string        // such as "webhook paymentChanged"
		Address     string        // URL that messages are to be sent to; empty: not known
		Correlation string        // the value that a message must have; empty: the address tells
		For         time.Duration // at most
	}
	// MessageReceived tells that a step took a message.
	MessageReceived struct {
		Channel  string
		Number   int    // in the run's inbox, from 1
		Identity string // empty: it has none
		Received time.Time
		Waited   time.Duration // by the step; 0: the message was there already
		Method   string
		Header   Header
		Body     []byte
	}
	// MessageSetAside tells of messages that change nothing.
	MessageSetAside struct {
		Channel  string
		Number   int // in the run's inbox; of a repeat that of the first; 0: it is in none
		Identity string
		Received time.Time // of a repeat when the first was
		Why      Aside
		Count    int // from 1
		Reason   string
		// Fails tells that the run's verdict fails for it.
		Fails bool
	}
	// OperationSettled tells that an operator has found out what became of an operation
	// of which the run did not know the outcome: that of the step, by its last attempt.
	OperationSettled struct {
		Outcome idempotency.Class // succeeded; rejected: it had no effect
		By      string            // who says so
		Settled time.Time         // when it was said
	}
	// Notice is something that a person should know.
	Notice struct {
		Message string
	}
	// RunFinished closes the stream.
	RunFinished struct {
		Result Result
	}
)

// Settled is an operation that something else than its attempts has settled, named by its
// last attempt.
type Settled struct {
	Workflow            string // call path
	Step                string
	Activation, Attempt int
	Outcome             idempotency.Class
	Reason              string
}

// Aside is why a message changes nothing.
type Aside string

// The reasons to set a message aside.
const (
	Duplicate   Aside = "duplicate"   // the same identity and content as one before
	Conflicting Aside = "conflicting" // the same identity as one before, other content
	Surplus     Aside = "surplus"     // a second one, of which nobody can tell whether it is the first again
	Late        Aside = "late"        // the step it belongs to had ended
	Unawaited   Aside = "unawaited"   // no step has waited for it
	Unmatched   Aside = "unmatched"   // it came to an address of the run and belongs to no run, or was refused
)

// Type names the event in reports.
func (RunStarted) Type() string         { return "runStarted" }
func (WorkflowStarted) Type() string    { return "workflowStarted" }
func (StepStarted) Type() string        { return "stepStarted" }
func (RequestPrepared) Type() string    { return "requestPrepared" }
func (AttemptFinished) Type() string    { return "attemptFinished" }
func (CriterionEvaluated) Type() string { return "criterionEvaluated" }
func (ActionChosen) Type() string       { return "actionChosen" }
func (RetryScheduled) Type() string     { return "retryScheduled" }
func (RetryWithheld) Type() string      { return "retryWithheld" }
func (StepFinished) Type() string       { return "stepFinished" }
func (WorkflowFinished) Type() string   { return "workflowFinished" }
func (ContractFinding) Type() string    { return "contractFinding" }
func (StateMoved) Type() string         { return "stateMoved" }
func (StateRefused) Type() string       { return "stateRefused" }
func (MessageAwaited) Type() string     { return "messageAwaited" }
func (MessageReceived) Type() string    { return "messageReceived" }
func (MessageSetAside) Type() string    { return "messageSetAside" }
func (OperationSettled) Type() string   { return "operationSettled" }
func (Notice) Type() string             { return "notice" }
func (RunFinished) Type() string        { return "runFinished" }
