package contract

import (
	"errors"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// What Options say where they say nothing.
const (
	// DefaultMaxSteps bounds the steps of one run of a test: more of them are an endless
	// loop.
	DefaultMaxSteps = 1000
	// DefaultBudget is how long pairs of faults are tried, for each workflow.
	DefaultBudget = 2 * time.Second
	// DefaultMaxRuns bounds the runs of one workflow.
	DefaultMaxRuns = 200_000
	// DefaultLimit is how long one workflow is tested.
	DefaultLimit = time.Minute
)

// Options of Explore. The zero value is ready to use.
type Options struct {
	// Workflows are the ids of those to be tested; none: all of the document.
	Workflows []string
	// Inputs take the place of those that are made up from the schema.
	Inputs value.Value
	// Secrets are texts that the report must not show, beside the inputs that a schema
	// marks as passwords.
	Secrets []string
	// Seed orders the pairs of faults.
	Seed uint64
	// Budget is the time for pairs of faults, for each workflow, by the clock; 0:
	// DefaultBudget; less than 0: none are tried.
	Budget time.Duration
	// MaxRuns bounds the runs of one workflow; 0: DefaultMaxRuns.
	MaxRuns int
	// Limit is the time for all runs of one workflow, by the clock, pairs included, and of
	// the run that Replay makes; 0: DefaultLimit. What then is left undone is told.
	Limit time.Duration
	// Foretell is told by Replay, before the run begins, how long it takes by its own clock,
	// and so over real connections, and after how long it is ended, 0: not before its end;
	// nil: nobody is told.
	Foretell func(takes, endedAfter time.Duration)
	// Faults are played in one further run of each workflow; one that fires in none of
	// them is a failure.
	Faults mock.FaultPlan
	// Config is how workflows are run; its servers are not looked at.
	Config executor.Config
}

// ErrNoWorkflow tells that a workflow that was asked for is not in the document.
var ErrNoWorkflow = errors.New("no such workflow")

func (o Options) withDefaults() Options {
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	if o.MaxRuns <= 0 {
		o.MaxRuns = DefaultMaxRuns
	}
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	return o
}
