package lint

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
)

// unloaded gives a document with sources that nobody has looked for: nothing that
// depends on them can be known.
func unloaded(d *arazzo.Document, location string) *source.Set {
	set := &source.Set{Document: d, Location: location, Base: source.BaseURI(d, location)}
	for _, s := range d.Sources {
		set.Sources = append(set.Sources, &source.Description{
			Name: s.Name.Value, Type: s.Type.Value, URL: s.URL.Value,
			Problem: &source.Problem{Source: s.Name.Value, File: d.File, Message: "it was not looked for"},
		})
	}
	return set
}

// incomplete lists what could not be checked because a source, or a part of one,
// is not there.
func incomplete(set *source.Set, problems []source.Problem) []Incomplete {
	var all []Incomplete
	for _, p := range problems {
		what := fmt.Sprintf("what uses source %q", p.Source)
		if p.File != set.Document.File {
			what += " of " + p.File
		}
		all = append(all, Incomplete{What: what, Why: p.Message})
	}
	seen := make(map[*source.Catalog]bool)
	for _, s := range set.Sources {
		switch {
		case s.OpenAPI != nil && !seen[s.OpenAPI]:
			seen[s.OpenAPI] = true
			all = append(all, brokenParts(s)...)
		case s.Tree != nil:
			all = append(all, Incomplete{
				What: fmt.Sprintf("what uses source %q", s.Name),
				Why:  "AsyncAPI descriptions are not read yet",
			})
		}
	}
	return all
}

// brokenListed is how many references of one source are told one by one.
const brokenListed = 5

// brokenParts tells the references of a source that lead nowhere. What they stand
// for may be anything.
func brokenParts(s *source.Description) []Incomplete {
	broken := s.OpenAPI.Unresolved
	if len(broken) == 0 {
		return nil
	}
	var reasons []string
	for i, b := range broken {
		if i == brokenListed {
			reasons = append(reasons, fmt.Sprintf("and %d more", len(broken)-brokenListed))
			break
		}
		reasons = append(reasons, fmt.Sprintf("%s: %s", b.Ref, b.Reason))
	}
	return []Incomplete{{
		What: fmt.Sprintf("parts of source %q", s.Name),
		Why:  "it refers to what was not found: " + strings.Join(reasons, "; "),
	}}
}
