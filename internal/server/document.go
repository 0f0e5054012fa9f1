package server

import (
	"net/http"
	"path"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
)

// Document is a document whose workflows can be started.
type Document struct {
	// Name is the one by which requests name it; its last segment is enough where no
	// other document has the same.
	Name   string
	Bundle *durable.Bundle
	Config executor.Config
	Plan   *executor.Plan // of all its workflows
}

// workflows gives the ids of the workflows that a request asks for.
func (d Document) workflows(asked []string) []string {
	if len(asked) > 0 {
		return asked
	}
	return d.Plan.Workflows()
}

// byName gives documents by the names that requests may use.
func byName(documents []Document) map[string]Document {
	all := map[string]Document{}
	ambiguous := map[string]bool{}
	for _, d := range documents {
		short := path.Base(d.Name)
		_, seen := all[short]
		ambiguous[short] = ambiguous[short] || seen
		all[short] = d
	}
	for short, is := range ambiguous {
		if is {
			delete(all, short)
		}
	}
	for _, d := range documents {
		all[d.Name] = d
	}
	return all
}

// documentInfo is a document as it is listed.
type documentInfo struct {
	Name      string      `json:"name"`
	Workflows []string    `json:"workflows"`
	Inputs    []inputInfo `json:"inputs"`
}

// inputInfo is one input that a document's workflows take.
type inputInfo struct {
	Name   string      `json:"name"`
	Schema value.Value `json:"schema,omitzero"`
}

func (s *Server) listDocuments(w http.ResponseWriter, _ *http.Request) error {
	documents := []documentInfo{}
	for _, d := range s.options.Documents {
		info := documentInfo{Name: d.Name, Workflows: d.Plan.Workflows(), Inputs: []inputInfo{}}
		for _, name := range d.Plan.InputNames() {
			info.Inputs = append(info.Inputs, inputInfo{name, d.Plan.InputSchema(name)})
		}
		documents = append(documents, info)
	}
	return writeJSON(w, http.StatusOK, struct {
		Documents []documentInfo `json:"documents"`
	}{documents})
}
