package contract_test

import (
	"fmt"
	"net/http"

	"github.com/jarcoal/httpmock"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
)

// t stands for the *testing.T of a test.
var t = printer{}

type printer struct{}

func (printer) Helper()                      {}
func (printer) Errorf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (printer) Fatalf(f string, args ...any) { fmt.Printf(f+"\n", args...) }
func (printer) Cleanup(func())               {}

// A workflow is run through a client of one's own against its mocked APIs, and what must
// have come of it is claimed. Nothing is printed: every claim holds.
func Example() {
	client := &http.Client{}

	doc := contract.Load(t, "../../specs/orderflow/order.arazzo.yaml")
	doc.Use(client)
	run := doc.Run(t, "placeOrder", contract.Inputs{"orderReference": "order-7"})

	run.Status(executor.Succeeded)
	run.Output("status", "CLOSED")
	run.Calls("createOrder", "requestPayment", "closeOrder", "getOrder")
	run.Key("createOrder", "create-order-7")
	run.Effects(map[string]int{"createOrder": 1, "requestPayment": 1, "closeOrder": 1})
	// Output:
}

// A responder of one's own answers for one operation; the others answer as they are
// described.
func ExampleDocument_Respond() {
	doc := contract.Load(t, "../../specs/orderflow/order.arazzo.yaml")
	doc.Respond("requestPayment", httpmock.NewStringResponder(http.StatusUnprocessableEntity, `{"title": "refused"}`))
	run := doc.Run(t, "placeOrder", nil)

	run.State("FAILED")
	fmt.Println(run.Result.Status)
	// Output: recovered
}

// A planned fault breaks the API down: here the payment is made, and nothing is answered.
// The flow asks instead of paying again.
func ExampleDocument_Break() {
	doc := contract.Load(t, "../../specs/orderflow/order.arazzo.yaml")
	doc.Break(mock.Fault{Operation: "requestPayment", Kind: mock.HangAfterEffect})
	run := doc.Run(t, "placeOrder", nil)

	run.Called("requestPayment", 1)
	run.Called("getPaymentByReference", 1)
	run.Took("requestPayment", "askFirst")
	// Output:
}

// Every action and every fault, as weft test has them, in one call.
func ExampleDocument_Everything() {
	doc := contract.Load(t, "../../specs/orderflow/order.arazzo.yaml")
	report := doc.Everything(t, contract.Options{Budget: -1})

	covered := report.Workflows[0].Coverage
	fmt.Println(covered.Actions.Covered, "of", covered.Actions.Total, "actions")
	// Output: 31 of 31 actions
}
