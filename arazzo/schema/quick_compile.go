package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// metaSchema names the schema of schemas.
const metaSchema = "https://json-schema.org/draft/2020-12/schema"

// errNotQuick tells of a schema of which no quick look can be had.
var errNotQuick = errors.New("only a whole look knows this")

// quickCompiler compiles schemas for quick looks.
type quickCompiler struct {
	roots map[string]value.Value // by URI
	known map[string]*glance     // by URI and pointer
	err   error                  // the first
}

// demand notes that a schema is not for a quick look where a keyword of it is not as
// it must be; what is compiled of it is then never used.
func (c *quickCompiler) demand(is bool, keyword string, given value.Value) {
	if !is && c.err == nil {
		c.err = fmt.Errorf("%s: %s: %w", keyword, given, errNotQuick)
	}
}

// refer gives the schema that a pointer names in a resource, which may be under way.
func (c *quickCompiler) refer(uri, pointer string) *glance {
	key := uri + "#" + pointer
	if g := c.known[key]; g != nil {
		return g
	}
	g := &glance{}
	c.known[key] = g
	if uri == metaSchema && pointer == "" {
		g.add(isPlainSchema)
		return g
	}
	at, err := value.ParsePointer(pointer)
	given := at.In(c.roots[uri])
	c.demand(err == nil && !given.IsAbsent(), "$ref", value.String(key))
	c.fill(g, uri, given)
	return g
}

// resolve gives what a $ref leads to from a resource.
func (c *quickCompiler) resolve(uri string, given value.Value) *glance {
	reference, ok := given.Str()
	c.demand(ok, "$ref", given)
	to, pointer, _ := strings.Cut(reference, "#")
	if to != "" {
		uri = c.beside(uri, to)
	}
	return c.refer(uri, pointer)
}

// beside gives the URI of a resource by a name that is relative to another.
func (c *quickCompiler) beside(uri, name string) string {
	folder := uri[:strings.LastIndexByte(uri, '/')+1]
	if _, known := c.roots[folder+name]; known {
		return folder + name
	}
	return name
}

// schema compiles a schema that stands in a resource.
func (c *quickCompiler) schema(uri string, given value.Value) *glance {
	g := &glance{}
	c.fill(g, uri, given)
	return g
}

// optional compiles a schema that need not be there; nil where it is not.
func (c *quickCompiler) optional(uri string, given value.Value) *glance {
	if given.IsAbsent() {
		return nil
	}
	return c.schema(uri, given)
}

func (c *quickCompiler) schemas(uri, keyword string, given value.Value) []*glance {
	c.demand(given.Kind() == value.KindArray && given.Len() > 0, keyword, given)
	var all []*glance
	for _, item := range given.Items() {
		all = append(all, c.schema(uri, item))
	}
	return all
}

func (c *quickCompiler) fill(g *glance, uri string, given value.Value) {
	if is, ok := given.Bool(); ok {
		g.never = !is
		return
	}
	c.demand(given.Kind() == value.KindObject, "a schema", given)
	for _, m := range given.Members() {
		c.keyword(g, uri, m.Name, given)
	}
	c.members(g, uri, given)
}

// keyword adds what a keyword of a schema says, if it says anything by itself.
func (c *quickCompiler) keyword(g *glance, uri, name string, of value.Value) {
	given := of.Get(name)
	switch name {
	case "title", "description", "$comment", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$defs", "then", "else":
	case "properties", "patternProperties", "additionalProperties": // see members
	case "$schema":
		c.demand(given.Text() == metaSchema, name, given)
	case "$id":
		c.demand(given.Text() == uri && value.Identical(of, c.roots[uri]), name, given)
	case "$ref", "allOf", "anyOf", "oneOf", "not", "if":
		c.parts(g, uri, name, of)
	case "type", "enum", "const", "format":
		c.ofAny(g, name, given)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		c.bound(g, name, given)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		c.sized(g, name, given)
	case "pattern":
		matches := c.pattern(given)
		onlyOf(g, value.KindString, func(_ *look, v value.Value) bool { return matches(v.Text()) })
	case "items", "uniqueItems":
		c.ofLists(g, uri, name, given)
	case "required", "dependentRequired", "propertyNames":
		c.ofObjects(g, uri, name, given)
	default:
		c.demand(strings.HasPrefix(name, "x-") && name != asidePattern, name, given)
	}
}

// onlyOf adds what is said of values of one kind.
func onlyOf(g *glance, kind value.Kind, says assertion) {
	g.add(func(l *look, v value.Value) bool { return v.Kind() != kind || says(l, v) })
}

// parts adds the schemas that judge the same value.
func (c *quickCompiler) parts(g *glance, uri, name string, of value.Value) {
	given := of.Get(name)
	switch name {
	case "$ref":
		to := c.resolve(uri, given)
		g.add(func(l *look, v value.Value) bool { return l.judge(to, v) })
	case "not":
		not := c.schema(uri, given)
		g.add(func(l *look, v value.Value) bool { return !l.judge(not, v) })
	case "if":
		g.add(branches{c.schema(uri, given), c.optional(uri, of.Get("then")), c.optional(uri, of.Get("else"))}.judge)
	case "allOf":
		every := c.schemas(uri, name, given)
		g.add(func(l *look, v value.Value) bool { return l.count(every, v) == len(every) })
	case "anyOf":
		some := c.schemas(uri, name, given)
		g.add(func(l *look, v value.Value) bool { return l.count(some, v) > 0 })
	default: // oneOf
		some := c.schemas(uri, name, given)
		g.add(func(l *look, v value.Value) bool { return l.count(some, v) == 1 })
	}
}
