package mock

import (
	"fmt"
	"net/http"
)

// perform carries a request out: checked against the description first, then by
// its idempotency key, with the planned fault where it belongs.
func (s *Server) perform(in *incoming, fault *livingFault, entry int) outcome {
	if refusal := s.examine(in, entry); refusal != nil {
		s.tooLate(fault, "the request was refused because it breaks the description")
		return outcome{reply: refusal}
	}
	if in.key != "" {
		s.ledger.change(entry, func(r *Request) { r.Key = in.key })
	}
	if fault.at(beforeKey) && s.hitsKey(fault, in) {
		if out, ok := s.breakDown(fault, in, entry, nil, false); ok {
			return out
		}
	}
	if in.key == "" || fault.is(KeyIgnored) {
		if fault.at(atKey) && s.hitsKey(fault, in) {
			s.fire(fault, entry)
		}
		return s.carryOut(in, fault, entry, nil)
	}
	return s.byKey(in, fault, entry)
}

// hitsKey tells whether the request has a key that the fault can act on.
func (s *Server) hitsKey(f *livingFault, in *incoming) bool {
	switch {
	case in.key == "":
		s.faults.missed(f, "the request bore no key")
	case f.Kind == QuotedKeyRefused && !quoted(in.key):
		s.faults.missed(f, "the key of the request was not in quotes")
	default:
		return true
	}
	return false
}

// byKey does what the key of a request stands for.
func (s *Server) byKey(in *incoming, fault *livingFault, entry int) outcome {
	held := &claim{book: s.keys, id: in.keyID()}
	if fault.at(atKey) {
		if !s.keys.knows(held.id) {
			s.faults.missed(fault, "the key of the request had not come before")
		} else if fault.Kind == KeyExpiredRejects {
			out, _ := s.breakDown(fault, in, entry, nil, false)
			return out
		} else {
			s.fire(fault, entry)
			s.keys.release(held.id)
		}
	}
	how, answer := s.keys.begin(held.id, in.fingerprint())
	switch how {
	case keyInFlight:
		s.tooLate(fault, "a request with the same key was in flight")
		return outcome{reply: problem(http.StatusConflict, "key-in-flight",
			fmt.Sprintf("A request with this %s is in flight; ask again with the same key.", in.keyHeader)).with("Retry-After", "1")}
	case keyMismatch:
		s.tooLate(fault, "the key had come before with another content")
		return outcome{reply: problem(http.StatusUnprocessableEntity, "key-reused",
			fmt.Sprintf("This %s came before with another content.", in.keyHeader))}
	case keyAnswered:
		return s.replay(in, answer, fault, entry, held)
	}
	return s.carryOut(in, fault, entry, held)
}

// tooLate writes down that a fault which was still to act cannot any more.
func (s *Server) tooLate(f *livingFault, why string) {
	if f != nil {
		s.faults.missed(f, why)
	}
}

// examine refuses a request that breaks the description or lacks a key that is
// required. What is wrong is told in the ledger too.
func (s *Server) examine(in *incoming, entry int) *reply {
	status, findings := in.route.known.examined.check(in)
	if status == 0 {
		return nil
	}
	s.ledger.change(entry, func(r *Request) {
		r.Key = in.key
		for _, f := range findings {
			r.Findings = append(r.Findings, f.String())
		}
	})
	if in.chosen != nil {
		return nil
	}
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
func (s *Server) carryOut(in *incoming, fault *livingFault, entry int, held *claim) outcome {
	if fault.at(beforeEffect) {
		if out, ok := s.breakDown(fault, in, entry, nil, false); ok {
			out.then = held.release // while it hangs, the key is in flight
			return out
		}
	}
	if fault.is(ReadNotFound) {
		out, _ := s.breakDown(fault, in, entry, nil, false)
		return out
	}
	if in.refuses() {
		s.tooLate(fault, "the request was refused by an answer that was chosen")
		held.release()
		return outcome{reply: in.asChosen(nil)}
	}
	in.stale = fault.is(ReadStale)
	if in.outbox = s.outbox.Load(); in.outbox != nil && in.effectful() {
		in.sends = s.routes.sends[in.route]
	}
	answer, done := s.world.act(in)
	answer = in.asChosen(answer)
	if in.effectful() && answer.status/100 == 2 {
		s.ledger.effect(entry, Effect{
			Source: in.route.source, Operation: in.route.name, Key: in.key,
			Resource: done.resource, Reference: done.reference,
		})
	}
	held.complete(answer)
	if len(done.messages) > 0 {
		in.outbox.dispatch(entry, done.messages)
	}
	switch {
	case fault.at(afterEffect):
		return s.after(in, fault, entry, held, answer, false)
	case fault.at(onRead):
		return s.misread(in, fault, entry, answer)
	}
	return outcome{reply: answer}
}

// misread answers a read with what is not, or not any more, so.
func (s *Server) misread(in *incoming, fault *livingFault, entry int, answer *reply) outcome {
	if fault.Kind != ReadStale {
		wrong := fault.misread(in, answer)
		if wrong == nil {
			s.faults.missed(fault, "the answer told no state")
			return outcome{reply: answer}
		}
		answer = wrong
	}
	s.fire(fault, entry)
	return outcome{reply: answer}
}

// replay gives an answer again. A fault befalls it like any other request, but
// there is no effect that could come before or after it.
func (s *Server) replay(in *incoming, answer *reply, fault *livingFault, entry int, held *claim) outcome {
	if fault.at(beforeEffect) || fault.at(afterEffect) {
		return s.after(in, fault, entry, held, answer, true)
	}
	return outcome{reply: answer, replayed: true}
}

// after lets a fault act on an answer that there is, and on what is kept of it.
func (s *Server) after(in *incoming, fault *livingFault, entry int, held *claim, answer *reply, replayed bool) outcome {
	if in.key == "" && fault.group == onKeys {
		s.faults.missed(fault, "the request bore no key")
		return outcome{reply: answer}
	}
	out, ok := s.breakDown(fault, in, entry, answer, replayed)
	if !ok {
		return outcome{reply: answer, replayed: replayed}
	}
	switch fault.Kind {
	case Replayed500:
		held.complete(out.reply)
	case ConflictForEver:
		s.keys.stick(held.id)
	}
	return out
}
