package durable

import (
	"context"

	"github.com/weft-flow/weft/executor"
)

// Observer is told what a node does, for measures and traces: not again what a replay
// gives again. Its functions are called by many runs at once, and hold them up. One that
// is nil is not called.
type Observer struct {
	// Request is told of each request of a run before it is sent. The context that it gives
	// is that of the request (httpcall.WithHeader), and the function is told what came of it.
	Request func(ctx context.Context, run string, call executor.Call) (context.Context, func(executor.Exchange))
	// Event is told of each event before it is kept: after a crash right then it is told again.
	Event func(executor.Event)
}

func (o Observer) request(ctx context.Context, run string, call executor.Call) (context.Context, func(executor.Exchange)) {
	if o.Request == nil {
		return ctx, func(executor.Exchange) {}
	}
	return o.Request(ctx, run, call)
}

func (o Observer) event(e executor.Event) {
	if o.Event != nil {
		o.Event(e)
	}
}
