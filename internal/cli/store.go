package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

const (
	// defaultStore is the store of the commands that need one.
	defaultStore = "sqlite:weft.db"
	// keyVariable names the environment variable with the key that a store is encrypted
	// with: an argument could be seen by everybody on the machine.
	keyVariable = "WEFT_STORE_KEY"
)

// storeFlags say which store of runs is meant, and which of its runs.
type storeFlags struct {
	url      string
	json     bool
	tenant   string
	workflow string
	keep     time.Duration

	changed func(flag string) bool
}

func (f *storeFlags) define(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.url, "store", defaultStore, "the store of runs: sqlite:FILE or a postgres:// `URL`")
	flags.BoolVar(&f.json, "json", false, "write one JSON document (docs/runs.schema.json)")
	flags.StringVar(&f.tenant, "tenant", "", "of this tenant; for list, all of them unless it is given")
	flags.StringVarP(&f.workflow, "workflow", "w", "", "of this workflow `ID`")
	flags.DurationVar(&f.keep, "keep", 0, "first forget the runs that ended longer ago than this")
}

// openStore opens the store that a URL names. Nothing is executed by it.
func openStore(ctx context.Context, url string, o durable.Options) (*durable.Store, error) {
	o.Key = os.Getenv(keyVariable)
	store, err := durable.Open(ctx, url, o)
	if _, ok := durable.Advice(err); ok {
		return nil, unusable(url, err)
	}
	if err != nil {
		return nil, usage("--store: %w", err)
	}
	return store, nil
}

// mostForgotten bounds how many runs are forgotten in one go.
const mostForgotten = 500

// use opens the store for one command and closes it again.
func (f *storeFlags) use(cmd *cobra.Command, do func(context.Context, *durable.Store) error) (err error) {
	ctx := cmd.Context()
	f.changed = cmd.Flags().Changed
	if f.keep < 0 || f.changed("keep") && f.keep == 0 {
		return usage("--keep must be longer than nothing")
	}
	store, err := openStore(ctx, f.url, durable.Options{Existing: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for f.keep > 0 {
		forgotten, err := store.Forget(ctx, f.keep, mostForgotten)
		if err != nil {
			return unusable(f.url, fmt.Errorf("forget ended runs: %w", err))
		}
		if forgotten < mostForgotten {
			break
		}
	}
	return unusable(f.url, asUsage(do(ctx, store)))
}

// unusable marks an error that comes from a store which the user can mend, and says which
// and how.
func unusable(url string, err error) error {
	if advice, ok := durable.Advice(err); ok {
		return usage("--store %s: %s (%w)", withoutPassword(url), advice, err)
	}
	if errors.Is(err, durable.ErrIncomplete) {
		return usage("--store %s: %w", withoutPassword(url), err)
	}
	return err
}

// refusals are errors that the user can mend: what was asked for is not there, or is
// not so.
var refusals = []error{
	durable.ErrNoRun, durable.ErrRunEnded, durable.ErrNotUnknown, durable.ErrOtherRequest, durable.ErrAmbiguous, durable.ErrSettled, durable.ErrResponse, durable.ErrNotParked, durable.ErrMailboxFull,
	durable.ErrPage, durable.ErrSecretInput, durable.ErrRunExists, durable.ErrRunUnclear, durable.ErrSealed, idempotency.ErrNotHeld, idempotency.ErrInvalid,
}

// asUsage marks the errors that the user can mend.
func asUsage(err error) error {
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return usage("%w", err)
		}
	}
	return err
}
