package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/idempotency"
)

// inMemory is the store of runs that do not outlive their process.
const inMemory = "memory"

// durably are the flags of runs that are kept in a store.
type durably struct {
	store, token, run, onConflict string
	retention, keep, stopTimeout  time.Duration
}

// given tells whether runs are kept.
func (d durably) given() bool { return d.store != inMemory }

func (f *runFlags) checkStore() error {
	d := f.durably
	switch {
	case d.onConflict != "join" && d.onConflict != "fail":
		return usage("--on-conflict %s: expected join or fail", d.onConflict)
	case f.changed("token") && d.token == "":
		return usage("--token is empty; leave it out where there is none")
	case d.retention < 0 || d.keep < 0:
		return usage("--min-retention and --keep must not be negative")
	case f.changed("stop-timeout") && d.stopTimeout <= 0:
		return usage("--stop-timeout must be more than 0")
	case d.given() && (f.noMask || f.showKeys):
		return usage("--store keeps no secrets and no keys, which --no-mask and --show-keys could show")
	case d.given() && d.retention > 0 && d.token == "":
		return usage("--min-retention is that of a --token, and there is none")
	case d.given():
		return f.checkRun()
	case f.changed("run"):
		return usage("--run needs a --store that outlives the run: sqlite:FILE or postgres://…")
	case d.token != "":
		return usage("--token needs a --store that outlives the run: sqlite:FILE or postgres://…")
	case d.retention > 0:
		return usage("--min-retention is that of a --token in a --store")
	case d.keep > 0:
		return usage("--keep is for the runs of a --store")
	case f.changed("stop-timeout"):
		return usage("--stop-timeout is for the runs of a --store")
	default:
		return nil
	}
}

// checkRun reads the id that the run is to have.
func (f *runFlags) checkRun() error {
	if !f.changed("run") {
		return nil
	}
	id, err := uuid.Parse(f.durably.run)
	if err != nil {
		return usage("--run %q: expected a UUID, such as the one that an uncertain start names", f.durably.run)
	}
	f.durably.run = id.String()
	return nil
}

// openDurable opens the store that the runs are kept in, and begins to execute what is
// to be executed there: the runs of this command line, and those that others have left.
func (s *session) openDurable(jobs []*job) error {
	d := s.flags.durably
	if !d.given() || s.flags.dryRun {
		return nil
	}
	if len(jobs) > 1 && d.run != "" {
		return usage("--run is the id of one run, and there are %d documents", len(jobs))
	}
	store, err := openStore(s.ctx, d.store, durable.Options{Logger: s.log})
	if err != nil {
		return err
	}
	s.store = store
	url, err := s.listenDurably(jobs)
	if err != nil {
		return err
	}
	connect := func(_ context.Context, d durable.Definition) (durable.Connection, error) {
		return s.flags.connection(jobs, d, s.stdio)
	}
	if err := store.Drive(s.ctx, durable.DriveOptions{Connect: connect, Budget: s.budget, Keep: d.keep, BaseURL: url, StopTimeout: d.stopTimeout}); err != nil {
		return unusable(d.store, fmt.Errorf("execute runs: %w", err))
	}
	s.stopWhenInterrupted()
	return nil
}

// connection gives what the runs of a definition send through: with the credentials
// that are configured for the document, in this process and now.
func (f *runFlags) connection(jobs []*job, d durable.Definition, stdio Stdio) (durable.Connection, error) {
	for _, j := range jobs {
		if j.path == d.Document && j.played != nil {
			return durable.Connection{Client: httpcall.New(j.played.reach(httpcall.Options{MaxBody: j.settings.maxBody}))}, nil
		}
	}
	settings, err := f.settingsFor(document{path: d.Document}, stdio)
	if err != nil {
		return durable.Connection{}, err
	}
	settings.executor.Servers = d.Config.Servers
	l, err := settings.lines(d.Set)
	if err != nil {
		return durable.Connection{}, err
	}
	return durable.Connection{
		Client: l.client, Clients: l.clients, Secrets: settings.secrets, Learned: l.learned,
		Credentials: l.ring.Held(), Missing: l.ring.Missing,
	}, nil
}

// runDurably starts a run that is kept, or joins the one that holds its token, and
// follows it to its end.
func (s *session) runDurably(j *job, sink executor.Sink) (executor.Result, error) {
	if s.pressed() {
		fmt.Fprintf(s.stdio.Err, "weft: %s: not run\n", j.path)
		return executor.Result{}, &exitError{code: exitInterrupted}
	}
	spec, err := s.spec(j)
	if err != nil {
		return executor.Result{}, err
	}
	started, err := s.store.Start(s.ctx, spec)
	var held *idempotency.HeldError
	var uncertain *durable.UncertainError
	var none *durable.NotAcceptedError
	switch {
	case errors.As(err, &none) && s.ctx.Err() != nil:
		return executor.Result{}, &exitError{code: exitInterrupted, err: err}
	case errors.As(err, &held):
		return s.join(held, sink)
	case errors.As(err, &uncertain):
		err = &exitError{code: exitUnknown, err: fmt.Errorf("%w\nthe same command with --run %s finds that run, or starts it: never a second one", err, uncertain.Run)}
		return executor.Result{}, unusable(s.flags.durably.store, err)
	case errors.As(err, &none):
		if err := unusable(s.flags.durably.store, err); codeOf(err) == exitUsage {
			return executor.Result{}, err
		}
		return executor.Result{}, usage("--store %s: %w", withoutPassword(s.flags.durably.store), err)
	case err != nil:
		return executor.Result{}, asUsage(err)
	}
	fmt.Fprintf(s.stdio.Err, "run %s\n", started.Run)
	return s.follow(started.Run, sink)
}

func (s *session) spec(j *job) (durable.Spec, error) {
	d := s.flags.durably
	bundle, err := durable.Load(s.ctx, j.path, s.flags.sources.options())
	if err != nil {
		return durable.Spec{}, err
	}
	if !j.inputs.IsUTF8() {
		return durable.Spec{}, usage("an input is not UTF-8, so it cannot be kept with a durable run; expected text, of bytes in base64 say")
	}
	config := s.flags.durableConfig(j.settings)
	return durable.Spec{
		Bundle: bundle, Workflows: j.chosen, Config: config, Inputs: j.inputs, Tenant: config.Tenant,
		Run: d.run, Token: d.token, Retention: d.retention, Join: d.onConflict != "fail",
	}, nil
}

// durableConfig gives the configuration of runs that are kept: they have no limit of
// time, unless one was asked for.
func (f *runFlags) durableConfig(s settings) executor.Config {
	if !f.changed("timeout") && (s.file == nil || !s.file.Run.Timeout.Given) {
		s.executor.Timeout = executor.NoTimeout
	}
	return s.executor
}

// join follows the run that holds the token, where it has the same inputs.
func (s *session) join(held *idempotency.HeldError, sink executor.Sink) (executor.Result, error) {
	holder := held.Holder
	switch {
	case !held.Same:
		return executor.Result{}, &exitError{code: exitFailed, err: fmt.Errorf("nothing was started: %w", held)}
	case s.flags.durably.onConflict == "fail":
		return executor.Result{}, &exitError{code: exitFailed, err: held}
	}
	fmt.Fprintf(s.stdio.Err, "joined: the run %s holds the token with the same inputs (%s)\n", holder.Run, holder.State)
	result, err := s.follow(holder.Run, sink)
	if errors.Is(err, durable.ErrNoRun) && holder.State == idempotency.Ended {
		return s.store.ReadHeld(holder) // the run's own data was forgotten
	}
	return result, err
}

// stopWhenInterrupted makes an interrupt a planned stop: what is in the air is awaited and
// recorded, and the runs stay in the store. Who means to cancel one says so by name, since
// a process is told to stop for many reasons.
func (s *session) stopWhenInterrupted() {
	stopped, tell := context.WithCancel(s.ctx)
	s.stopped = stopped
	s.keeping.Store(s.store)
	stop := func() {
		go func() {
			s.store.Stop()
			tell()
		}()
	}
	s.running.Store(&stop)
}

// follow tells of a run until its end, or until this process was told to stop and the run
// goes on another time.
func (s *session) follow(run string, sink executor.Sink) (executor.Result, error) {
	told := &toldSink{Sink: sink}
	result, err := s.store.Follow(s.stopped, run, 0, told)
	if err != nil && s.stopped.Err() != nil && s.ctx.Err() == nil {
		// What it came to by the stop is final for this process.
		var ended bool
		if _, ended, err = s.store.Result(s.ctx, run); ended && err == nil {
			return s.store.Follow(s.ctx, run, told.last, sink)
		}
		err = errors.Join(err, context.Canceled)
	}
	if err != nil && s.stopped.Err() != nil {
		return result, s.left(run)
	}
	return result, unusable(s.flags.durably.store, err)
}

// toldSink remembers how far a run was told.
type toldSink struct {
	executor.Sink
	last int
}

// Write passes an event on.
func (t *toldSink) Write(e executor.Event) error {
	t.last = e.Sequence
	return t.Sink.Write(e)
}

// left says how a run goes on that this process has left in the store.
func (s *session) left(run string) error {
	d := s.flags.durably
	same := "the same command"
	if d.token == "" && d.run == "" {
		same = "the same command with --run " + run + ", without which it would begin another run"
	}
	return &exitError{code: exitInterrupted, err: fmt.Errorf(
		"the run %s goes on when its store is driven again (weft serve, or %s); to cancel it: weft runs cancel %s --store %s",
		run, same, run, withoutPassword(d.store))}
}

// closeDurable lets go of the runs.
func (s *session) closeDurable() {
	if s.store == nil {
		return
	}
	if err := s.store.Close(); err != nil {
		fmt.Fprintf(s.stdio.Err, "weft: close the store: %v\n", err)
	}
}
