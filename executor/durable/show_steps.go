package durable

import (
	"context"
	"errors"
	"time"

	"github.com/weft-flow/weft/executor"
)

// showSteps gathers from the events what came of the requests of each step.
func (s *Store) showSteps(ctx context.Context, d *Detail) error {
	views := stepViews{d: d, at: map[[2]string]int{}}
	for after := 0; ; {
		events, err := s.Events(ctx, d.Run, after, eventsInPage)
		if errors.Is(err, ErrSealed) {
			d.Sealed, d.Steps, d.taken = true, nil, nil
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range events {
			after = e.Sequence
			views.learn(e)
		}
		if len(events) < eventsInPage {
			break
		}
	}
	views.follow()
	return nil
}

// stepViews is what the events so far tell of steps.
type stepViews struct {
	d  *Detail
	at map[[2]string]int // workflow and step
}

// seen gives the view of a step; nil: it has made no request.
func (v *stepViews) seen(workflow, step string) *StepView {
	if i, known := v.at[[2]string{workflow, step}]; known {
		return &v.d.Steps[i]
	}
	return nil
}

// of gives the view of the step that an event is about.
func (v *stepViews) of(e executor.Event) *StepView {
	view := v.seen(e.Workflow, e.Step)
	if view == nil {
		v.at[[2]string{e.Workflow, e.Step}] = len(v.d.Steps)
		v.d.Steps = append(v.d.Steps, StepView{Workflow: e.Workflow, Step: e.Step})
		view = &v.d.Steps[len(v.d.Steps)-1]
	}
	view.Activation, view.Attempt = e.Activation, e.Attempt
	return view
}

func (v *stepViews) learn(e executor.Event) {
	switch detail := e.Detail.(type) {
	case executor.RequestPrepared:
		now := v.of(e)
		*now = StepView{
			Workflow: now.Workflow, Step: now.Step, Activation: now.Activation, Attempt: now.Attempt,
			KeyDigest: detail.KeyDigest, Requested: e.Time,
		}
		if before := v.seen(detail.Continues, e.Step); before != nil {
			before.continued = e.Workflow
		}
	case executor.AttemptFinished:
		now := v.of(e)
		now.Class, now.Operation, now.Reason = detail.Attempt, detail.Operation, detail.Reason
	case executor.OperationSettled:
		now := v.of(e)
		now.Operation, now.Reason, now.settled = detail.Outcome, "settled by "+detail.By, true
		v.d.taken = append(v.d.taken, takenUp{workflow: e.Workflow, step: e.Step, settled: detail.Settled})
	case executor.StepFinished:
		// Withheld attempts count: they belong to the operation of the last request.
		if now := v.seen(e.Workflow, e.Step); now != nil && now.Class != "" && detail.Operation != "" {
			now.Operation = detail.Operation
		}
		for _, told := range detail.Settles {
			if now := v.seen(told.Workflow, told.Step); now != nil && now.Class != "" {
				now.Operation, now.Reason = told.Outcome, told.Reason
			}
		}
	}
}

// follow gives steps whose operation was gone on with elsewhere what is known of it now.
func (v *stepViews) follow() {
	for i := range v.d.Steps {
		last := &v.d.Steps[i]
		for n := 0; last.continued != "" && n < len(v.d.Steps); n++ {
			last = v.seen(last.continued, last.Step)
		}
		v.d.Steps[i].Operation, v.d.Steps[i].Reason = last.Operation, last.Reason
	}
}

// takenUp is what the run has gone on by.
type takenUp struct {
	workflow, step string
	settled        time.Time
}

// is tells whether it is a settlement that was kept.
func (t takenUp) is(s Settlement) bool {
	return t.step == s.Step && (s.Workflow == "" || t.workflow == s.Workflow) && t.settled.Equal(s.Settled)
}
