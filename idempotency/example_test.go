package idempotency_test

import (
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

func ExampleDeriveKey() {
	fmt.Println(idempotency.DeriveKey(idempotency.KeyParts{
		Tenant:   "shop",
		Document: "https://example.com/order.arazzo.yaml",
		RunKey:   "order-4711",
		Path:     []string{"placeOrder", "create", "1"},
	}))
	// Output: b096b155-52ef-51bd-aeed-908c1d204f5b
}

func ExampleChooseKey() {
	plan := idempotency.ChooseKey(idempotency.Choice{
		Method:   "POST",
		Declared: []idempotency.Declared{{Name: "Idempotency-Key"}},
	})
	key, err := plan.Key("order-4711")
	fmt.Println(key.Header, key.Value, err)
	fmt.Println(plan.Contract, plan.Reason)
	// Output:
	// Idempotency-Key order-4711 <nil>
	// true the API declares Idempotency-Key
}

// A payment timed out after it was sent. Whether it may be sent again depends on
// whether the API promised to honour its key.
func ExampleDecide() {
	timedOut := idempotency.Situation{
		Effectful: idempotency.Effectful("POST", ""),
		Attempt:   idempotency.Unknown, Operation: idempotency.Unknown,
		Limit: 3, RetryAfter: 2 * time.Second,
	}
	for _, contract := range []bool{false, true} {
		timedOut.Contract = contract
		decision := idempotency.Decide(timedOut)
		fmt.Printf("%s after %v: %s\n", decision.Verdict, decision.After, decision.Reason)
	}
	// Output:
	// withheld after 0s: the outcome is unknown, and the operation is unsafe to repeat
	// retry after 2s: with the same key
}
