package contract

import (
	"net/http"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor/mock"
)

// operationStanding is what the descriptions say of how what an operation begins goes on.
type operationStanding struct {
	states []statePlace
	sends  []mock.Sent
	// mayFail tells that it can go wrong later, tellsLater that one can get to know.
	mayFail, tellsLater bool
	// isToldBadly tells that a message may say that it went wrong which follows as the
	// description has it: by x-weft-sends, or as a callback.
	isToldBadly bool
}

// standings keeps that for the operations of a document. It may be used by several
// goroutines.
type standings struct {
	apis  *mock.APIs
	names map[*source.Operation]mock.Asked
	hooks map[mock.Asked]*source.Operation
	all   []*source.Operation

	known sync.Map // of *operationStanding, by *source.Operation
}

func newStandings(apis *mock.APIs, sources []mock.Source) *standings {
	s := &standings{
		apis: apis, names: map[*source.Operation]mock.Asked{}, hooks: map[mock.Asked]*source.Operation{},
	}
	for _, src := range sources {
		for _, op := range src.Catalog.Operations {
			s.names[op] = mock.Asked{Source: src.Name, Operation: labelOf(op)}
			s.all = append(s.all, op)
			if op.Kind != source.Request {
				s.hooks[mock.Asked{Source: src.Name, Operation: labelOf(op)}] = op
				s.hooks[mock.Asked{Source: src.Name, Operation: op.Path}] = op
			}
			for _, callback := range op.Callbacks {
				s.hooks[mock.Asked{Source: src.Name, Operation: labelOf(callback)}] = callback
			}
		}
	}
	return s
}

var noStanding = &operationStanding{}

// of gives what is known of an operation.
func (s *standings) of(op *source.Operation) *operationStanding {
	if op == nil {
		return noStanding
	}
	if found, ok := s.known.Load(op); ok {
		return found.(*operationStanding)
	}
	found, _ := s.known.LoadOrStore(op, s.read(op))
	return found.(*operationStanding)
}

func (s *standings) read(op *source.Operation) *operationStanding {
	found := &operationStanding{states: statesSaidIn(op, "json", "xml")}
	if op.Kind != source.Request {
		return found
	}
	found.sends = s.apis.Sends(s.names[op])
	found.mayFail = mayFail(found.states)
	for _, sent := range found.sends {
		said := statesSaid(s.hooks[sent.Asked])
		told := mayFail(said) || !sent.Implied && mayBeOver(said)
		found.mayFail = found.mayFail || told
		found.isToldBadly = found.isToldBadly || told && !sent.Implied
	}
	found.tellsLater = len(found.sends) > 0 || mayGoOn(found.states) || s.canBeRead(op)
	return found
}

// canBeRead tells whether what an operation begins can be asked for, and says how it
// stands: beneath its path, or by what its answer names, such as a job.
func (s *standings) canBeRead(op *source.Operation) bool {
	for _, read := range s.all {
		if read.Method == "GET" && read.Source == op.Source && (beneath(read.Path, op.Path) || namesItem(op, read)) && mayGoOn(statesSaidIn(read, "json", "xml")) {
			return true
		}
	}
	return false
}

// namesItem tells whether the answer of 202 to an operation has a member that the path of a
// read ends in, by its name.
func namesItem(op, read *source.Operation) bool {
	last := read.Path[strings.LastIndexByte(read.Path, '/')+1:]
	accepted := op.Response(http.StatusAccepted)
	if !strings.HasPrefix(last, "{") || !strings.HasSuffix(last, "}") || accepted == nil {
		return false
	}
	for _, media := range accepted.Content {
		if media.Schema != nil && media.Schema.Properties[strings.Trim(last, "{}")] != nil {
			return true
		}
	}
	return false
}
