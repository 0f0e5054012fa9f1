package check

import (
	"sync"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// Checker checks messages against their descriptions. It compiles each schema
// once, when it is first needed, and may be used by several goroutines. The
// zero Checker is ready.
type Checker struct {
	uses    sync.Map // *source.MediaType or *source.Parameter to *use
	shelves sync.Map // shelfKey to *shelf
}

// use is a schema as a representation, parameter or header uses it.
type use struct {
	once     sync.Once
	compiled *compiled
}

// of gives the schema of a representation, parameter or header. find looks for
// it in the description when it is first asked for.
func (c *Checker) of(what any, op *source.Operation, s side, find func(operation) cursor) *compiled {
	known, ok := c.uses.Load(what)
	if !ok {
		known, _ = c.uses.LoadOrStore(what, &use{})
	}
	u := known.(*use)
	u.once.Do(func() {
		at, _ := written(op)
		schema := find(at)
		if schema.isAbsent() {
			u.compiled = &compiled{gaps: []Gap{{Reason: "the schema is not at hand as its description writes it"}}}
			return
		}
		kept, _ := c.shelves.LoadOrStore(shelfKey{op.Written, s}, newShelf(at.dialect, s))
		u.compiled = kept.(*shelf).compile(schema)
	})
	return u.compiled
}

// Value holds the JSON value of a request body, however it was sent, against
// the schema of its representation, which is one of the operation's.
func (c *Checker) Value(op *source.Operation, media *source.MediaType, v value.Value) Result {
	var r Result
	s := c.of(media, op, inRequest, func(o operation) cursor { return o.requestBody(media) })
	r.body(s, v)
	return r
}

// body adds the faults of a JSON body.
func (r *Result) body(s *compiled, v value.Value) {
	faults, gaps := s.check(v)
	r.Gaps = append(r.Gaps, gaps...)
	for _, fault := range faults[:min(len(faults), MaxFindings)] {
		r.find(Finding{Kind: Body, Message: fault.Message, Pointer: fault.Pointer.String()})
	}
}
