package live_test

import (
	"context"
	"fmt"
	"log"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/executor/mock"
)

// A workflow is run from a Go program: load, compile once, run many times.
func Example() {
	ctx := context.Background()
	loader := source.NewLoader(source.Options{})
	doc, location, _, err := loader.LoadDocument(ctx, "../../specs/orderflow/order.arazzo.yaml")
	if err != nil {
		log.Fatal(err)
	}
	set, _ := loader.Load(ctx, doc, location)
	receiver, err := live.Listen(live.ReceiverOptions{}) // where webhooks come in
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = receiver.Close(ctx) }()
	orders, payments, stop := play(set, receiver.URL()) // your servers
	defer stop()

	plan, refusals := executor.Compile(set, nil, executor.Config{
		Servers: map[string]string{"orders": orders, "payments": payments},
	})
	if len(refusals) > 0 {
		log.Fatal(refusals)
	}
	runtime := live.New(live.Options{Receiver: receiver})
	defer runtime.Close()
	result, err := plan.Run(ctx, runtime, executor.Start{
		Inputs: value.Object(value.Member{Name: "orderReference", Value: value.String("order-7")}),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status, result.Workflows[0].Outputs)
	// Output: succeeded {"orderId":"ord-1","status":"CLOSED"}
}

// play stands in for the order service and the payment service, which sends a webhook.
func play(set *source.Set, receiver string) (orders, payments string, stop func()) {
	server := mock.New([]mock.Source{
		{Name: "orders", Catalog: set.Source("orders").OpenAPI},
		{Name: "payments", Catalog: set.Source("payments").OpenAPI},
	}, mock.Options{})
	if err := server.SendWebhooks(mock.WebhookOptions{Target: receiver}); err != nil {
		log.Fatal(err)
	}
	base, closeServer, err := server.Listen("127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	return base + "/orders", base + "/payments", func() { _ = closeServer() }
}
