package sim

import (
	"slices"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
)

// Sources lists the APIs that a document reaches, to be played as the configuration knows
// them: what it says of idempotency keys that an API honours, the played one honours.
func Sources(set *source.Set, config executor.Config) []mock.Source {
	sources := mock.Sources(set)
	for i := range sources {
		s := &sources[i]
		if profile := config.ProfileOf(slices.Concat([]string{s.Description.Identity, s.Name}, s.Receivers)...); profile != nil {
			s.Honour(profile.Dialect.Header, profile.Methods)
		}
	}
	return sources
}
