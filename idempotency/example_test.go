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

// A profile says what is known of an API: here its keys, and that its 409 means that
// the work was done before.
func ExampleProfile() {
	stripe, _ := idempotency.ByName("stripe")
	profile := &idempotency.Profile{
		Name: "payments", Dialect: stripe,
		Statuses: map[int]idempotency.Class{409: idempotency.Succeeded},
	}
	fmt.Println(idempotency.Classify(idempotency.Observation{
		Written: true, Complete: true, Status: 409, Profile: profile,
	}))
	fmt.Println(profile.NotFoundSettles(10 * time.Second))
	// Output:
	// succeeded 409 is succeeded by the profile payments
	// false
}

// An API with a header of its own, which wants its keys in quotes.
func ExampleDialect() {
	dialect := idempotency.Plain("X-Request-Key")
	dialect.Format, dialect.MaxLength = idempotency.SFString, 20
	key, err := dialect.Encode("order-4711")
	fmt.Println(key.Value, err)
	_, err = dialect.Encode("order-4711-of-a-very-long-name")
	fmt.Println(err)
	// Output:
	// "order-4711" <nil>
	// idempotency key refused: X-Request-Key (x-request-key): the key has 30 characters, at most 20 are allowed
}

// An operation stays unknown though its next attempt was refused: the first may have
// had its effect.
func ExampleOperation() {
	operation := idempotency.Operation{Effectful: true}
	operation = operation.After(idempotency.Unknown, false, "timeout")
	operation = operation.After(idempotency.Rejected, false, "401")
	fmt.Println(operation.Class, operation.Settled())
	operation = operation.SettledBy("GET /orders/4711", idempotency.Succeeded)
	fmt.Println(operation.Class, operation.Settled())
	// Output:
	// unknown false
	// succeeded true
}

func ExampleBudget() {
	budget := idempotency.NewBudget(idempotency.DefaultBudget(), time.Now)
	budget.Request("api.example:443")
	decision := idempotency.Decide(idempotency.Situation{Limit: 3, Attempt: idempotency.NotSent})
	if decision.Verdict == idempotency.Retry && !budget.Retry("api.example:443") {
		decision = decision.Refused(idempotency.ReasonBudget)
	}
	fmt.Println(decision.Verdict, budget.Counts()["api.example:443"].Retries)
	// Output: retry 1
}
