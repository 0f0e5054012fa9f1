package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// Subject is a store under test, with nothing in it.
type Subject struct {
	Store idempotency.Store
	// Another opens the same data through connections of its own, as another node
	// would; nil: the store is that of one process.
	Another func(t testing.TB) idempotency.Store
	// Advance makes the store's time go on by d, back where d is negative. For a
	// database it comes to the same to move the times that are kept the other way.
	Advance func(t testing.TB, d time.Duration)
}

// nodes gives the store once or, where it can be, through several connections.
func (s Subject) nodes(t testing.TB, n int) []idempotency.Store {
	stores := []idempotency.Store{s.Store}
	for s.Another != nil && len(stores) < n {
		stores = append(stores, s.Another(t))
	}
	return stores
}

type testCase struct {
	name string
	test func(t *testing.T, s Subject)
}

// Run runs all cases, each on a subject of its own.
func Run(t *testing.T, open func(t testing.TB) Subject) {
	for _, cases := range [][]testCase{recordCases, tokenCases, raceCases} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
		}
	}
	t.Run("Statement29AnyOrderOfVerbs", func(t *testing.T) { anyOrder(t, open(t)) })
	t.Run("Statement17AnyOrderOfTokenVerbs", func(t *testing.T) { anyTokenOrder(t, open(t)) })
}

const (
	lease     = time.Minute
	retention = time.Hour
)

func key(n int) idempotency.RecordKey {
	return idempotency.RecordKey{Principal: "shop", Scope: "POST /orders", Key: fmt.Sprint("key-", n)}
}

func start(n int, owner, work string) idempotency.Start {
	return idempotency.Start{
		Claim:       idempotency.Claim{Key: key(n), Owner: owner},
		Fingerprint: idempotency.FingerprintBytes([]byte(work)),
		Lease:       lease,
	}
}

func claimOf(n int, owner string) idempotency.Claim {
	return idempotency.Claim{Key: key(n), Owner: owner}
}

func token(name string) idempotency.Token {
	return idempotency.Token{Tenant: "shop", Workflow: "order", Name: name}
}

func tokenClaim(name, run, inputs string) idempotency.TokenClaim {
	return idempotency.TokenClaim{
		Token: token(name), Run: run, Fingerprint: idempotency.FingerprintBytes([]byte(inputs)), Phase: "claimed",
	}
}
