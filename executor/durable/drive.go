package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/dbos-inc/dbos-transact-golang/dbos/internals"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// DriveOptions say with what runs are executed. The zero value is usable.
type DriveOptions struct {
	// Connect makes what the runs of a definition send through, once for each
	// definition; nil: clients without credentials. Its error parks the runs.
	Connect func(context.Context, Definition) (Connection, error)
	// Budget bounds the retries of all runs of this process, by host; nil: the default
	// limits. Its minimum is divided by the nodes that live.
	Budget *idempotency.Budget
	// Observer is told what this node does.
	Observer Observer
	// BaseURL is how the outside sees the receiver that hands messages to the store's
	// Hub, without a slash at its end (webhook.BaseURL); empty: there is none.
	BaseURL string
	// Keep is how long the data of runs is kept after their end; 0: for good. It is
	// another thing than the retention of tokens.
	Keep time.Duration
	// StopTimeout is how long Stop and Close wait for the outcome of the requests in the air; 0:
	// DefaultStopTimeout. It should be as long as the longest step timeout: what is not
	// awaited is not recorded, and is unknown where it is unsafe to repeat.
	StopTimeout time.Duration
}

// DefaultStopTimeout is how long Stop and Close wait for requests in the air where the options
// say nothing: as long as a step has by default.
const DefaultStopTimeout = executor.DefaultStepTimeout

// driver is what executes runs in this process.
type driver struct {
	store   *Store
	options DriveOptions
	runtime internals.Runtime
	cancel  context.CancelFunc
	ended   chan struct{}
	once    sync.Once // stops
	slots   slots
	pulse   *pulse
	// writesRecords tells that executions add records by themselves; see owned.
	writesRecords bool

	mu         sync.Mutex
	changed    *sync.Cond
	generation int64     // of this node's membership, by which leases are told apart; 0: it is none
	beat       time.Time // when the last beat began that was good
	stopping   bool
	givenUp    bool // what is in the air is awaited no longer
	sending    map[*inTheAir]bool
	parked     map[string]retry
	fault      error // of the last beat
}

// inTheAir is a request that may be on its way.
type inTheAir struct{ run, name string }

// retry says when a run that was parked is dispatched anew.
type retry struct {
	due   time.Time
	tries int
}

// Drive makes this process a node: it executes runs, its own and those of nodes that
// are lost, until Close. It is called once.
func (s *Store) Drive(ctx context.Context, o DriveOptions) error {
	if s.driver != nil {
		return errors.New("the store drives runs already")
	}
	if o.StopTimeout <= 0 {
		o.StopTimeout = DefaultStopTimeout
	}
	if o.Budget == nil {
		o.Budget = idempotency.NewBudget(idempotency.DefaultBudget(), time.Now)
	}
	runtime, err := internals.RuntimeOf(s.dbos)
	if err != nil {
		return err
	}
	d := &driver{store: s, options: o, runtime: runtime, slots: newSlots(), sending: map[*inTheAir]bool{}, parked: map[string]retry{}, ended: make(chan struct{})}
	d.changed = sync.NewCond(&d.mu)
	if err := s.db.checkWhole(ctx); err != nil {
		return fmt.Errorf("look through %s: %w", s.db.named, err)
	}
	if err := s.Check(ctx); err != nil {
		return err
	}
	if err := s.openSource(); err != nil {
		return fmt.Errorf("open the journal of runs: %w", err)
	}
	d.writesRecords = s.db.writesRecords(ctx)
	if d.pulse, err = s.db.openPulse(ctx); err != nil {
		return fmt.Errorf("make this process a node of the store: %w", err)
	}
	if err := d.join(ctx); err != nil {
		d.pulse.close()
		return fmt.Errorf("make this process a node of the store: %w", err)
	}
	s.driver = d
	d.takeOver(ctx)
	if _, err := dbos.RegisterQueue(s.dbos, Engine, dbos.WithQueueBasePollingInterval(queuePolls*s.poll), dbos.WithQueueOnConflict(dbos.QueueConflictAlwaysUpdate)); err != nil {
		return fmt.Errorf("make the queue of runs: %w", err)
	}
	dbos.ListenQueues(s.dbos, Engine)
	if err := dbos.Launch(s.dbos); err != nil {
		return fmt.Errorf("begin to execute runs: %w", err)
	}
	background, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	go d.supervise(background)
	return nil
}

// supervise keeps the node alive in the eyes of the others, and does what is due.
func (d *driver) supervise(ctx context.Context) {
	defer close(d.ended)
	tick := time.NewTicker(d.store.lease.Beat)
	defer tick.Stop()
	early := time.NewTimer(d.store.lease.Takeover) // when a node that says nothing counts as lost
	defer early.Stop()
	cleaned := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-early.C:
			if d.term().check() != nil {
				continue // others may count this one as lost
			}
		case <-tick.C:
			if d.keepAlive(ctx) != nil {
				continue
			}
			d.dispatchAnew(ctx)
			if time.Since(cleaned) >= cleanUpEvery {
				cleaned = time.Now()
				d.cleanUp(ctx)
			}
		}
		early.Reset(d.takeOver(ctx) + time.Millisecond)
	}
}

// cleanUpEvery is how often what is over is removed.
const cleanUpEvery = time.Minute

// stop lets go of the runs. Requests in the air are awaited, and what came of them is
// recorded; no further one is sent. Of those that take longer than StopTimeout is told
// that their outcome is not recorded.
func (d *driver) stop() {
	if d != nil {
		d.once.Do(d.stopOnce)
	}
}

// noQueue is a queue that there is not: who listens to it takes no run.
const noQueue = "none"

func (d *driver) stopOnce() {
	dbos.ListenQueues(d.store.dbos, noQueue)
	overdue := time.AfterFunc(d.options.StopTimeout, d.changed.Broadcast)
	defer overdue.Stop()
	until := time.Now().Add(d.options.StopTimeout)
	d.mu.Lock()
	d.stopping = true
	began := time.Now()
	for len(d.sending) > 0 && !d.givenUp && time.Now().Before(until) {
		d.changed.Wait()
	}
	for r := range d.sending {
		d.store.log.Warn("the node stops while a request is in the air: its outcome is not recorded", "run", r.run, "step", r.name, "waited", time.Since(began).Round(time.Millisecond))
	}
	awaited := len(d.sending) == 0
	d.mu.Unlock()
	if awaited {
		d.settleDown()
	}
	if d.cancel != nil {
		d.cancel()
		<-d.ended
	}
	d.depart()
	d.pulse.close()
}

// settleDown waits until no run does anything: each has recorded what it learned, and has
// ended, was given back, or waits and goes on no further. What is read of it then stays so.
func (d *driver) settleDown() {
	const longest = 5 * time.Second // a database that is away holds nobody up
	for until := time.Now().Add(longest); len(d.slots) > 0 && time.Now().Before(until); {
		time.Sleep(time.Millisecond)
	}
}

// giveUp ends the wait for what is in the air.
func (d *driver) giveUp() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.givenUp = true
	d.changed.Broadcast()
}

// enter tells whether a request may be sent, and that one is.
func (d *driver) enter(r *inTheAir) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stopping {
		return false
	}
	d.sending[r] = true
	return true
}

func (d *driver) exit(r *inTheAir) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.sending, r)
	d.changed.Broadcast()
}

// later has a run that was parked dispatched anew.
func (d *driver) later(run string) {
	const longest = time.Minute
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.parked[run]
	r.due = time.Now().Add(min(d.store.lease.Beat/3<<min(r.tries, 10), longest))
	r.tries++
	d.parked[run] = r
}

// due gives the runs that are to be dispatched now. How often one was tried is
// remembered until it has ended.
func (d *driver) due() (runs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for run, r := range d.parked {
		if !r.due.IsZero() && time.Now().After(r.due) {
			runs = append(runs, run)
			r.due = time.Time{}
			d.parked[run] = r
		}
	}
	return runs
}

// dispatchAnew puts runs that this node has parked in line again, unless they are
// another node's by now.
func (d *driver) dispatchAnew(ctx context.Context) {
	for _, run := range d.due() {
		if err := d.store.putInLine(ctx, run, func(s dbos.WorkflowStatus) bool { return s.ExecutorID == d.store.node }); err != nil {
			d.store.log.Warn("dispatch a run anew", "run", run, "error", err)
			d.later(run)
		}
	}
}

// giveBack puts a run of this node, which stops, in line for others. Where the journal is
// shut down meanwhile nothing is amiss: who takes over from this node finds the run.
func (d *driver) giveBack(run string) {
	err := d.store.putInLine(context.Background(), run, func(s dbos.WorkflowStatus) bool { return s.ExecutorID == d.store.node })
	if err != nil && !d.store.isClosing.Load() {
		d.store.log.Warn("leave a run to other nodes", "run", run, "error", err)
	}
}

// putInLine has a run executed anew from what is recorded, if it is not ended and
// may says so.
func (s *Store) putInLine(_ context.Context, run string, may func(dbos.WorkflowStatus) bool) error {
	all, err := dbos.ListWorkflows(s.dbos, dbos.WithFilterWorkflowIDs(run), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
	if err != nil {
		return err
	}
	if len(all) == 0 || all[0].Status != dbos.WorkflowStatusPending || !may(all[0]) {
		return nil
	}
	_, err = dbos.ResumeWorkflow[string](s.dbos, run, dbos.WithResumeQueue(Engine))
	return err
}

// forget takes note that a run has ended.
func (d *driver) forget(run string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.parked, run)
}

// isRetryable tells whether DBOS does a transaction again after the error.
func (d *driver) isRetryable(err error) bool {
	dialect := d.runtime.SystemDB().Dialect()
	return dialect.IsRetryableTransaction(err, nil) || dialect.IsRetryable(err, nil)
}

// Health tells why this process does not drive runs as it should; nil: all is well.
func (s *Store) Health() error {
	if s.driver == nil {
		return nil
	}
	if err := s.driver.term().check(); err != nil {
		s.driver.mu.Lock()
		defer s.driver.mu.Unlock()
		return errors.Join(err, s.driver.fault)
	}
	return nil
}

// isIdle tells whether the node is executing nothing.
func (d *driver) isIdle() bool {
	all, err := dbos.ListWorkflows(d.store.dbos, dbos.WithFilterStatus(dbos.WorkflowStatusPending, dbos.WorkflowStatusEnqueued), dbos.WithFilterLoadInput(false), dbos.WithFilterLoadOutput(false))
	return err == nil && len(all) == 0
}

func (d *driver) isStopping() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stopping
}
