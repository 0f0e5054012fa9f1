package executor

import (
	"fmt"
	"time"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
)

// Defaults of a Config.
const (
	DefaultStepTimeout = 30 * time.Second
	DefaultTimeout     = time.Hour
	DefaultMaxSteps    = 10_000
	// NoTimeout is a Config.Timeout that no run lives to see.
	NoTimeout = 100 * 365 * 24 * time.Hour
	maxDepth  = 32
)

// Config is what a user decides about running a document, beside the document
// itself. The zero Config is usable.
type Config struct {
	// Servers gives the base URL for a source by its identity (a URI) or its name;
	// under "" for every source that has none of its own. What is absent is taken
	// from the description.
	Servers map[string]string
	// Sources says what the user knows of single APIs, by the identity or the name
	// of the source.
	Sources map[string]SourceConfig
	// StepTimeout limits one HTTP attempt of a step that has no timeout of its
	// own; 0 means DefaultStepTimeout.
	StepTimeout time.Duration
	// Timeout limits a run; 0 means DefaultTimeout, NoTimeout that it is not limited.
	Timeout time.Duration
	// MaxSteps bounds the activations of steps in a run; 0 means DefaultMaxSteps.
	MaxSteps int
	// UnsafeRetry lifts the rule that an operation which is unsafe to repeat is
	// never sent again after an unknown outcome.
	UnsafeRetry bool
	// Tenant separates the keys of callers that share a document.
	Tenant string
	// Contract says what responses that break their description mean; empty:
	// ContractError.
	Contract ContractMode
	// Linger is how long the receivers of a run stay open after its end, so that what
	// comes late is seen; 0: what has come until then is all.
	Linger time.Duration
	// Jitter adds up to this much to each wait before a retry.
	Jitter time.Duration
}

// SourceConfig is what a user knows of one API. The zero value says nothing.
type SourceConfig struct {
	// Profile is what the API does with idempotency keys; nil: nothing is known.
	Profile *idempotency.Profile
	// Effects say by operationId what a call does (idempotency.MarkRead, …) where the
	// document does not.
	Effects map[string]string
	// Variables are values for variables of the servers that the description names.
	Variables map[string]string
}

// ProfileOf gives what an API does with idempotency keys, by the names of its source, the
// first that something is known under; nil: nothing is known.
func (c Config) ProfileOf(names ...string) *idempotency.Profile { return c.source(names).Profile }

// source gives what is known of a source under one of its names, the first that
// there is.
func (c Config) source(names []string) SourceConfig {
	for _, name := range names {
		if known, ok := c.Sources[name]; ok {
			return known
		}
	}
	return SourceConfig{}
}

func (c Config) withDefaults() Config {
	if c.StepTimeout == 0 {
		c.StepTimeout = DefaultStepTimeout
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxSteps == 0 {
		c.MaxSteps = DefaultMaxSteps
	}
	if c.Contract == "" {
		c.Contract = ContractError
	}
	return c
}

// Refusal is one reason why a document cannot be run, with its place.
type Refusal struct {
	Place   Place
	Message string
}

// Error gives the refusal with file, line and column.
func (r Refusal) Error() string {
	if r.Place.Span.Start.Line == 0 {
		return fmt.Sprintf("%s: %s", r.Place.File, r.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", r.Place.File, r.Place.Span.Start.Line, r.Place.Span.Start.Column, r.Message)
}

// Plan is a document compiled for running: everything that does not depend on
// inputs is decided. It is immutable and safe for many runs at once.
type Plan struct {
	config    Config
	set       *source.Set
	selected  []*workflow
	order     []*workflow // selected and what they depend on, each once
	given     []*workflow // all that run with the inputs of the run: order, and what called workflows depend on
	workflows map[*arazzo.Workflow]*workflow
	origins   []string
	boxes     []Mailbox         // of all steps that receive
	labels    map[string]string // of the mailboxes, for people, by their names
	checker   *check.Checker
	payloads  payloads
}

// Mailboxes lists where the steps of the plan receive messages; none where none does.
func (p *Plan) Mailboxes() []Mailbox { return p.boxes }

// Origins lists the origins that requests of the plan may go to, sorted.
func (p *Plan) Origins() []string { return p.origins }

// Workflows lists the ids of the workflows that a run of the plan is asked for.
func (p *Plan) Workflows() []string {
	ids := make([]string, len(p.selected))
	for i, w := range p.selected {
		ids[i] = w.id
	}
	return ids
}

// StepInfo tells what a step of a plan calls.
type StepInfo struct {
	Workflow, ID string
	Calls        string // "POST /orders", "workflow pay", "receive paid"
	Mailbox      string // the name of the one that the step receives from; empty: it does not
}

// Steps lists the steps of the workflows that a run of the plan is asked for and
// of those that these depend on, in the order in which they run.
func (p *Plan) Steps() []StepInfo {
	var steps []StepInfo
	for _, w := range p.order {
		for _, s := range w.steps {
			info := StepInfo{Workflow: w.id, ID: s.id, Calls: s.description}
			if s.inlet != nil {
				info.Mailbox = s.inlet.box
			}
			steps = append(steps, info)
		}
	}
	return steps
}

// Compile makes a plan for the named workflows of a document, or for all of them
// in document order where none is named. Where it cannot be run the plan is nil
// and the refusals say why, all in one go.
func Compile(set *source.Set, ids []string, config Config) (*Plan, []Refusal) {
	c := newCompiler(set, config)
	selected := c.selectWorkflows(set, ids)
	for done := 0; done < len(c.found); done++ {
		c.compileWorkflow(c.found[done])
	}
	c.refuseCircles()
	c.refuseMisfits()
	plan := &Plan{
		config: c.config, set: set, selected: selected, workflows: c.workflows, origins: c.sortedOrigins(),
		order: dependencyOrder(selected), given: dependencyOrder(c.runWithGivenInputs(selected)),
		boxes: c.boxes, labels: c.labels, payloads: c.payloads, checker: &check.Checker{},
	}
	if len(c.refusals) > 0 {
		return nil, c.sortedRefusals()
	}
	return plan, nil
}

// workflow is a compiled workflow of one document.
type workflow struct {
	id        string
	label     string // escaped; no other workflow of the plan has it
	identity  string // of its document, in keys
	set       *source.Set
	model     *arazzo.Workflow
	names     *expression.Names
	inputs    *inputs
	dependsOn []*workflow
	steps     []*step // in the order in which they run
	position  map[string]int
	outputs   []namedValue
	onCancel  []*action
	callbacks []callbackInput
	// states are the workflow's own, documentStates those of its document; nil: none.
	states, documentStates *states
}

// step is a compiled step.
type step struct {
	id          string
	model       *arazzo.Step
	place       Place
	kind        stepKind
	operation   *source.Operation
	source      *source.Description
	server      string
	target      *workflow
	arguments   []argument
	body        *body
	channel     *channelUse    // nil: what it calls is not of AsyncAPI
	inlet       *inlet         // nil: it does not receive
	address     []argument     // address parameters that a message must bear
	correlation *dynamic.Value // nil: none
	addressed   bool           // its requests may name the address of a callback
	criteria    []*criterion
	onSuccess   []*action
	onFailure   []*action
	outputs     []namedValue
	timeout     time.Duration // 0: none of its own
	effectful   bool
	readOnly    bool                 // it changes nothing on the server
	profile     *idempotency.Profile // nil: none
	key         keyRule
	dependsOn   []dependency
	state       *stateRule      // nil: none
	requeryOf   map[string]bool // steps whose unknown outcome this step can settle
	description string          // "POST /orders", for messages
}

type stepKind uint8

const (
	callsOperation stepKind = iota
	callsWorkflow
	receives
)

// dependency is an explicit dependsOn of a step.
type dependency struct {
	workflow *arazzo.Workflow // nil: the step's own
	id       string           // of the workflow
	step     string
}

// action is a compiled success or failure action.
type action struct {
	name       string
	kind       string // end, goto, retry
	place      Place
	shared     bool // it is of the workflow, for all its steps
	step       int  // position of the target step; -1: none
	workflow   *workflow
	arguments  []argument
	criteria   []*criterion
	retryAfter time.Duration
	retryLimit int
	factor     float64       // x-weft-backoff; 0: none
	maxWait    time.Duration // x-weft-backoff; 0: none
	unsafe     bool
	state      *stateRule // nil: none
}

// assisted tells that the action runs a step or a workflow before the step is tried again.
func (a *action) assisted() bool {
	return a.step >= 0 || a.workflow != nil
}

func (a *action) target(w *workflow) string {
	switch {
	case a.workflow != nil:
		return a.workflow.id
	case a.step >= 0:
		return w.steps[a.step].id
	default:
		return ""
	}
}
