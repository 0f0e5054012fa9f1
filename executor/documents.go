package executor

import (
	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/arazzo/value"
)

// documents are the document that is run and all that it uses, however many
// sources lead to them.
type documents struct {
	root   *source.Set
	names  source.Names
	paths  map[*source.Set]string // the names of the sources that lead there, each with a dot behind it
	faults map[*source.Set][]arazzo.Fault
	// labels name the workflows, so that no two have one name: the ids of the root,
	// those of others behind their path. They are the same whatever is run, since
	// keys are derived from them.
	labels  map[*arazzo.Workflow]string
	schemas map[*source.Set]schemas
}

func documentsOf(root *source.Set) documents {
	all := documents{
		root: root, names: source.NamesOf(root), paths: map[*source.Set]string{root: ""}, faults: map[*source.Set][]arazzo.Fault{},
		labels: map[*arazzo.Workflow]string{}, schemas: map[*source.Set]schemas{},
	}
	taken := map[string]int{}
	for open := []*source.Set{root}; len(open) > 0; open = open[1:] {
		at := open[0]
		all.label(at, taken)
		for _, d := range at.Sources {
			if d.Arazzo == nil {
				continue
			}
			if _, seen := all.paths[d.Arazzo]; !seen {
				all.paths[d.Arazzo], all.faults[d.Arazzo] = all.paths[at]+d.Name+".", d.Faults
				open = append(open, d.Arazzo)
			}
		}
	}
	return all
}

func (all documents) label(set *source.Set, taken map[string]int) {
	for _, w := range set.Document.Workflows {
		label := value.EscapeToken(all.paths[set] + w.WorkflowID.Value)
		if taken[label]++; taken[label] > 1 {
			label = numbered(label, taken[label])
		}
		all.labels[w] = label
	}
}

// namesOf lists the names under which a user may speak of a source, of a server
// for it say: those of source.Names; none, which stands for all sources.
func (all documents) namesOf(_ *source.Set, d *source.Description) []string {
	return append(all.names.Of(d), "")
}

// harmless are the rules whose faults do not keep a document from being run: what
// it means is clear all the same.
var harmless = map[string]bool{
	"yaml-merge": true, "output-name-pattern": true, "source-name-pattern": true, "step-id-pattern": true,
	"schema-stricter-than-text": true, "criteria-unique": true,
}

// Blocking gives those faults of a document's shape that keep it from being run.
func Blocking(faults []arazzo.Fault) []arazzo.Fault {
	var blocking []arazzo.Fault
	for _, f := range faults {
		if !harmless[f.Rule] {
			blocking = append(blocking, f)
		}
	}
	return blocking
}

// refuseFaults refuses a document that another one uses, once, where its shape
// does not tell what is to be run.
func (c *compiler) refuseFaults(set *source.Set) {
	for _, f := range Blocking(c.documents.faults[set]) {
		c.refusals = append(c.refusals, Refusal{
			Place: Place{File: set.Document.File, Span: f.Span, Pointer: f.Pointer}, Message: f.Message,
		})
	}
	delete(c.documents.faults, set)
}
