package httpcall

import "context"

type gateKey struct{}

// WithGate gives a context in which a request is sent only if gate allows it. It is
// asked right before the first byte of each request is written, after connections
// were opened and credentials were found: whoever may send for a limited time only
// can so hold to it. Its error means that nothing was sent, and is the outcome.
func WithGate(ctx context.Context, gate func() error) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

// pass asks the gate of the context, if there is one.
func pass(ctx context.Context) error {
	if gate, ok := ctx.Value(gateKey{}).(func() error); ok {
		return gate()
	}
	return nil
}
