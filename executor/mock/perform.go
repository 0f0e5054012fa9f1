package mock

import (
	"context"
	"fmt"
	"net/http"
)

// perform carries a request out: checked against the description first, then by
// its idempotency key, with the planned fault before or after the effect.
func (s *Server) perform(ctx context.Context, in *incoming, fault *livingFault, entry int) outcome {
	refusal := s.examine(in, entry)
	if refusal != nil {
		return outcome{reply: refusal}
	}
	if in.key == "" {
		return s.carryOut(ctx, in, fault, entry, nil)
	}
	s.ledger.change(entry, func(r *Request) { r.Key = in.key })
	id := in.keyID()
	how, answer := s.keys.begin(id, in.fingerprint())
	switch how {
	case keyInFlight:
		return outcome{reply: problem(http.StatusConflict, "key-in-flight",
			fmt.Sprintf("A request with this %s is in flight; ask again with the same key.", in.keyHeader)).with("Retry-After", "1")}
	case keyMismatch:
		return outcome{reply: problem(http.StatusUnprocessableEntity, "key-reused",
			fmt.Sprintf("This %s came before with another content.", in.keyHeader))}
	case keyAnswered:
		return s.replay(ctx, answer, fault, entry)
	}
	return s.carryOut(ctx, in, fault, entry, &claim{book: s.keys, id: id})
}

// examine refuses a request that breaks the description or lacks a key that is
// required. What is wrong is told in the ledger too.
func (s *Server) examine(in *incoming, entry int) *reply {
	status, findings := in.check()
	if status == 0 {
		return nil
	}
	s.ledger.change(entry, func(r *Request) {
		r.Key = in.key
		for _, f := range findings {
			r.Findings = append(r.Findings, f.String())
		}
	})
	if in.keyNeeded && in.key == "" {
		return problem(status, "key-missing",
			fmt.Sprintf("The operation %s demands the header %s.", in.route.name, in.keyHeader), findings...)
	}
	return problem(status, "invalid-request",
		fmt.Sprintf("The request breaks the description of %s.", in.route.name), findings...)
}

// claim is a key that one request holds.
type claim struct {
	book *keyBook
	id   string
}

func (c *claim) complete(answer *reply) {
	if c != nil {
		c.book.complete(c.id, answer)
	}
}

func (c *claim) release() {
	if c != nil {
		c.book.release(c.id)
	}
}

// carryOut has the effect and makes the answer. A request that breaks down before
// its effect leaves its key as if it had never come.
func (s *Server) carryOut(ctx context.Context, in *incoming, fault *livingFault, entry int, held *claim) outcome {
	if fault.at(beforeEffect) {
		out := s.breakDown(ctx, fault, entry)
		held.release()
		return out
	}
	answer, resource := s.world.act(in)
	if in.effectful() && answer.status/100 == 2 {
		s.ledger.effect(entry, Effect{Source: in.route.source, Operation: in.route.name, Key: in.key, Resource: resource})
	}
	held.complete(answer)
	if fault.at(afterEffect) {
		return s.breakDown(ctx, fault, entry)
	}
	return outcome{reply: answer}
}

// replay gives an answer again. A fault befalls it like any other request, but
// there is no effect that could come before or after it.
func (s *Server) replay(ctx context.Context, answer *reply, fault *livingFault, entry int) outcome {
	if fault != nil {
		return s.breakDown(ctx, fault, entry)
	}
	return outcome{reply: answer, replayed: true}
}
