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
	library *jsonschema.Compiler
	anchors map[string][]value.Pointer // by URI: places to visit before the first reference
}

func newCompiler() *compiler {
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.Formats["regex"] = isPattern
	c.LoadURL = func(uri string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%q %w", strings.TrimPrefix(uri, localURI), ErrNotGiven)
	}
	c.RegisterExtension(asidePattern, nil, patternKeyword{})
	return &compiler{library: c, anchors: make(map[string][]value.Pointer)}
}

func (c *compiler) add(uri string, root value.Value) error {
	native := root.Native()
	setPatternsAside(native)
	encoded, err := json.Marshal(native)
	if err != nil {
		return err
	}
	c.anchors[uri] = anchored(root)
	return c.library.AddResource(uri, strings.NewReader(string(encoded)))
}

func (c *compiler) compile(uri string, at value.Pointer) (run *compiled, err error) {
	defer func() {
		// The library takes for granted what its meta-schema promises, and
		// panics where that is not enough.
		if caught := recover(); caught != nil {
			run, err = nil, fmt.Errorf("the schema cannot be understood: %v", caught)
		}
	}()
	// The library finds an anchor only beneath places that it has been to.
	for _, place := range c.anchors[uri] {
		_, _ = c.library.Compile(uri + fragment(place))
	}
	delete(c.anchors, uri)
	library, err := c.library.Compile(uri + fragment(at))
	if err != nil {
		return nil, err
	}
	return &compiled{library: library}, nil
}

// compiled is a schema as the library compiled it.
type compiled struct {
	library *jsonschema.Schema
}

// validate gives nil where v is valid. An error tells that it cannot be said.
func (c *compiled) validate(v value.Value) (found *finding, err error) {
	defer func() {
		if caught := recover(); caught != nil {
			found, err = nil, fmt.Errorf("the value cannot be checked: %v", caught)
		}
	}()
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
	return ecmaPattern{expression}, nil
}

// Validate gives an error where v is a string that the pattern does not match.
func (p ecmaPattern) Validate(ctx jsonschema.ValidationContext, v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	matched, err := p.MatchString(text)
	if err != nil {
		return ctx.Error("pattern", "the pattern could not be tried: %v", err)
	}
	if !matched {
		return ctx.Error("pattern", "does not match")
	}
	return nil
}
