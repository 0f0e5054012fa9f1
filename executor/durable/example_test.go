package durable_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

// A run is started under a token, which is good for one run: whoever starts it again
// is told of that run, and may wait for its result.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})) // your API
	defer server.Close()
	for name, text := range map[string]string{
		"api.yaml":  "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {/ping: {get: {operationId: ping, responses: {'200': {description: ok}}}}}",
		"flow.yaml": "arazzo: 1.1.0\ninfo: {title: f, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\nworkflows: [{workflowId: ask, steps: [{stepId: ping, operationId: ping}]}]",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	store, err := durable.Open(ctx, "sqlite:"+filepath.Join(dir, "weft.db"), durable.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Drive(ctx, durable.DriveOptions{}); err != nil {
		log.Fatal(err)
	}
	bundle, err := durable.Load(ctx, filepath.Join(dir, "flow.yaml"), source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	spec := durable.Spec{Bundle: bundle, Token: "monday", Config: executor.Config{Servers: map[string]string{"api": server.URL}}}
	started, err := store.Start(ctx, spec)
	if err != nil {
		log.Fatal(err)
	}
	_, err = store.Start(ctx, spec)
	var held *idempotency.HeldError
	if errors.As(err, &held) {
		fmt.Println("held by the same run:", held.Holder.Run == started.Run, "with the same inputs:", held.Same)
	}
	result, err := store.Wait(ctx, started.Run)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Status)
	// Output:
	// held by the same run: true with the same inputs: true
	// succeeded
}
