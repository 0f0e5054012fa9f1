package idempotency_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
	"github.com/weft-flow/weft/idempotency/sqlite"
)

// payment is a request to be done once, by a named owner.
func payment(owner, body string) idempotency.Start {
	return idempotency.Start{
		Claim: idempotency.Claim{
			Key:   idempotency.RecordKey{Principal: "shop", Scope: "POST /payments", Key: "order-4711"},
			Owner: owner,
		},
		Fingerprint: idempotency.FingerprintRequest("POST", "/payments", "", []byte(body)),
		Lease:       time.Minute,
	}
}

// order is the claim of a token by a run.
func order(run, inputs string) idempotency.TokenClaim {
	return idempotency.TokenClaim{
		Token: idempotency.Token{Tenant: "shop", Workflow: "placeOrder", Name: "order-4711"},
		Run:   run, Fingerprint: idempotency.FingerprintBytes([]byte(inputs)),
	}
}

// check stops an example; a program handles the error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Two requests are the same work if they have the same fingerprint.
func ExampleFingerprint() {
	first := idempotency.FingerprintRequest("POST", "/payments", "", []byte(`{"amount":12}`))
	other := idempotency.FingerprintRequest("POST", "/payments", "", []byte(`{"amount":21}`))
	fmt.Println(first == other, first.String()[:8])
	// Output: false 1e6c7673
}

// A store removes what is over, a little at a time.
func ExampleStore() {
	ctx := context.Background()
	now := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	var store idempotency.Store = memory.New(func() time.Time { return now })
	start := payment("owner-1", `{}`)
	_, err := store.Begin(ctx, start)
	check(err)
	check(store.Complete(ctx, start.Claim, []byte("paid"), 24*time.Hour))
	now = now.Add(24 * time.Hour)
	fmt.Println(store.Purge(ctx, 100))
	// Output: 1 <nil>
}

// accept claims the token of a run and writes the run in one transaction, on whatever
// database: T is *sql.Tx for package sqlite, pgx.Tx for package postgres.
func accept[T any](ctx context.Context, store idempotency.Transactional[T], tx T, run string, write func(T) error) error {
	if _, err := store.In(tx).Claim(ctx, order(run, `{}`)); err != nil {
		return err // the caller rolls back: no run is there
	}
	return write(tx)
}

func ExampleTransactional() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := sql.Open("sqlite", sqlite.DSN(filepath.Join(dir, "runs.db")))
	check(err)
	defer func() { _ = db.Close() }()
	store, err := sqlite.New(ctx, db)
	check(err)
	defer func() { _ = store.Close() }()
	for _, run := range []string{"run-1", "run-2"} {
		tx, err := db.BeginTx(ctx, nil)
		check(err)
		err = accept(ctx, store, tx, run, func(*sql.Tx) error {
			fmt.Println("writes", run)
			return nil
		})
		if err != nil {
			fmt.Println(run, "is refused:", err)
			check(tx.Rollback())
			continue
		}
		check(tx.Commit())
	}
	// Output:
	// writes run-1
	// run-2 is refused: the token is held by the run run-1 with the same inputs (accepted)
}

func ExampleRecords() {
	ctx := context.Background()
	var records idempotency.Records = memory.New(time.Now)
	for _, owner := range []string{"owner-1", "owner-2"} {
		begun, err := records.Begin(ctx, payment(owner, `{}`))
		fmt.Println(owner, begun.State, err)
	}
	// Output:
	// owner-1 started <nil>
	// owner-2 in progress <nil>
}

// The same key of another principal is another record.
func ExampleRecordKey() {
	mine := idempotency.RecordKey{Principal: "shop", Scope: "POST /payments", Key: "1"}
	yours := mine
	yours.Principal = "other shop"
	fmt.Println(mine.ID() == yours.ID(), yours.Check())
	// Output: false <nil>
}

// Who is not the owner, or not any more, can store nothing.
func ExampleClaim() {
	ctx := context.Background()
	store := memory.New(time.Now)
	start := payment("owner-1", `{}`)
	_, err := store.Begin(ctx, start)
	check(err)
	other := idempotency.Claim{Key: start.Key, Owner: "owner-2"}
	fmt.Println(errors.Is(store.Complete(ctx, other, nil, time.Hour), idempotency.ErrFenced))
	fmt.Println(store.Complete(ctx, start.Claim, nil, time.Hour))
	// Output:
	// true
	// <nil>
}

// An owner whose answer was lost begins again, and still is the owner.
func ExampleStart() {
	ctx := context.Background()
	store := memory.New(time.Now)
	start := payment(idempotency.NewOwner(), `{}`)
	for range 2 {
		begun, err := store.Begin(ctx, start)
		fmt.Println(begun.State, err)
	}
	// Output:
	// started <nil>
	// started <nil>
}

func ExampleBeginState() {
	ctx := context.Background()
	store := memory.New(time.Now)
	start := payment("owner-1", `{"amount":12}`)
	_, err := store.Begin(ctx, start)
	check(err)
	check(store.Complete(ctx, start.Claim, []byte("paid"), time.Hour))
	for _, body := range []string{`{"amount":12}`, `{"amount":21}`} {
		begun, err := store.Begin(ctx, payment("owner-2", body))
		switch {
		case err != nil:
			fmt.Println(err)
		case begun.State == idempotency.Replay:
			fmt.Printf("the answer was %s\n", begun.Answer)
		case begun.State == idempotency.Mismatch:
			fmt.Println("the key was used for another request")
		}
	}
	// Output:
	// the answer was paid
	// the key was used for another request
}

// What is there tells whether its owner is still believed to be at work.
func ExampleBegun() {
	ctx := context.Background()
	now := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	store := memory.New(func() time.Time { return now })
	_, err := store.Begin(ctx, payment("owner-1", `{}`))
	check(err)
	for range 2 {
		begun, err := store.Begin(ctx, payment("owner-2", `{}`))
		fmt.Println(begun.State, begun.Record.Owner, begun.Record.Over, err)
		now = now.Add(time.Minute)
	}
	// Output:
	// in progress owner-1 false <nil>
	// in progress owner-1 true <nil>
}

// An operator looks at what crashes have left.
func ExampleRecord() {
	ctx := context.Background()
	now := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	store := memory.New(func() time.Time { return now })
	start := payment("owner-1", `{}`)
	_, err := store.Begin(ctx, start)
	check(err)
	check(store.Hold(ctx, start.Claim, time.Minute, "payment 7"))
	now = now.Add(time.Hour)
	lapsed, err := store.Lapsed(ctx, 10)
	check(err)
	for _, record := range lapsed {
		fmt.Println(record.Key.Scope, record.Key.Key, record.Resource, record.Began.Format(time.TimeOnly))
	}
	// Output: POST /payments order-4711 payment 7 12:00:00
}

// Whoever has found out what became of a request takes it over and completes it. Its
// former owner, should it come back, is fenced.
func ExampleTakeover() {
	ctx := context.Background()
	now := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	store := memory.New(func() time.Time { return now })
	start := payment("owner-1", `{}`)
	_, err := store.Begin(ctx, start)
	check(err)
	now = now.Add(time.Minute)
	takeover := idempotency.Takeover{Key: start.Key, From: "owner-1", To: idempotency.NewOwner(), Lease: time.Minute}
	check(store.TakeOver(ctx, takeover))
	check(store.Complete(ctx, idempotency.Claim{Key: start.Key, Owner: takeover.To}, []byte("paid"), time.Hour))
	fmt.Println(store.Complete(ctx, start.Claim, []byte("late"), time.Hour))
	// Output: the claim has another owner
}

// A run's way with its token: claimed, running, ended and retained, free.
func ExampleTokens() {
	ctx := context.Background()
	now := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	var tokens idempotency.Tokens = memory.New(func() time.Time { return now })
	claim := order("run-1", `{}`)
	claim.Retention = 24 * time.Hour
	_, err := tokens.Claim(ctx, claim)
	check(err)
	check(tokens.Mark(ctx, claim.Token, claim.Run, idempotency.Running, "pay"))
	show := func() {
		holder, err := tokens.Holder(ctx, claim.Token)
		fmt.Println(holder.Run, holder.State, err)
	}
	show()
	check(tokens.End(ctx, claim.Token, claim.Run, []byte("closed")))
	show()
	now = now.Add(claim.Retention)
	show()
	// Output:
	// run-1 running <nil>
	// run-1 ended <nil>
	//   the token is not held, or not by this run
}

func ExampleToken() {
	mine := idempotency.Token{Tenant: "shop", Workflow: "placeOrder", Name: "1"}
	yours := idempotency.Token{Tenant: "other shop", Workflow: "placeOrder", Name: "1"}
	fmt.Println(mine.ID() == yours.ID(), mine.Check("run-1"), errors.Is(mine.Check(""), idempotency.ErrInvalid))
	// Output: false <nil> true
}

// A start whose answer was lost is made again with the same candidate, and finds it.
func ExampleTokenClaim() {
	ctx := context.Background()
	store := memory.New(time.Now)
	for range 2 {
		holder, err := store.Claim(ctx, order("run-1", `{}`))
		fmt.Println(holder.Run, holder.State, err)
	}
	// Output:
	// run-1 accepted <nil>
	// run-1 accepted <nil>
}

func ExampleRunState() {
	claim := order("run-1", `{}`)
	for _, state := range []idempotency.RunState{idempotency.Accepted, idempotency.Running, idempotency.Ended} {
		fmt.Println(state, idempotency.CheckMark(claim.Token, claim.Run, state, "") == nil)
	}
	// Output:
	// accepted true
	// running true
	// ended false
}

// What an operator sees of a token.
func ExampleHolder() {
	ctx := context.Background()
	noon := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	store := memory.New(func() time.Time { return noon })
	claim := order("run-1", `{}`)
	claim.Retention, claim.Phase = 24*time.Hour, "claimed"
	_, err := store.Claim(ctx, claim)
	check(err)
	holder, err := store.Holder(ctx, claim.Token)
	check(err)
	fmt.Println(holder.Run, holder.State, holder.Phase, holder.Fingerprint == claim.Fingerprint)
	fmt.Println("retained for", holder.Retention(), "until", holder.Until.Format(time.DateTime))
	// Output:
	// run-1 accepted claimed true
	// retained for 24h0m0s until 2026-11-07 12:00:00
}

// Who has the same inputs joins; who has others never gets the result.
func ExampleHeldError() {
	ctx := context.Background()
	store := memory.New(time.Now)
	claim := order("run-1", `{"order":4711}`)
	claim.Retention = time.Hour
	_, err := store.Claim(ctx, claim)
	check(err)
	check(store.End(ctx, claim.Token, claim.Run, []byte("closed")))
	for _, inputs := range []string{`{"order":4711}`, `{"order":4712}`} {
		_, err := store.Claim(ctx, order("run-2", inputs))
		var held *idempotency.HeldError
		if errors.As(err, &held) {
			fmt.Printf("%v, %q, mismatch %v\n", held, held.Holder.Result, errors.Is(err, idempotency.ErrFingerprintMismatch))
		}
	}
	// Output:
	// the token is held by the run run-1 with the same inputs (ended), "closed", mismatch false
	// the token is held by the run run-1 with other inputs (ended), "", mismatch true
}
