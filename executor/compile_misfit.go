package executor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/value"
)

// refuseMisfits refuses what is written for a called workflow and does not fit the
// schema of its inputs: the call would fail, after others were sent. All workflows are
// compiled by then.
func (c *compiler) refuseMisfits() {
	for _, w := range c.found {
		for _, s := range w.steps {
			if s.kind == callsWorkflow {
				c.refuseMisfit(w, fmt.Sprintf("step %q", s.id), s.target, s.arguments)
			}
			for _, act := range s.actions() {
				c.refuseMisfit(w, fmt.Sprintf("action %q", act.name), act.workflow, act.arguments)
			}
		}
		for _, act := range w.onCancel {
			c.refuseMisfit(w, fmt.Sprintf("action %q", act.name), act.workflow, act.arguments)
		}
	}
}

// refuseMisfit refuses what is written and does not fit. Messages show no password.
func (c *compiler) refuseMisfit(w *workflow, what string, to *workflow, arguments []argument) {
	if to == nil || to.inputs == nil || to.inputs.schema == nil {
		return
	}
	written := constantsOf(arguments)
	hidden := newMask(Start{})
	hidden.learn(to, value.Object(slices.Collect(maps.Values(written))...))
	for at, faults := range c.misfits(to, arguments, written) {
		for _, f := range faults {
			c.refuse(w.set, arguments[at].node, "%s: input %q of workflow %q: %s", what, hidden.text(strings.Join(f.Pointer, ".")), to.id, hidden.text(f.Message))
		}
	}
}

// constantsOf gives by their positions the arguments in which nothing is dynamic.
func constantsOf(arguments []argument) map[int]value.Member {
	written := map[int]value.Member{}
	for at, a := range arguments {
		if v, ok := a.value.Constant(); ok {
			written[at] = value.Member{Name: a.name, Value: v}
		}
	}
	return written
}

// misfits gives by the position of an argument why its value, which is written, does not
// fit. What comes from elsewhere, or is missing, is seen when the workflow is called.
func (c *compiler) misfits(to *workflow, arguments []argument, written map[int]value.Member) map[int][]schema.Fault {
	found := map[int][]schema.Fault{}
	_, all := to.check(value.Object(slices.Collect(maps.Values(written))...), nil)
	if len(all) == 0 {
		return found
	}
	for at, m := range written {
		if faults := c.memberFaults(to, m.Name, m.Value); len(faults) > 0 {
			found[at] = faults
		}
	}
	if len(found) > 0 || len(written) < len(arguments) {
		return found
	}
	for _, f := range all {
		at := slices.IndexFunc(arguments, func(a argument) bool { return len(f.Pointer) > 0 && a.name == f.Pointer[0] })
		if at >= 0 {
			found[at] = append(found[at], f)
		}
	}
	return found
}

// memberFaults tells why no object that fits the inputs of a workflow has this member, by
// what the schema says of the member wherever it stands.
func (c *compiler) memberFaults(to *workflow, name string, v value.Value) []schema.Fault {
	schemas, err := c.documents.schemasOf(to)
	if err != nil {
		return nil
	}
	var faults []schema.Fault
	inputsOf(to.set.Document, to.model).always(to.model.Inputs, func(at *arazzo.Node) {
		part := at.Get("properties").Get(name)
		if part == nil {
			return
		}
		compiled, err := schemas.set.Compile(to.set.Base, part.Pointer())
		if err != nil {
			return
		}
		for _, f := range compiled.Validate(v) {
			f.Pointer = append(value.Pointer{name}, f.Pointer...)
			faults = append(faults, f)
		}
	})
	return faults
}
