package executor

import (
	"encoding/json"
	"fmt"
	"strings"
)

// CheckAnswer tells why a body cannot be what a step of this name was answered as a
// success: where its operation describes JSON alone, it must be JSON. Where steps of
// several workflows have the name, it is enough that it can be that of one.
func (p *Plan) CheckAnswer(step string, body []byte) error {
	if json.Valid(body) {
		return nil
	}
	found := false
	for _, w := range p.workflows {
		for _, s := range w.steps {
			if s.id != step || s.operation == nil {
				continue
			}
			if found = true; !s.answersJSON() {
				return nil
			}
		}
	}
	if !found {
		return nil
	}
	return fmt.Errorf("the response of step %q is described as JSON, and this is none", step)
}

// answersJSON tells whether all that is described of successes is JSON.
func (s *step) answersJSON() bool {
	described := false
	for _, r := range s.operation.Responses {
		if !strings.HasPrefix(r.Status, "2") && r.Status != "default" {
			continue
		}
		for _, m := range r.Content {
			if described = true; !isJSON(m.Type) {
				return false
			}
		}
	}
	return described
}
