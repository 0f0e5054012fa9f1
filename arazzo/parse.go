package arazzo

import "sort"

// Parse reads an Arazzo document in YAML or JSON. It gives as much of the model
// as could be read, nil where there is none, and all faults of its shape in the
// order of their places. file is kept as the document's name.
func Parse(file string, data []byte) (*Document, []Fault) {
	root, faults := ParseTree(data)
	if root == nil {
		return nil, faults
	}
	d := &decoder{faults: faults}
	document := d.document(file, root)
	sortFaults(d.faults)
	return document, d.faults
}

// sortFaults puts faults in the order of their places.
func sortFaults(faults []Fault) {
	sort.SliceStable(faults, func(i, j int) bool {
		return faults[i].Span.Start.Offset < faults[j].Span.Start.Offset
	})
}
