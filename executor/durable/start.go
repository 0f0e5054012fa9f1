package durable

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	"github.com/google/uuid"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// Spec says which run is to be started.
type Spec struct {
	// Run is the id of the candidate: the run there will be. Empty: one is made. A
	// start that ended with an *UncertainError is made again with the id that it names.
	Run       string
	Bundle    *Bundle
	Workflows []string // ids of the workflows that are asked for; none: all
	Config    executor.Config
	Inputs    value.Value // an object, or absent
	Tenant    string      // empty: there is one only
	// Token names work of which one run at most is wanted at a time, for the tenant and
	// the workflows. Empty: there is no such limit.
	Token string
	// Retention is the least time from the start for which the token stays held.
	Retention time.Duration
	// Join says that the start means the run that holds the token, where that has the same
	// inputs: the error tells of it as ever, and the id of the candidate, where the Spec
	// has one, is bound to that run in the same transaction. The same start again is told
	// of the same run for as long as that is kept, also when it holds the token no more.
	Join bool
}

// Started is a run that was accepted.
type Started struct {
	Run      string
	Workflow string // the ids of its workflows, joined by commas
	// Again tells that it had been accepted before, by a start with the same id.
	Again bool
}

// The errors of a start, beside those of package idempotency: where the token is held
// the error wraps idempotency.ErrTokenHeld, and is a *idempotency.HeldError.
var (
	// ErrSecretInput tells that inputs hold a password and that the store has no key to
	// encrypt it with.
	ErrSecretInput = errors.New("an input is a password, and the store has no key to encrypt it with: set WEFT_STORE_KEY")
	// ErrRunExists tells that a run has the id of the candidate and is another one.
	ErrRunExists = errors.New("another run has this id")
	// ErrRunUnclear tells that a run has the id of the candidate, and that it is not known
	// whether it is the same: its inputs are encrypted under a key that the store lacks.
	ErrRunUnclear = errors.New("a run has this id, and its inputs cannot be compared")
)

// UncertainError tells that it is not known whether a run was accepted: the database
// did not answer. The same start made again with the same id finds that run, the one
// that it has joined, or makes it; never a second.
type UncertainError struct {
	Run   string
	Phase string // of the start, in which it failed
	Err   error
}

// Error tells what is uncertain, and the id to ask again with.
func (e *UncertainError) Error() string {
	return fmt.Sprintf("it is uncertain whether the run %s was accepted (%s): %v", e.Run, e.Phase, e.Err)
}

// Unwrap gives the fault beneath.
func (e *UncertainError) Unwrap() error { return e.Err }

// NotAcceptedError tells that a start failed before it could be committed: by it no run was
// accepted. An earlier start with the same id may have been.
type NotAcceptedError struct {
	Run string // the id of the candidate
	Err error
}

// Error tells that nothing was started, and why.
func (e *NotAcceptedError) Error() string {
	return fmt.Sprintf("no run was accepted by this start: %v", e.Err)
}

// Unwrap gives the fault beneath.
func (e *NotAcceptedError) Unwrap() error { return e.Err }

// candidate is a run that is to be accepted, as it will be kept.
type candidate struct {
	Spec
	workflow       string
	bundle, config []byte
	inputs         []byte // as JSON; the row holds it closed
	fingerprint    idempotency.Fingerprint
}

// Start accepts a run: in one transaction its token is claimed, what it is made of is
// kept, and it is put in line for the nodes that drive. Of any number of starts with
// one token one is accepted; the others get an error that tells of the run that holds
// it. Nothing has been executed when Start returns.
//
// The error is a *RefusedError, *executor.InputError or *executor.UndeclaredInputError
// where the run could not be executed, a
// *NotAcceptedError where the database failed before the commit, and a *UncertainError
// where it is not known whether the run was accepted.
func (s *Store) Start(ctx context.Context, spec Spec) (Started, error) {
	c, err := s.candidate(ctx, spec)
	if err != nil {
		return Started{}, err
	}
	started := Started{Run: c.Run, Workflow: c.workflow}
	const atCommit = "at the commit"
	phase := ""
	s.reach("before start")
	var held *idempotency.HeldError
	err = s.db.within(ctx, func(tx *transaction) error {
		held = nil
		var err error
		if started.Again, err = s.accept(ctx, tx, c); errors.As(err, &held) && held.Same && spec.Join && spec.Run != "" {
			err = bind(ctx, tx, c, held.Holder.Run)
		}
		if err == nil && !started.Again {
			phase = atCommit
		}
		return err
	})
	if held != nil && err == nil {
		err = held
	}
	switch {
	case errors.As(err, &held):
		s.log.Info("start refused: the token is held", "token", c.Token, "holder", held.Holder.Run, "same", held.Same)
		return Started{}, held
	case errors.Is(err, idempotency.ErrInvalid), errors.Is(err, ErrRunExists), errors.Is(err, ErrRunUnclear):
		return Started{}, err
	case err != nil && phase == "":
		return Started{}, &NotAcceptedError{Run: c.Run, Err: err}
	case err != nil:
		return Started{}, &UncertainError{Run: c.Run, Phase: phase, Err: err}
	}
	s.reach("after start")
	return started, nil
}

func (s *Store) candidate(ctx context.Context, spec Spec) (*candidate, error) {
	c := &candidate{Spec: spec}
	if c.Run == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return nil, fmt.Errorf("make a run id: %w", err)
		}
		c.Run = id.String()
	}
	if spec.Bundle == nil {
		return nil, fmt.Errorf("%w: a run is started with the bundle of a document", idempotency.ErrInvalid)
	}
	c.Config.Tenant = spec.Tenant
	var err error
	if c.bundle, err = spec.Bundle.encode(); err != nil {
		return nil, fmt.Errorf("keep the document: %w", err)
	}
	if c.config, err = json.Marshal(decided{Workflows: spec.Workflows, Config: c.Config}); err != nil {
		return nil, fmt.Errorf("keep the configuration: %w", err)
	}
	d, err := s.definitions.compile(ctx, c.bundle, c.config)
	if err != nil {
		return nil, err
	}
	if err := d.plan.CheckInputNames(spec.Inputs); err != nil {
		return nil, err
	}
	if err := d.plan.CheckInputs(spec.Inputs); err != nil {
		return nil, err
	}
	if s.seal == nil && d.plan.HasSecrets(spec.Inputs) {
		return nil, ErrSecretInput
	}
	c.workflow = strings.Join(d.plan.Workflows(), ",")
	c.inputs = value.AppendJCS(nil, spec.Inputs)
	c.fingerprint = s.seal.fingerprint(c.inputs)
	return c, nil
}

// accept does all of a start inside the transaction. again tells that it had been
// done.
func (s *Store) accept(ctx context.Context, tx *transaction, c *candidate) (again bool, err error) {
	// A start that was accepted before is that, whoever holds its token by now.
	if again, err = s.isAccepted(ctx, tx, c); again || err != nil {
		return again, err
	}
	if c.Token != "" {
		if err := s.claim(ctx, tx, c); err != nil {
			return false, err
		}
		if again, err = s.isAccepted(ctx, tx, c); again || err != nil {
			return again, err
		}
	}
	var names [3]digest
	for i, data := range [][]byte{c.bundle, c.config, s.seal.close(c.Run, c.inputs)} {
		names[i] = sha256.Sum256(data)
		if _, err := tx.exec(ctx, "INSERT INTO weft_blob (digest, data) VALUES ($1, $2) ON CONFLICT DO NOTHING", names[i][:], data); err != nil {
			return false, err
		}
	}
	_, err = tx.exec(ctx, `INSERT INTO weft_run (id, tenant, workflow, token, engine, state, status, reason, document, bundle, config, inputs,
		fingerprint, retention, created, began, ended, cancelled, node, waiting, parked)
		VALUES ($1, $2, $3, $4, $5, 'accepted', '', '', $6, $7, $8, $9, $10, $11, $12, 0, 0, 0, '', '', '')`,
		c.Run, c.Tenant, c.workflow, c.Token, Engine, c.Bundle.Name, names[0][:], names[1][:], names[2][:],
		c.fingerprint[:], c.Retention.Milliseconds(), milliseconds(s.now()))
	if err != nil {
		return false, err
	}
	if err := openInbox(ctx, tx, c.Run); err != nil {
		return false, err
	}
	_, err = dbos.Enqueue[string](s.dbos, Engine, workflowName, "", dbos.WithEnqueueTransaction(tx.raw), dbos.WithEnqueueWorkflowID(c.Run))
	return false, err
}

// claim claims the token. What the token's row says of its holder may be behind what
// the holder's own row says, which is the truth.
func (s *Store) claim(ctx context.Context, tx *transaction, c *candidate) error {
	name := token(c.Tenant, c.workflow, c.Token)
	claim := idempotency.TokenClaim{Token: name, Run: c.Run, Fingerprint: c.fingerprint, Retention: c.Retention}
	_, err := tx.tokens.Claim(ctx, claim)
	var held *idempotency.HeldError
	if !errors.As(err, &held) {
		return err
	}
	var state string
	var result, inputs []byte
	found, looking := one(ctx, tx, "SELECT r.state, r.result, i.data FROM weft_run r JOIN weft_blob i ON i.digest = r.inputs WHERE r.id = $1",
		[]any{held.Holder.Run}, &state, &result, &inputs)
	if looking != nil || !found {
		return errors.Join(looking, err)
	}
	if state == string(idempotency.Ended) && held.Holder.State != idempotency.Ended {
		if err := tx.tokens.End(ctx, name, held.Holder.Run, result); err != nil {
			return err
		}
		if _, err = tx.tokens.Claim(ctx, claim); !errors.As(err, &held) {
			return err
		}
	}
	held.Holder.State = idempotency.RunState(state)
	if !held.Same {
		held.Same, held.Unclear = s.hasInputs(held.Holder.Run, inputs, c.inputs)
	}
	return held
}

// hasInputs compares what is kept of a run's inputs with others. Fingerprints that were made
// under other keys tell nothing. The error tells that they cannot be compared.
func (s *Store) hasInputs(run string, kept, inputs []byte) (bool, error) {
	plain, err := s.seal.open(run, kept)
	if err != nil {
		return false, err
	}
	return bytes.Equal(plain, inputs), nil
}

// isAccepted tells whether the run is there already. A candidate that has joined another
// gets the error that it got then.
func (s *Store) isAccepted(ctx context.Context, c conn, candidate *candidate) (bool, error) {
	if err := s.bound(ctx, c, candidate); err != nil {
		return false, err
	}
	var tenant, workflow, token string
	var print []byte
	found, err := one(ctx, c, "SELECT tenant, workflow, token, fingerprint FROM weft_run WHERE id = $1 FOR UPDATE", []any{candidate.Run}, &tenant, &workflow, &token, &print)
	if err != nil || !found {
		return false, err
	}
	same := tenant == candidate.Tenant && workflow == candidate.workflow && token == candidate.Token
	if same {
		same, err = s.isOfInputs(ctx, c, candidate, print, candidate.Run)
	}
	if err == nil && !same {
		err = fmt.Errorf("%w: %s", ErrRunExists, candidate.Run)
	}
	return err == nil, err
}

// isOfInputs tells whether a run has the inputs of a candidate: by the fingerprint that was
// kept, and where that is another one, as under another key, by the run's own inputs.
func (s *Store) isOfInputs(ctx context.Context, c conn, candidate *candidate, print []byte, run string) (bool, error) {
	if string(print) == string(candidate.fingerprint[:]) {
		return true, nil
	}
	var kept []byte
	if _, err := one(ctx, c, "SELECT i.data FROM weft_run r JOIN weft_blob i ON i.digest = r.inputs WHERE r.id = $1", []any{run}, &kept); err != nil {
		return false, err
	}
	same, unclear := s.hasInputs(run, kept, candidate.inputs)
	if unclear != nil {
		return false, fmt.Errorf("%w: %s: %w", ErrRunUnclear, candidate.Run, unclear)
	}
	return same, nil
}
