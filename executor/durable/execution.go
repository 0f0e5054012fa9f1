package durable

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// execution is one attempt of one node to bring a run to its end: from the beginning,
// through what is recorded, to what is not yet. It is the Runtime of the run.
type execution struct {
	store  *Store
	driver *driver
	ctx    dbos.Context
	run    string
	id     string // of this execution: the nonce of its requests
	lease  *term
	news   *listener
	owned  owned
	acts   bool // it has one of the node's slots

	compiled   *compiled
	connection *Connection
	inputs     value.Value
	token      idempotency.Token
	recorded   int // how many records there were when the execution began
	records    int // how many this execution has passed
	told       int // the number of the last event that is kept
	pending    []pendingEvent
	waiting    bool // the row says what the run waits for
	// shown is the result as the last event has it, with secrets masked; nil before that.
	shown *executor.Result
	// credentials names those with which the run began.
	credentials []string
	settled     int       // the number of the last settlement that the run was told
	asked       *question // nil: it has not asked
	// heard names the records of settlements that there were when the execution began, by
	// how many came before.
	heard map[int]string
	// prepared names the records of requests, in the same way.
	prepared map[int]string
}

var _ executor.Runtime = (*execution)(nil)

// execute is what DBOS knows as the workflow. It returns when the run has ended, and
// only then: whatever else happens ends the execution and leaves the run as it is.
//
// The interpreter has a goroutine of its own. What a run that waits for days holds is
// mostly the stack, and two small ones are less than one that is as deep as both.
func (s *Store) execute(ctx dbos.Context, _ string) (string, error) {
	run, err := dbos.GetWorkflowID(ctx)
	if err != nil {
		return "", err // it is not called by DBOS
	}
	ended := make(chan bool, 1)
	go func() {
		over := false
		defer func() { ended <- over }() // also where the execution was left
		s.interpret(ctx, run)
		over = true
	}()
	if !<-ended {
		runtime.Goexit()
	}
	return "", nil
}

// interpret brings a run to its end, or leaves it.
func (s *Store) interpret(ctx dbos.Context, run string) {
	x := &execution{store: s, driver: s.driver, ctx: ctx, run: run, id: uuid.NewString(), news: s.news.listen(run)}
	defer x.news.stop()
	defer x.rest()
	defer func() {
		if fault := recover(); fault != nil {
			x.store.log.Error("a run is parked: the program failed", "run", run, "fault", fault, "stack", string(debug.Stack()))
			x.leave(&permanentError{fmt.Errorf("the program failed: %v", fault)})
		}
	}()
	x.act()
	if x.driver.isStopping() {
		x.leave(errClosing)
	}
	x.lease = s.driver.term()
	x.begin()
	result, err := x.compiled.plan.Run(ctx, x, executor.Start{
		Inputs: x.inputs, Sink: x, Secrets: x.connection.Secrets, Learned: x.connection.Learned,
	})
	if err != nil {
		x.leave(&permanentError{err})
	}
	if x.shown != nil {
		result = *x.shown // what is kept is for everybody who may see the run
	}
	x.finish(result)
}

// begin reads what is kept of the run.
func (x *execution) begin() {
	s := x.store
	var tenant, workflow, token string
	var bundle, config, inputs []byte
	found, err := one(x.ctx, s.db, `SELECT r.tenant, r.workflow, r.token, b.data, c.data, i.data FROM weft_run r
		JOIN weft_blob b ON b.digest = r.bundle JOIN weft_blob c ON c.digest = r.config JOIN weft_blob i ON i.digest = r.inputs
		WHERE r.id = $1`, []any{x.run}, &tenant, &workflow, &token, &bundle, &config, &inputs)
	x.must(err)
	if !found {
		x.leave(&permanentError{errors.New("what the run is made of is not in the store")})
	}
	// The run is this node's from here on: what keeps it from being executed is told.
	_, err = s.db.exec(x.ctx, "UPDATE weft_run SET node = $2, parked = '', waiting = '' WHERE id = $1 AND state <> 'ended'", x.run, s.node)
	x.must(err)
	x.token = idempotency.Token{Tenant: tenant, Workflow: workflow, Name: token}
	if x.compiled, err = s.definitions.compile(x.ctx, bundle, config); err != nil && x.ctx.Err() == nil {
		x.leave(&permanentError{err})
	}
	x.must(err)
	x.connection, err = x.compiled.connect(x.ctx, x.driver.options.Connect)
	if err != nil {
		x.leave(&permanentError{err})
	}
	plain, err := s.seal.open(x.run, inputs)
	if err != nil {
		x.leave(&permanentError{err})
	}
	if x.inputs, err = value.ParseJSON(plain); err != nil {
		x.leave(&permanentError{fmt.Errorf("read the inputs: %w", err)})
	}
	x.inputs = orAbsent(x.inputs)
	_, err = one(x.ctx, s.db, "SELECT coalesce(max(sequence), 0) FROM weft_event WHERE run = $1", []any{x.run}, &x.told)
	x.must(err)
	steps, err := dbos.GetWorkflowSteps(s.dbos, x.run, dbos.WithStepsLoadOutput(false))
	x.must(err)
	x.recorded = len(steps)
	x.heard, x.prepared = named(steps, settledSuffix), named(steps, preparedSuffix)
	_, err = s.db.exec(x.ctx, "UPDATE weft_inbox SET waits = 0 WHERE run = $1", x.run)
	x.must(err)
}

// named gives the names of the records that end so, by how many came before; nil: none.
func named(steps []dbos.StepInfo, suffix string) (names map[int]string) {
	for n, step := range steps {
		if strings.HasSuffix(step.StepName, suffix) {
			if names == nil {
				names = map[int]string{}
			}
			names[n] = step.StepName
		}
	}
	return names
}

// finish records the end: the result and, right after, that the token is free. Where
// the process dies in between, whoever asks for the token does the second.
func (x *execution) finish(result executor.Result) {
	s := x.store
	transact(x, "finish", func(ctx context.Context, c conn) (struct{}, error) {
		kept, err := s.keepResult(x.run, result)
		if err != nil {
			return struct{}{}, err
		}
		_, err = c.exec(ctx, `UPDATE weft_run SET state = 'ended', status = $2, reason = $3, ended = $4, result = $5, waiting = '', parked = ''
			WHERE id = $1`, x.run, string(result.Status), result.Reason, milliseconds(s.now()), kept)
		if err == nil {
			err = s.hub.end(ctx, c, x.run)
		}
		return struct{}{}, err
	})
	s.news.wake(x.run)
	x.driver.forget(x.run)
	record(x, "free", func(ctx context.Context) (struct{}, error) {
		if x.token.Name == "" {
			return struct{}{}, nil
		}
		kept, err := s.keepResult(x.run, result)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, s.db.tokens.End(ctx, x.token, x.run, kept)
	})
}

// record does body once in the life of the run, and gives what it gave then. Its
// error is a fault of the machinery, never an outcome.
func record[T any](x *execution, name string, body func(context.Context) (T, error)) T {
	x.store.reach("before " + name)
	do := func(ctx context.Context) (string, error) {
		out, err := body(ctx)
		x.must(err)
		text, err := x.store.write(ctx, x.store.db, x.run, out)
		x.must(err)
		x.store.reach("within " + name)
		return text, nil
	}
	if x.owned.word == "" {
		text, err := dbos.RunAsStep(x.ctx, do, dbos.WithStepName(name), dbos.WithStepMaxRetries(0))
		return recorded[T](x, name, text, err)
	}
	began := time.Now()
	text, err := do(x.ctx)
	if err == nil {
		err = x.ctx.Err() // what was given up because the store is being closed is no outcome
	}
	if err == nil {
		err = x.addOutcome(name, text, began)
	}
	return recorded[T](x, name, text, err)
}

// transact does body once in the life of the run, in the transaction in which it is
// recorded; the events that came before it are kept in the same.
func transact[T any](x *execution, name string, body func(context.Context, conn) (T, error)) T {
	x.store.reach("before " + name)
	do := func(ctx context.Context, c conn) (text string, err error) {
		if err := x.keepEvents(ctx, c); err != nil {
			return "", err
		}
		out, err := body(ctx, c)
		if err != nil {
			return "", err
		}
		return x.store.write(ctx, c, x.run, out)
	}
	var text string
	var err error
	if x.owned.word == "" {
		_, named := any(*new(T)).(prepared)
		text, err = x.transactByJournal(name, named, do)
	} else {
		text, err = x.add(name, false, do)
	}
	out := recorded[T](x, name, text, err)
	if len(x.pending) > 0 {
		x.pending = x.pending[:0]
		x.store.news.tell(x.run) // who follows it in this process
	}
	return out
}

// transactByJournal has the journal do what it has not recorded yet. Where the record
// names this execution, it learns by it that the run is its own.
func (x *execution) transactByJournal(name string, named bool, do func(context.Context, conn) (string, error)) (string, error) {
	var learned owned
	text, err := dbos.RunAsTransaction(x.ctx, x.store.source, func(ctx context.Context, tx dbos.Tx) (text string, err error) {
		c := stepConn{tx: tx, lite: x.store.db.lite != nil}
		if named {
			learned.word, err = x.owner(ctx, c)
		}
		if err == nil {
			text, err = do(ctx, c)
		}
		if err != nil && !x.driver.isRetryable(err) {
			x.leave(err)
		}
		learned.text = text
		return text, err
	}, dbos.WithStepName(name), dbos.WithStepMaxRetries(0))
	if err == nil && named && text == learned.text {
		x.owned = learned
	}
	return text, err
}

func recorded[T any](x *execution, name, text string, err error) (out T) {
	x.must(err)
	x.records++
	x.store.reach("after " + name)
	x.must(x.store.read(x.ctx, x.run, text, &out))
	return out
}

// must ends the execution where there is an error.
func (x *execution) must(err error) {
	if err != nil {
		x.leave(err)
	}
}

// permanentError is a fault that trying again does not mend.
type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// errLeaseOver tells that this node may not send any more, or not yet again.
var errLeaseOver = errors.New("the node's lease is over: it could not reach the database in time")

// errClosing tells that the store is being closed: nothing new is begun.
var errClosing = errors.New("the store is being closed")

// leave ends the execution and not the run: nothing is recorded any more, and the
// goroutine ends. Another execution goes on from what is recorded: on this node when
// the cause is over, or on another that takes the run over.
func (x *execution) leave(err error) {
	defer runtime.Goexit()
	var fault *dbos.Error
	var permanent *permanentError
	switch {
	case x.ctx.Err() != nil:
		return
	case errors.Is(err, errClosing):
		x.tell(nil)
		x.driver.giveBack(x.run)
		return
	case errors.Is(err, dbos.ErrConflictingWorkflowID):
		x.store.log.Info("another execution has taken the run over", "run", x.run)
		return
	case errors.As(err, &permanent), errors.Is(err, ErrSealed), errors.Is(err, dbos.ErrStepNondeterminism),
		errors.As(err, &fault) && fault.Code == dbos.ErrorCodeUnexpectedStep:
		x.store.log.Error("a run is parked", "run", x.run, "error", err)
	default:
		x.store.log.Warn("a run is parked and will be tried again", "run", x.run, "error", err)
		x.driver.later(x.run)
	}
	reason := err.Error()
	x.tell(&reason)
}

// tell keeps what is told of a run that is left: the events that came before, which
// would else be known only once it goes on, and why it is parked; nil: it is not.
func (x *execution) tell(parked *string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.ctx), 2*time.Second)
	defer cancel()
	err := x.store.db.within(ctx, func(tx *transaction) error {
		changed, err := tx.exec(ctx, "UPDATE weft_run SET parked = COALESCE($2, parked) WHERE id = $1 AND node = $3 AND state <> 'ended'",
			x.run, parked, x.store.node)
		if err != nil || changed == 0 || x.records < x.recorded { // a history that does not fit tells nothing new
			return err
		}
		x.pending = x.certain()
		return x.keepEvents(ctx, tx)
	})
	if err != nil { // where the database is away, which may be the cause, this fails as well
		x.store.log.Warn("tell what a run has come to", "run", x.run, "error", err)
	}
}
