package executor

import (
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

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

// labelsOf names the workflows of a document and of all documents that it uses,
// so that no two have one name: the ids of the document itself, those of others
// behind the name of their source. The names are the same whatever is run, since
// keys are derived from them.
func labelsOf(root *source.Set) map[*arazzo.Workflow]string {
	labels, taken := map[*arazzo.Workflow]string{}, map[string]int{}
	type document struct {
		set    *source.Set
		prefix string
	}
	seen := map[*source.Set]bool{root: true}
	for documents := []document{{set: root}}; len(documents) > 0; documents = documents[1:] {
		at := documents[0]
		for _, model := range at.set.Document.Workflows {
			label := value.EscapeToken(at.prefix + model.WorkflowID.Value)
			if taken[label]++; taken[label] > 1 {
				label = numbered(label, taken[label])
			}
			labels[model] = label
		}
		for _, d := range at.set.Sources {
			if d.Arazzo != nil && !seen[d.Arazzo] {
				seen[d.Arazzo] = true
				documents = append(documents, document{d.Arazzo, at.prefix + d.Name + "."})
			}
		}
	}
	return labels
}
