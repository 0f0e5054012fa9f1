package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weft-flow/weft/arazzo/value"
)

// Quick tells whether values fit a schema, several times faster than a Schema does,
// and nothing of why they do not: most values do. It is for schemas of our own, since
// nothing bounds its work. It is safe for use by several goroutines.
type Quick struct {
	library *jsonschema.Schema
}

// CompileQuick compiles the schema that the first of some resources is; the others
// are those that it refers to.
func CompileQuick(resources ...Resource) (*Quick, error) {
	library := jsonschema.NewCompiler()
	library.DefaultDraft(jsonschema.Draft2020)
	library.AssertFormat()
	library.UseLoader(nothing{})
	library.RegisterFormat(&jsonschema.Format{Name: "regex", Validate: asPattern})
	for _, r := range resources {
		if err := library.AddResource(absoluteURI(r.ID), r.Root.Native()); err != nil {
			return nil, fmt.Errorf("schema: add %s: %w", r.ID, err)
		}
	}
	if len(resources) == 0 {
		return nil, fmt.Errorf("schema: compile: %w", ErrNotGiven)
	}
	compiled, err := library.Compile(absoluteURI(resources[0].ID))
	if err != nil {
		return nil, fmt.Errorf("schema: compile: %w", err)
	}
	return &Quick{compiled}, nil
}

// Fits tells that v surely fits the schema. Where it is false, a Schema tells whether
// it does.
func (q *Quick) Fits(v value.Value) (fits bool) {
	defer func() {
		if recover() != nil {
			fits = false
		}
	}()
	if _, oversized := oversizedNumber(v); oversized {
		return false
	}
	return q.library.Validate(v.Native()) == nil
}

// nothing loads nothing.
type nothing struct{}

// Load gives an error for each document that was not handed over.
func (nothing) Load(uri string) (any, error) { return nil, fmt.Errorf("%q %w", uri, ErrNotGiven) }

func asPattern(v any) error {
	if !isPattern(v) {
		return errNoPattern
	}
	return nil
}
