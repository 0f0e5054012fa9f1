package check

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weft-flow/weft/arazzo/schema"
	"github.com/weft-flow/weft/arazzo/source"
)

// shelf holds what was compiled of one description for one side. Large
// descriptions refer to a few schemas from everywhere: each is compiled once.
type shelf struct {
	mu          sync.Mutex
	translation translation
	set         *schema.Set // nil: none was needed yet
	added       int         // definitions that the set has
	survey      survey
}

// compile makes the schema at a place ready.
func (s *shelf) compile(at cursor) *compiled {
	fail := func(reason string) *compiled {
		return &compiled{gaps: []Gap{{Place: at.place, Reason: reason}}}
	}
	if s.translation.dialect == foreign {
		return fail("a dialect of JSON Schema that is not understood")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	root := s.translation.translate(at)
	if s.translation.full {
		return fail(fmt.Sprintf("the schemas have more than %d parts", maxNodes))
	}
	s.survey.include(s.translation.defs[s.added:])
	gaps, sound := s.survey.oddities(root)
	if !sound {
		return fail("its references lead straight to each other without an end, or nearly so")
	}
	if err := s.supply(); err != nil {
		return fail("the schema cannot be understood: " + reasonOf(err))
	}
	ready, err := s.set.Compile(uriOf(root), "")
	if err != nil {
		return fail("the schema cannot be understood: " + reasonOf(err))
	}
	return &compiled{schema: ready, root: root, extent: s.survey.extent(root), gaps: gaps}
}

// supply gives the set the definitions that it does not have.
func (s *shelf) supply() error {
	defs := s.translation.defs[s.added:]
	resources := make([]schema.Resource, len(defs))
	for i, d := range defs {
		resources[i] = schema.Resource{ID: uriOf(d.node), Root: d.node.written()}
	}
	s.added = len(s.translation.defs)
	if s.set != nil {
		return s.set.Add(resources...)
	}
	set, err := schema.NewSet(resources...)
	s.set = set
	return err
}

func reasonOf(err error) string {
	var of *schema.CompileError
	if errors.As(err, &of) && len(of.Faults) > 0 {
		return of.Faults[0].Message
	}
	return err.Error()
}

// newShelf gives an empty shelf.
func newShelf(d dialect, s side) *shelf {
	return &shelf{
		translation: translation{dialect: d, side: s, byPlace: map[string]*node{}},
		survey:      newSurvey(),
	}
}

// shelfKey tells shelves apart.
type shelfKey struct {
	written *source.Written
	side    side
}
