package durable

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// keptEvent is an event as it is kept. Secrets were masked before.
type keptEvent struct {
	Time       time.Time       `json:"t"`
	Place      executor.Place  `json:"at,omitzero"`
	Workflow   string          `json:"w,omitempty"`
	Depth      int             `json:"d,omitempty"`
	Step       string          `json:"s,omitempty"`
	Activation int             `json:"n,omitempty"`
	Attempt    int             `json:"a,omitempty"`
	Type       string          `json:"type"`
	Detail     json.RawMessage `json:"detail"`
}

// readers read the details of events by their types.
var readers = readersOf(
	reader[executor.RunStarted](), reader[executor.WorkflowStarted](), reader[executor.StepStarted](),
	reader[executor.RequestPrepared](), reader[executor.AttemptFinished](), reader[executor.CriterionEvaluated](),
	reader[executor.ActionChosen](), reader[executor.RetryScheduled](), reader[executor.RetryWithheld](),
	reader[executor.StepFinished](), reader[executor.WorkflowFinished](), reader[executor.ContractFinding](),
	reader[executor.StateMoved](), reader[executor.StateRefused](), reader[executor.MessageAwaited](),
	reader[executor.MessageReceived](), reader[executor.MessageSetAside](), reader[executor.OperationSettled](),
	reader[executor.Notice](),
	reader[executor.RunFinished](),
)

type detailReader struct {
	name string
	read func([]byte) (executor.Detail, error)
}

func reader[T executor.Detail]() detailReader {
	var zero T
	return detailReader{zero.Type(), func(data []byte) (executor.Detail, error) {
		var detail T
		err := json.Unmarshal(data, &detail)
		return detail, err
	}}
}

func readersOf(all ...detailReader) map[string]func([]byte) (executor.Detail, error) {
	byName := make(map[string]func([]byte) (executor.Detail, error), len(all))
	for _, r := range all {
		byName[r.name] = r.read
	}
	return byName
}

// writtenEvent is a keptEvent whose detail is not written yet.
type writtenEvent struct {
	keptEvent
	Detail executor.Detail `json:"detail"`
}

func writeEvent(e executor.Event) ([]byte, error) {
	data, err := json.Marshal(writtenEvent{Detail: e.Detail, keptEvent: keptEvent{
		Time: e.Time, Place: e.Place, Workflow: e.Workflow, Depth: e.Depth, Step: e.Step,
		Activation: e.Activation, Attempt: e.Attempt, Type: e.Detail.Type(),
	}})
	if err != nil {
		return nil, fmt.Errorf("write the event %s: %w", e.Detail.Type(), err)
	}
	return data, nil
}

func readEvent(run string, sequence int, data []byte) (executor.Event, error) {
	var kept keptEvent
	if err := json.Unmarshal(data, &kept); err != nil {
		return executor.Event{}, fmt.Errorf("read event %d of run %s: %w", sequence, run, err)
	}
	read, known := readers[kept.Type]
	if !known {
		return executor.Event{}, fmt.Errorf("event %d of run %s is a %s, which this program does not know", sequence, run, kept.Type)
	}
	detail, err := read(kept.Detail)
	if err != nil {
		return executor.Event{}, fmt.Errorf("read event %d of run %s: %w", sequence, run, err)
	}
	return executor.Event{
		Run: run, Sequence: sequence, Time: kept.Time, Place: kept.Place, Workflow: kept.Workflow, Depth: kept.Depth,
		Step: kept.Step, Activation: kept.Activation, Attempt: kept.Attempt, Detail: withAbsent(detail),
	}, nil
}

// withAbsent gives the detail with what was absent, which is kept as null. Where it
// matters there is never a null.
func withAbsent(detail executor.Detail) executor.Detail {
	switch d := detail.(type) {
	case executor.WorkflowStarted:
		d.Inputs = orAbsent(d.Inputs)
		return d
	case executor.StepFinished:
		d.Outputs = orAbsent(d.Outputs)
		return d
	case executor.WorkflowFinished:
		d.Outputs = orAbsent(d.Outputs)
		return d
	case executor.RunFinished:
		d.Result = resultWithAbsent(d.Result)
		return d
	default:
		return detail
	}
}

func resultWithAbsent(r executor.Result) executor.Result {
	for i := range r.Workflows {
		r.Workflows[i].Outputs = orAbsent(r.Workflows[i].Outputs)
	}
	return r
}

func orAbsent(v value.Value) value.Value {
	if v.IsNull() {
		return value.Absent
	}
	return v
}
