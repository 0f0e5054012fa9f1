package memory_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/idempotency/memory"
)

// A message that may come twice is handled once.
func ExampleStore() {
	ctx := context.Background()
	store := memory.New(time.Now)
	for range 2 {
		start := idempotency.Start{
			Claim: idempotency.Claim{
				Key:   idempotency.RecordKey{Principal: "shop", Scope: "orders", Key: "message-1"},
				Owner: idempotency.NewOwner(),
			},
			Fingerprint: idempotency.FingerprintBytes([]byte(`{"order":4711}`)),
			Lease:       time.Minute,
		}
		begun, err := store.Begin(ctx, start)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q\n", begun.State, begun.Answer)
		if begun.State == idempotency.Started {
			if err := store.Complete(ctx, start.Claim, []byte("shipped"), time.Hour); err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output:
	// started ""
	// replay "shipped"
}

// Of two starts of the same work one is made; the other learns of it.
func ExampleStore_Claim() {
	ctx := context.Background()
	store := memory.New(time.Now)
	for _, run := range []string{"run-1", "run-2"} {
		_, err := store.Claim(ctx, idempotency.TokenClaim{
			Token:       idempotency.Token{Workflow: "order", Name: "order-4711"},
			Run:         run,
			Fingerprint: idempotency.FingerprintBytes([]byte(`{"order":4711}`)),
		})
		var held *idempotency.HeldError
		if errors.As(err, &held) {
			fmt.Println(run, "joins", held.Holder.Run, held.Same, held.Holder.State)
			continue
		}
		fmt.Println(run, "starts", err)
	}
	// Output:
	// run-1 starts <nil>
	// run-2 joins run-1 true accepted
}
