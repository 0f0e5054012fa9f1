package check

import (
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// compiled is a schema of a description, ready to be held against values.
type compiled struct {
	schema *schema.Schema // nil: nothing can be checked
	root   *node
	extent extent
	gaps   []Gap
}

// check gives the faults of a value, and what could not be checked.
func (s *compiled) check(v value.Value) (faults []schema.Fault, gaps []Gap) {
	if s.schema == nil {
		return nil, s.gaps
	}
	if !s.affordable(v) {
		return nil, s.and("the value is too large or too deep to be held against its schema")
	}
	faults = s.schema.Validate(v)
	for _, fault := range faults {
		if fault.SchemaPointer == "" { // no keyword says no: it could not be checked
			return nil, s.and("the value cannot be held against its schema: " + fault.Message)
		}
	}
	return faults, s.gaps
}

// and gives the gaps of the schema with one more.
func (s *compiled) and(reason string) []Gap {
	return append(s.gaps[:len(s.gaps):len(s.gaps)], Gap{Reason: reason})
}
