package expression

func (n *Names) inputs() []string {
	if n == nil {
		return nil
	}
	return n.Inputs
}

func (n *Names) outputs() []string {
	if n == nil {
		return nil
	}
	return n.Outputs
}

func (n *Names) steps() []string {
	if n == nil {
		return nil
	}
	return n.Steps
}

func (n *Names) workflows() []string {
	if n == nil {
		return nil
	}
	return n.Workflows
}

func (n *Names) sources() []string {
	if n == nil {
		return nil
	}
	return n.Sources
}

func (n *Names) stepOutputs(step string) []string {
	if n == nil {
		return nil
	}
	return n.StepOutputs[step]
}

func (n *Names) workflowNames(workflow string, part Part) []string {
	switch {
	case n == nil:
		return nil
	case part == InputsPart:
		return n.WorkflowInputs[workflow]
	default:
		return n.WorkflowOutputs[workflow]
	}
}
