package expression

// StepReference names a step from elsewhere, as dependsOn of a step does
// (Arazzo 1.1, Step Object). Source and Workflow are empty where the step is
// nearer than that.
type StepReference struct {
	Source, Workflow, Step string
}

// ParseStepReference reads what dependsOn of a step holds: a step's id for one
// of the same workflow, $workflows.WORKFLOW.steps.STEP for one of the same
// document, $sourceDescriptions.SOURCE.WORKFLOW.steps.STEP for one of another.
// An error is an *Error. Whatever does not begin with '$' is taken for an id.
func ParseStepReference(text string, names *Names) (StepReference, error) {
	if text == "" {
		return StepReference{}, &Error{Message: "expected a step's id"}
	}
	if text[0] != '$' {
		return StepReference{Step: text}, nil
	}
	p := parser{text: text, names: names, e: &Expression{}}
	r, err := p.stepReference()
	if err != nil {
		return StepReference{}, err
	}
	return r, nil
}

func (p *parser) stepReference() (StepReference, *Error) {
	var r StepReference
	switch {
	case p.take("$workflows."):
		if err := p.owner("a workflow's id", p.names.workflows(), ".steps."); err != nil {
			return r, err
		}
		r.Workflow = p.e.Owner
	case p.take("$sourceDescriptions."):
		if err := p.owner("a source's name", p.names.sources(), "."); err != nil {
			return r, err
		}
		r.Source = p.e.Owner
		if !p.take(".") {
			return r, p.expected("'.'")
		}
		// The names of another document's workflows are not known here.
		if err := p.owner("a workflow's id", nil); err != nil {
			return r, err
		}
		r.Workflow = p.e.Owner
	default:
		return r, p.fault("expected a step's id, $workflows.WORKFLOW.steps.STEP or $sourceDescriptions.SOURCE.WORKFLOW.steps.STEP")
	}
	if !p.take(".steps.") {
		return r, p.expected("'.steps.'")
	}
	if r.Step = p.rest(); r.Step == "" {
		return r, p.expected("a step's id")
	}
	return r, nil
}
