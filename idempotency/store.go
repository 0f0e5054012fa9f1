package idempotency

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Store keeps records of requests and claims of tokens. Each verb is atomic: of any
// number of callers, in one process or in many, one wins, and the others are told
// so. There is no verb that reads a record in order to decide, on purpose.
//
// Times are those of the store: where several machines share a database, its clock
// counts, never theirs.
type Store interface {
	Records
	Tokens
	// Purge removes at most limit records and at most limit claims whose time is over,
	// and tells how many. An open record is never removed. It waits for nobody and
	// holds up nobody for long where limit is small.
	Purge(ctx context.Context, limit int) (removed int, err error)
}

// Transactional is a store whose verbs can be made part of an open transaction of
// its database, of type T.
type Transactional[T any] interface {
	Store
	// In gives the store with all its verbs inside the transaction: what they do
	// happens if and when it is committed. The transaction stays the caller's to end.
	In(tx T) Store
}

// The errors of a store. Any other is the database's, and tells nothing of whether
// the verb was done; each verb may be called again with the same arguments.
var (
	// ErrFenced tells that a claim is not the caller's, or not any more.
	ErrFenced = errors.New("the claim has another owner")
	// ErrTokenHeld tells that a run holds the token; errors.As gives a *HeldError.
	ErrTokenHeld = errors.New("the token is held")
	// ErrFingerprintMismatch tells that a token is held by a run with other inputs. It
	// comes with ErrTokenHeld.
	ErrFingerprintMismatch = errors.New("the token is held for other inputs")
	// ErrNotHeld tells that the token is free, or that the run that was named does not
	// hold it, or not any more.
	ErrNotHeld = errors.New("the token is not held, or not by this run")
	// ErrInvalid tells that the arguments of a verb break its rules.
	ErrInvalid = errors.New("not valid for an idempotency store")
)

// MaxName is the greatest length in bytes of each name that a store is given.
const MaxName = 4096

// checkNames holds each name (given with what it is called) to what every database
// can keep and compare.
func checkNames(names ...[2]string) error {
	for _, name := range names {
		what, text := name[0], name[1]
		switch {
		case len(text) > MaxName:
			return fmt.Errorf("%w: the %s has %d bytes, at most %d are kept", ErrInvalid, what, len(text), MaxName)
		case !utf8.ValidString(text):
			return fmt.Errorf("%w: the %s is not UTF-8", ErrInvalid, what)
		case strings.IndexByte(text, 0) >= 0:
			return fmt.Errorf("%w: the %s holds a NUL", ErrInvalid, what)
		}
	}
	return nil
}

func wanted(what string) error { return fmt.Errorf("%w: it has no %s", ErrInvalid, what) }

func checkTime(what string, d, least time.Duration) error {
	if d < least {
		return fmt.Errorf("%w: a %s of %v, at least %v is wanted", ErrInvalid, what, d, least)
	}
	return nil
}
