package expression

import "slices"

// fewNames is how many names are looked through one by one.
const fewNames = 32

// nameSet is a long list of names, made to be looked up in.
type nameSet struct {
	names   map[string]bool
	longest int
}

// listKey tells lists apart.
type listKey struct {
	first *string
	count int
}

// set gives the set of a long list of n's.
func (n *Names) set(list []string) *nameSet {
	key := listKey{&list[0], len(list)}
	if set, ok := n.sets.Load(key); ok {
		return set.(*nameSet)
	}
	set := &nameSet{names: make(map[string]bool, len(list))}
	for _, name := range list {
		set.names[name] = true
		set.longest = max(set.longest, len(name))
	}
	n.sets.Store(key, set)
	return set
}

// has tells whether a name is in a list of n's.
func (n *Names) has(list []string, name string) bool {
	if len(list) <= fewNames {
		return slices.Contains(list, name)
	}
	return n.set(list).names[name]
}

// Declare tells whether what an expression names is among the names: the input, the
// output of the step, the workflow, the source. What has no name is.
func (n *Names) Declare(e *Expression) bool {
	switch e.Root {
	case Inputs:
		return n.has(n.inputs(), e.Name)
	case Outputs:
		return n.has(n.outputs(), e.Name)
	case Steps:
		return n.has(n.stepOutputs(e.Owner), e.Name)
	case Workflows:
		return n.has(n.workflows(), e.Owner)
	case SourceDescriptions:
		return n.has(n.sources(), e.Owner)
	default:
		return true
	}
}

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
