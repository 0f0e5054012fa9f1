package idempotency_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/weft-flow/weft/idempotency"
)

// People see two keys apart, and cannot send one, by their digests.
func ExampleKey() {
	key := idempotency.Key{Header: "Idempotency-Key", Value: "order-4711"}
	other := idempotency.Key{Header: "Idempotency-Key", Value: "order-4712"}
	fmt.Println(key.Digest(), key.Digest() == other.Digest())
	// Output: 173d…e3 false
}

// Two genuine orders with the same content have keys of their own.
func ExampleKeyParts() {
	parts := idempotency.KeyParts{
		Document: "https://example.com/order.arazzo.yaml", RunKey: "order-4711", Path: []string{"placeOrder", "pay", "1"},
	}
	first := idempotency.DeriveKey(parts)
	fmt.Println(first == idempotency.DeriveKey(parts))
	parts.RunKey = "order-4712"
	fmt.Println(first == idempotency.DeriveKey(parts))
	// Output:
	// true
	// false
}

// What the step writes is sent; whether it is a contract is for others to say.
func ExampleChoice() {
	choice := idempotency.Choice{
		Method:  "POST",
		Written: []idempotency.Field{{Name: "Idempotency-Key", Value: "order-4711"}},
	}
	fmt.Println(idempotency.ChooseKey(choice).Contract)
	choice.Declared = []idempotency.Declared{{Name: "idempotency-key"}}
	fmt.Println(idempotency.ChooseKey(choice).Contract)
	// Output:
	// false
	// true
}

func ExampleField() {
	plan := idempotency.ChooseKey(idempotency.Choice{
		Method:  "PUT", // what is written is sent, whatever the method
		Written: []idempotency.Field{{Name: "PayPal-Request-Id", Value: "order-4711"}},
	})
	key, err := plan.Key("")
	fmt.Println(plan.Source, plan.Dialect.Name, key.Value, err)
	// Output: written paypal order-4711 <nil>
}

// A step says that its API takes keys in a header of its own.
func ExampleExtension() {
	plan := idempotency.ChooseKey(idempotency.Choice{
		Method:    "POST",
		Extension: &idempotency.Extension{Header: "X-Request-Key", Format: idempotency.SFString, OnStep: true},
	})
	key, err := plan.Key("4711")
	fmt.Println(plan.Contract, key.Header, key.Value, err)
	// Output: true X-Request-Key "4711" <nil>
}

// The schema of the declared header bounds the key.
func ExampleDeclared() {
	plan := idempotency.ChooseKey(idempotency.Choice{
		Method:   "POST",
		Declared: []idempotency.Declared{{Name: "Idempotency-Key", Quoted: true, MaxLength: 10}},
	})
	_, err := plan.Key("order-4711 and more")
	fmt.Println(plan.Dialect.Format, errors.Is(err, idempotency.ErrKey))
	// Output: sf-string true
}

func ExampleSource() {
	choice := idempotency.Choice{Method: "POST", Declared: []idempotency.Declared{{Name: "Idempotency-Key"}}}
	fmt.Println(idempotency.ChooseKey(choice).Source)
	choice.BusinessKey = "order-4711"
	fmt.Println(idempotency.ChooseKey(choice).Source)
	choice.Method = "GET"
	fmt.Println(idempotency.ChooseKey(choice).Source)
	// Output:
	// derived
	// business
	// none
}

// A refusal of Checkout.com is not kept: an earlier attempt may have had its effect.
func ExamplePlan() {
	for _, header := range []string{"Idempotency-Key", "Cko-Idempotency-Key"} {
		plan := idempotency.ChooseKey(idempotency.Choice{Method: "POST", Declared: []idempotency.Declared{{Name: header}}})
		fmt.Println(plan.Dialect.Kept, plan.Settles(idempotency.Rejected, 402), plan.Settles(idempotency.Succeeded, 201))
	}
	// Output:
	// all true true
	// success false true
}

func ExampleStatuses() {
	dialect, _ := idempotency.ByName("httpapi-draft")
	fmt.Println(dialect.Statuses.Missing, dialect.Statuses.InFlight, dialect.Statuses.Mismatch)
	// Output: 400 409 422
}

func ExampleKept() {
	for _, name := range []string{"stripe", "checkout.com", "paypal"} {
		dialect, _ := idempotency.ByName(name)
		fmt.Println(name, dialect.Kept == idempotency.KeptAll, dialect.Kept)
	}
	// Output:
	// stripe true all
	// checkout.com false success
	// paypal false state
}

func ExampleFormat() {
	for _, format := range []idempotency.Format{idempotency.Raw, idempotency.SFString, idempotency.UUID} {
		dialect := idempotency.Dialect{Header: "Idempotency-Key", Format: format}
		key, err := dialect.Encode("9b2c0a6e-0d0c-4d8f-8a3e-2f1f6f0b7c11")
		fmt.Println(key.Value, err)
	}
	// Output:
	// 9b2c0a6e-0d0c-4d8f-8a3e-2f1f6f0b7c11 <nil>
	// "9b2c0a6e-0d0c-4d8f-8a3e-2f1f6f0b7c11" <nil>
	// 9b2c0a6e-0d0c-4d8f-8a3e-2f1f6f0b7c11 <nil>
}

// A header that some dialects want beside the key says when the operation began.
func ExampleDialect_Companions() {
	dialect, _ := idempotency.ByName("repeatability")
	first := time.Date(2026, 11, 6, 12, 0, 0, 0, time.UTC)
	fmt.Println(dialect.Companions(first))
	// Output: map[Repeatability-First-Sent:Fri, 06 Nov 2026 12:00:00 GMT]
}
