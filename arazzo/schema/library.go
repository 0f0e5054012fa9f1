package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/weft-flow/weft/arazzo/value"
)

// ErrNotGiven tells that a schema refers to a document that was not handed over.
var ErrNotGiven = errors.New("refers to a document that is not at hand (nothing is fetched)")

// compiler is the library's compiler, set up so that it reads nothing by itself.
type compiler struct {
	resources []prepared
	library   *jsonschema.Compiler // nil where a new one is needed
	known     int                  // resources that it has
	budget    *budget              // of what it compiles
	glances   *glances             // of what it compiled
}

// prepared is a resource as the library is given it.
type prepared struct{ uri, text string }

func (c *compiler) add(uri string, root value.Value) error {
	native := root.Native()
	prepare(uri, native)
	text, err := json.Marshal(native)
	if err != nil {
		return err
	}
	c.resources = append(c.resources, prepared{uri, string(text)})
	return nil
}

func (c *compiler) compile(uri string, at value.Pointer) (run *compiled, err error) {
	defer func() {
		// The library takes for granted what its meta-schema promises, and
		// panics where that is not enough.
		if caught := recover(); caught != nil {
			run, err = nil, fmt.Errorf("the schema cannot be understood: %v", caught)
		}
		if err != nil {
			// It would go on with what it had compiled when it failed, and call
			// that a success the next time.
			c.library = nil
		}
	}()
	if c.library == nil {
		c.library, c.known = c.fresh(), 0
	}
	for ; c.known < len(c.resources); c.known++ {
		r := c.resources[c.known]
		if err := c.library.AddResource(r.uri, strings.NewReader(r.text)); err != nil {
			return nil, err
		}
	}
	library, err := c.library.Compile(uri + fragment(at))
	if err != nil {
		return nil, err
	}
	return &compiled{library: library, budget: c.budget, glance: c.glances.of(library)}, nil
}

func (c *compiler) fresh() *jsonschema.Compiler {
	library := jsonschema.NewCompiler()
	library.AssertFormat = true
	library.Formats["regex"] = isPattern
	library.LoadURL = func(uri string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%q %w", strings.TrimPrefix(uri, localURI), ErrNotGiven)
	}
	c.budget, c.glances = &budget{}, glancesOf(library)
	library.RegisterExtension(asidePattern, nil, patternKeyword{})
	library.RegisterExtension("budget", nil, c.budget)
	return library
}

// compiled is a schema as the library compiled it.
type compiled struct {
	library *jsonschema.Schema
	budget  *budget
	glance  *glance
}

// validate gives nil where v is valid. An error tells that it cannot be said.
func (c *compiled) validate(v value.Value) (found *finding, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			found, err = nil, fmt.Errorf("the value cannot be checked: %v", caught)
		}
	}()
	defer c.budget.grant(countNodes(v))()
	err = c.library.Validate(v.Native())
	if err == nil {
		return nil, nil
	}
	if found = asFinding(err); found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("the value cannot be checked: %w", err)
}

// asFinding gives the tree of reasons that err carries, nil where it has none.
func asFinding(err error) *finding {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	return convert(invalid)
}

// plainWords gives the words of an error of the library without its own frame.
func plainWords(err error) string {
	var framed *jsonschema.SchemaError
	if errors.As(err, &framed) && framed.Err != nil {
		err = framed.Err
	}
	return strings.TrimPrefix(err.Error(), "jsonschema: ")
}

func convert(e *jsonschema.ValidationError) *finding {
	uri, place, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	f := &finding{
		uri:      uri,
		at:       tokens(place),
		ofName:   judgesName(tokens(e.KeywordLocation)),
		instance: tokens(e.InstanceLocation),
		text:     e.Message,
	}
	switch groups := e.Message == "" || e.KeywordLocation == "" && len(e.Causes) > 0; {
	case groups:
	case e.Message == "not allowed": // the library's words for the schema false
		f.at, f.keyword = splitFalse(f.at)
	default:
		f.at, f.keyword, f.trail = splitKeyword(f.at, e.Message)
	}
	for _, cause := range e.Causes {
		f.causes = append(f.causes, convert(cause))
	}
	return f
}

// Compile makes the budget part of every schema.
func (b *budget) Compile(jsonschema.CompilerContext, map[string]any) (jsonschema.ExtSchema, error) {
	return b, nil
}

// Validate counts one application of a schema.
func (b *budget) Validate(jsonschema.ValidationContext, any) error {
	b.spend()
	return nil
}

// patternKeyword holds strings against the patterns that were set aside.
type patternKeyword struct{}

// Compile compiles the pattern that a schema has set aside, if any.
func (patternKeyword) Compile(_ jsonschema.CompilerContext, m map[string]any) (jsonschema.ExtSchema, error) {
	text, ok := m[asidePattern].(string)
	if !ok {
		return nil, nil
	}
	expression, err := parseECMAScript(text)
	if err != nil {
		return nil, err
	}
	return expression, nil
}

// Validate gives an error where v is a string that the pattern does not match.
func (p ecmaPattern) Validate(ctx jsonschema.ValidationContext, v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	matched, err := p.match(text)
	if err != nil {
		return ctx.Error("pattern", "the pattern could not be tried: %v", err)
	}
	if !matched {
		return ctx.Error("pattern", "does not match")
	}
	return nil
}
