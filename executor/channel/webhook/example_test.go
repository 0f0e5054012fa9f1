package webhook_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/channel/memory"
	"github.com/weft-flow/weft/executor/channel/webhook"
)

// A run opens its mailbox, a message comes over HTTP, twice, and the run reads it once.
func Example() {
	ctx := context.Background()
	hub := memory.New(memory.Options{})
	receiver, err := webhook.New(hub, webhook.Options{})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := webhook.Listen(receiver, webhook.ListenOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = listener.Close(ctx) }()

	where, err := executor.ParseLocator("$message.payload#/orderId")
	if err != nil {
		log.Fatal(err)
	}
	boxes := []executor.Mailbox{{
		Name: "paid", Kind: executor.WebhookBox, Source: "payments", Operation: "paymentChanged",
		Expect: []executor.Expectation{{Box: "paid", Where: where, Value: value.String("order-1")}},
	}}
	tokens, err := hub.Open(ctx, "run-1", boxes)
	if err != nil {
		log.Fatal(err)
	}
	address := webhook.Addresses(listener.URL(), boxes, tokens)["paid"]
	for range 2 {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(`{"orderId":"order-1"}`))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Webhook-Id", "msg_1")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		_ = answer.Body.Close()
		fmt.Println(answer.StatusCode)
	}
	http.DefaultClient.CloseIdleConnections()

	waiting, err := hub.Wait(ctx, "run-1", 0)
	if err != nil {
		log.Fatal(err)
	}
	defer waiting.Stop()
	message, err := waiting.Next(ctx)
	if err != nil {
		log.Fatal(err)
	}
	repeats, err := hub.Repeats(ctx, "run-1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d %s %s, came again %d times\n", message.Number, message.Identity, message.Body, repeats[0].Same)
	// Output:
	// 202
	// 202
	// 1 msg_1 {"orderId":"order-1"}, came again 1 times
}
