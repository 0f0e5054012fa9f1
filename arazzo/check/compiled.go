package check

import (
	"errors"
	"fmt"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// compiled is a schema of a description, ready to be held against values.
type compiled struct {
	schema *schema.Schema // nil: nothing can be checked
	root   *node
	extent extent
	gaps   []Gap
}

// compile makes the schema at a place ready.
func compile(d dialect, s side, at cursor) *compiled {
	fail := func(reason string) *compiled { return &compiled{gaps: []Gap{gap(at.place, reason)}} }
	if d == foreign {
		return fail("a dialect of JSON Schema that is not understood")
	}
	t := translate(d, s, at)
	if t.full {
		return fail(fmt.Sprintf("the schema with all that it refers to has more than %d parts", maxNodes))
	}
	ready, err := schema.Compile("description", t.written(), "/$defs/0")
	if err != nil {
		return fail("the schema cannot be understood: " + reasonOf(err))
	}
	root := t.defs[0].node
	return &compiled{schema: ready, root: root, extent: measure(root), gaps: t.gaps}
}

func reasonOf(err error) string {
	var of *schema.CompileError
	if errors.As(err, &of) && len(of.Faults) > 0 {
		return of.Faults[0].Message
	}
	return err.Error()
}

// check gives the faults of a value, and what could not be checked.
func (s *compiled) check(v value.Value) (faults []schema.Fault, gaps []Gap) {
	if s.schema == nil {
		return nil, s.gaps
	}
	if !s.affordable(v) {
		return nil, append(s.gaps[:len(s.gaps):len(s.gaps)], gap(source.Place{}, "the value is too large or too deep to be held against its schema"))
	}
	for _, fault := range s.schema.Validate(v) {
		if fault.SchemaPointer == "" { // no keyword says no: it could not be checked
			return nil, append(s.gaps[:len(s.gaps):len(s.gaps)], gap(source.Place{}, "the value cannot be held against its schema: "+fault.Message))
		}
		faults = append(faults, fault)
	}
	return faults, s.gaps
}
