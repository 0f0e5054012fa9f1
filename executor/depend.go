package executor

import "slices"

// runWithGivenInputs lists the workflows that run with the inputs of the run:
// those that were asked for, and what any workflow depends on.
func (c *compiler) runWithGivenInputs(selected []*workflow) []*workflow {
	given := slices.Clone(selected)
	for _, w := range c.found {
		given = append(given, w.dependsOn...)
	}
	return given
}

// dependencyOrder lists workflows and all that they depend on, each once and after
// its dependencies, else in the order given.
func dependencyOrder(workflows []*workflow) []*workflow {
	visited := map[*workflow]bool{}
	var order []*workflow
	var visit func(w *workflow)
	visit = func(w *workflow) {
		if visited[w] {
			return
		}
		visited[w] = true
		for _, d := range w.dependsOn {
			visit(d)
		}
		order = append(order, w)
	}
	for _, w := range workflows {
		visit(w)
	}
	return order
}

// refuseCircles refuses workflows that depend on each other: none could be the first.
func (c *compiler) refuseCircles() {
	const visiting, done = 1, 2
	state := map[*workflow]int{}
	var visit func(w *workflow)
	visit = func(w *workflow) {
		switch state[w] {
		case done:
			return
		case visiting:
			c.refuse(w.set, w.model.WorkflowID.Node, "workflow %q depends on itself through dependsOn", w.id)
			return
		}
		state[w] = visiting
		for _, d := range w.dependsOn {
			visit(d)
		}
		state[w] = done
	}
	for _, w := range c.found {
		visit(w)
	}
}
