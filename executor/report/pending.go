package report

import "github.com/weft-flow/weft/executor"

// pendingLine is the line of a step that is not written yet, since what decides its
// mark is still to come.
type pendingLine interface {
	// isOf tells whether an event is of the same activation.
	isOf(e executor.Event) bool
	// awaits tells whether an event belongs to what the line waits for.
	awaits(e executor.Event) bool
	hold(e executor.Event)
	// write writes the line and what was held; next is the event after that.
	write(c *Console, next executor.Event)
}

// openLine is what lines have that wait for the criteria of a step.
type openLine struct {
	step  *stepView
	event executor.Event
	held  []executor.Event // what is written below the line
}

func (o *openLine) isOf(e executor.Event) bool {
	return e.Workflow == o.event.Workflow && e.Step == o.event.Step && e.Activation == o.event.Activation
}

func (o *openLine) hold(e executor.Event) { o.held = append(o.held, e) }

// isJudgement tells whether an event says what is made of a response or a message:
// its success criteria, and what is said of it before them.
func isJudgement(e executor.Event) bool {
	switch d := e.Detail.(type) {
	case executor.CriterionEvaluated:
		return d.Action == ""
	case executor.ContractFinding, executor.Notice:
		return true
	default:
		return false
	}
}

// judged tells what the criteria that were held say; without any, the end of the step
// says it where it is the next event, else what is said of a step without criteria.
func (o *openLine) judged(next executor.Event, without bool) bool {
	judged := false
	for _, e := range o.held {
		if criterion, ok := e.Detail.(executor.CriterionEvaluated); ok {
			if !criterion.Passed {
				return false
			}
			judged = true
		}
	}
	if judged {
		return true
	}
	if d, ok := next.Detail.(executor.StepFinished); ok {
		return d.Succeeded
	}
	return without
}
