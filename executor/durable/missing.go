package durable

import (
	"fmt"
	"maps"
	"slices"

	"github.com/weft-flow/weft/executor"
)

// opened is what is recorded of the beginning of a run.
type opened struct {
	executor.Opened
	// Credentials names those with which the run began.
	Credentials []string `json:"credentials,omitempty"`
}

// mustHave parks the run where a call would be sent without a credential that was there
// when the run began: sent without, it would be another request, and its refusal no
// outcome of the one that is meant. Nothing is recorded of the call.
func (x *execution) mustHave(call executor.Call) {
	if len(x.credentials) == 0 || x.connection.Missing == nil {
		return
	}
	missing := x.connection.Missing(call)
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		if slices.Contains(x.credentials, name) {
			x.leave(&permanentError{fmt.Errorf("%s is not sent: the credential %s, with which the run began, is missing: %s", call.Name, name, missing[name])})
		}
	}
}
