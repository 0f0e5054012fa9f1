package lint

import (
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
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
	for _, s := range set.Sources {
		all = append(all, brokenParts(s)...)
	}
	return all
}

// brokenListed is how many broken parts of one source are told one by one.
const brokenListed = 5

// brokenParts tells what of a source could not be read: references that lead
// nowhere, parts that are malformed. What they stand for may be anything.
func brokenParts(s *source.Description) []Incomplete {
	var reasons []string
	if s.OpenAPI != nil {
		for _, b := range s.OpenAPI.Unresolved {
			reasons = append(reasons, fmt.Sprintf("%s: %s", b.Ref, b.Reason))
		}
	}
	if s.AsyncAPI != nil {
		for _, f := range s.AsyncAPI.Faults {
			reasons = append(reasons, f.Message)
		}
	}
	if len(reasons) == 0 {
		return nil
	}
	if more := len(reasons) - brokenListed; more > 0 {
		reasons = append(reasons[:brokenListed], fmt.Sprintf("and %d more", more))
	}
	return []Incomplete{{
		What: fmt.Sprintf("parts of source %q", s.Name),
		Why:  "they could not be read: " + strings.Join(reasons, "; "),
	}}
}

// unsupported lists the texts that ask for what Weft does not do: they may be
// right, and are not checked. A run refuses them.
func unsupported(d *Document) []Incomplete {
	var all []Incomplete
	seen := make(map[*arazzo.Node]bool)
	keep := func(faults []dynamic.Fault) {
		for _, f := range faults {
			if f.Unsupported && f.Node != nil && !seen[f.Node] {
				seen[f.Node] = true
				all = append(all, Incomplete{What: fmt.Sprintf("%s in line %d", f.Node.Token(), f.Node.Span.Start.Line), Why: f.Message})
			}
		}
	}
	for _, v := range d.Values() {
		keep(v.Faults)
	}
	for _, c := range d.Criteria() {
		keep(c.Faults)
	}
	return all
}
