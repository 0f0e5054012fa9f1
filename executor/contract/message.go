package contract

import (
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor/mock"
)

// messagesOf lists messages for a step that receives, one for each way in which its
// criteria can turn out; and that there is none.
func messagesOf(s *stepModel, apis *mock.APIs, checker *check.Checker, inputs value.Value, outputs map[stepID]value.Value) []*candidate {
	a := &answers{
		step: s, apis: apis, checker: checker, found: map[string]*candidate{}, message: true,
		scope: answerScope{inputs: inputs, outputs: outputs, in: s.workflow},
	}
	w := wishesOf(s.judged())
	w.addTold(s.told)
	w.addStates(s.states)
	a.resolveOpen(w)
	var schema *source.Response
	if s.operation.Body != nil {
		schema = &source.Response{Content: s.operation.Body.Content}
	}
	var places []*wish
	for _, wanted := range w.all {
		if wanted.part != bodyPart || len(places) >= mostVariables {
			continue
		}
		wanted.add(enumAt(schema, wanted.at)...)
		places = append(places, wanted)
	}
	for changed := 1; changed <= min(len(places), mostCombined); changed++ {
		a.combine(0, nil, value.Object(), places, changed, nil)
	}
	if w.lookIntoXML() {
		a.tryXMLMessages(w)
	}
	a.scope.body = value.Absent
	a.keep(&candidate{silent: true, verdict: "silent", passes: a.passes()})
	return a.order
}

// breaksMessage tells whether the description does not allow what a message says at
// the places that were set: each must be one of the values that are named for it.
func (a *answers) breaksMessage(c *candidate) bool {
	if a.step.operation.Body == nil {
		return false
	}
	body := &source.Response{Content: a.step.operation.Body.Content}
	for _, e := range c.answer.Edits {
		possible := enumAt(body, e.At.String())
		if e.Value.IsAbsent() || len(possible) > 0 && !holds(possible, e.Value) {
			return true
		}
	}
	return false
}
