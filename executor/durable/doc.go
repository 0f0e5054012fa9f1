// Package durable is the Runtime whose runs outlive their process: the interpreter of
// package executor, with each thing that it learns recorded in SQLite or PostgreSQL
// before it goes on. After a crash another execution begins at the beginning, is given
// what is recorded, and goes on from there, on the same machine or on another.
//
// A Store is one database of runs:
//
//	store, err := durable.Open(ctx, "sqlite:weft.db", durable.Options{})
//	err = store.Drive(ctx, durable.DriveOptions{})   // execute runs in this process
//	bundle, err := durable.Load(ctx, "order.arazzo.yaml", source.Options{})
//	started, err := store.Start(ctx, durable.Spec{Bundle: bundle, Token: "order-7"})
//	result, err := store.Wait(ctx, started.Run)
//	err = store.Close()
//
// Without Drive a store executes nothing, and is what looks at runs (List, Find, Show,
// Events, Follow, Result), hands them messages (Deliver), and acts on them (Cancel,
// Release, Settle, Resume, Forget). A held token is told by an error that is a
// *idempotency.HeldError: with Same, to Wait for its Holder.Run is to join it.
//
// How it is built: the journal of steps, the fencing of owners and the queue are those
// of DBOS (github.com/dbos-inc/dbos-transact-golang). The tables of this package,
// weft_run, weft_message, weft_event and others, and the tokens of the idempotency
// store are in the same database, and change in the same transactions. What is
// promised is in docs/durability.md.
//
// It imports executor, executor/httpcall, executor/channel, arazzo and the idempotency
// stores. It must never know terminals, flags, or the other runtimes.
package durable
