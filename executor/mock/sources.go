package mock

import (
	"fmt"
	"slices"

	"github.com/weft-flow/weft/arazzo/source"
)

// Sources lists the OpenAPI descriptions, and the AsyncAPI ones over HTTP, that documents reach, nested ones included,
// each once, and each under a name of its own.
func Sources(sets ...*source.Set) []Source {
	found, reached := listed(sets)
	for _, set := range reached {
		keysSaid(found, set)
	}
	for _, set := range sets {
		names := source.NamesOf(set)
		names.Each(func(d *source.Description) {
			at := slices.IndexFunc(found, func(s Source) bool { return s.Description.Identity == d.Identity })
			if at < 0 {
				return
			}
			s := &found[at]
			if name := names.Qualified(d); name != s.Name && !slices.Contains(s.Receivers, name) {
				s.Receivers = append(s.Receivers, name)
			}
		})
	}
	return found
}

// listed gives the descriptions, and the documents that reach them.
func listed(sets []*source.Set) (found []Source, reached []*source.Set) {
	seenSets, seen, taken := map[*source.Set]bool{}, map[string]bool{}, map[string]bool{}
	var walk func(s *source.Set)
	walk = func(s *source.Set) {
		if s == nil || seenSets[s] {
			return
		}
		seenSets[s] = true
		reached = append(reached, s)
		for _, d := range s.Sources {
			walk(d.Arazzo)
			catalog := d.OpenAPI
			if catalog == nil {
				catalog = channelCatalog(d.AsyncAPI)
			}
			if catalog == nil || seen[d.Identity] {
				continue
			}
			seen[d.Identity] = true
			name := d.Name
			for n := 2; taken[name]; n++ {
				name = fmt.Sprintf("%s-%d", d.Name, n)
			}
			taken[name] = true
			found = append(found, Source{Name: name, Catalog: catalog, Description: d})
		}
	}
	for _, s := range sets {
		walk(s)
	}
	return found, reached
}
