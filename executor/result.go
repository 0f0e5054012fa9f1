package executor

import (
	"github.com/weft-flow/weft/arazzo/value"
)

// Status is how a workflow or run ended.
type Status string

// The ways to end.
const (
	Succeeded Status = "succeeded"
	// Recovered: succeeded after a failure that an action handled.
	Recovered Status = "recovered"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
	// Unknown: an effectful operation's outcome stayed unknown and nothing settled it.
	Unknown Status = "unknown"
)

// Result is how a run ended.
type Result struct {
	Run       string
	Status    Status
	Reason    string // why, where it did not succeed
	Workflows []WorkflowResult
	Counts    Counts
}

// WorkflowResult is how one workflow that was asked for ended.
type WorkflowResult struct {
	ID      string
	Status  Status
	Reason  string
	Outputs value.Value
	State   string // of the business (x-weft-states); empty: the document declares none
}

// Counts sums a run up.
type Counts struct {
	Steps         int // activations that ended
	Requests      int // requests on the wire
	UnsafeRepeats int // requests repeated although unsafe to repeat, because the user allowed it
	Withheld      int // retries withheld
	Findings      int // contract findings on responses and on messages received
	Messages      int // messages that steps took
	SetAside      int // messages that changed nothing: duplicates, late ones and others
	Duplicates    int // of these those that had come before, with the same content
	Conflicts     int // of these those that had come before, with other content
	Refused       int // of these those for which the run's verdict fails
}
