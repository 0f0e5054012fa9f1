package report

import (
	"encoding/json"

	"github.com/weft-flow/weft/executor"
)

// Event is an event in the form that it has in the JSON document.
type Event struct{ record runRecord }

// NewEvent gives the form of an event. It is an error if the type of the event has no
// form here; the event is then there without its detail.
func NewEvent(e executor.Event) (Event, error) {
	detail, err := detailOf(e.Detail)
	return Event{recordOf(e, detail)}, err
}

// MarshalJSON gives it as JSON.
func (e Event) MarshalJSON() ([]byte, error) { return json.Marshal(e.record) }

// recordOf gives an event with the form of its detail.
func recordOf(e executor.Event, detail any) runRecord {
	return runRecord{
		Sequence: e.Sequence, Time: e.Time.UTC(), Type: e.Detail.Type(),
		Workflow: e.Workflow, Depth: e.Depth, Step: e.Step, Activation: e.Activation, Attempt: e.Attempt,
		Place: placeOf(e.Place), Detail: detail,
	}
}

// Result is how a run ended, in the form that it has in the JSON document.
type Result struct{ result runResult }

// NewResult gives the form of a result.
func NewResult(r executor.Result) Result { return Result{resultOf(r)} }

// MarshalJSON gives it as JSON.
func (r Result) MarshalJSON() ([]byte, error) { return json.Marshal(r.result) }
