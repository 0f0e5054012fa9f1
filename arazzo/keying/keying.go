package keying

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/idempotency"
)

// Level is where in a document something about keys is said.
type Level int

// The levels, from the nearest to a step to the farthest.
const (
	OfStep Level = iota
	OfWorkflow
	OfDocument
)

// Said is what is said about the key of a step.
type Said struct {
	// Extension is what x-weft-idempotency says, but for the key; nil where it stands at
	// no level.
	Extension *idempotency.Extension
	// Key is the value from which the key is derived, absent where none is named; Level
	// is where it stands.
	Key   arazzo.Text
	Level Level
	// Declared are the header fields that the operation declares.
	Declared []idempotency.Declared
}

// Of puts together what is said at each level, any of which may be nil, and by the
// operation, nil where the step calls none. What stands nearer to the step wins, field
// by field; the nearest extension there is says whether keys are off.
func Of(operation *source.Operation, step, workflow, document *arazzo.Idempotency) Said {
	said := Said{Declared: declaredBy(operation)}
	for level, x := range []*arazzo.Idempotency{OfStep: step, OfWorkflow: workflow, OfDocument: document} {
		if x != nil {
			said.add(Level(level), x)
		}
	}
	return said
}

func (s *Said) add(level Level, x *arazzo.Idempotency) {
	if s.Extension == nil {
		s.Extension = &idempotency.Extension{Off: x.Off}
	}
	if s.Extension.Header == "" && x.Header.Present() {
		s.Extension.Header, s.Extension.OnStep = x.Header.Value, level == OfStep
	}
	if s.Extension.Format == "" {
		s.Extension.Format = idempotency.Format(x.Format.Value)
	}
	if !s.Key.Present() && x.Key.Present() {
		s.Key, s.Level = x.Key, level
	}
}

func declaredBy(o *source.Operation) []idempotency.Declared {
	if o == nil {
		return nil
	}
	var declared []idempotency.Declared
	for _, p := range o.Params {
		if p.In != "header" {
			continue
		}
		d := idempotency.Declared{Name: p.Name}
		if p.Schema != nil {
			d.Quoted = strings.HasPrefix(p.Schema.Pattern, `^"`)
			if p.Schema.MaxLength != nil {
				d.MaxLength = int(*p.Schema.MaxLength)
			}
		}
		declared = append(declared, d)
	}
	return declared
}
