package schema

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo/value"
)

// ofAny adds the keywords that hold of values whatever their kind, and the form of
// strings.
func (c *quickCompiler) ofAny(g *glance, name string, given value.Value) {
	switch name {
	case "type":
		names := given.Items()
		if given.Kind() == value.KindString {
			names = []value.Value{given}
		}
		c.demand(len(names) > 0, name, given)
		for _, each := range names {
			c.demand(isTypeName(each), name, given)
			g.types = append(g.types, each.Text())
		}
	case "const":
		g.add(func(_ *look, v value.Value) bool { return value.Identical(v, given) })
	case "enum":
		c.demand(given.Len() > 0 && given.Kind() == value.KindArray, name, given)
		g.add(func(_ *look, v value.Value) bool {
			return slices.ContainsFunc(given.Items(), func(item value.Value) bool { return value.Identical(v, item) })
		})
	case "format":
		c.format(g, given)
	}
}

// format adds the one format of our own schemas. Of strings of other formats nothing
// is sure.
func (c *quickCompiler) format(g *glance, given value.Value) {
	c.demand(given.Kind() == value.KindString, "format", given)
	onlyOf(g, value.KindString, func(l *look, v value.Value) bool {
		if given.Text() == "uri-reference" {
			return isURIReference(v.Text())
		}
		l.unsure = true
		return false
	})
}

func isURIReference(text string) bool {
	parsed, err := url.Parse(text)
	if err != nil || strings.Contains(text, `\`) {
		return false
	}
	host := parsed.Hostname()
	return !strings.Contains(host, ":") || strings.Contains(parsed.Host, "[") && net.ParseIP(host) != nil
}

// bound adds a limit of numbers.
func (c *quickCompiler) bound(g *glance, name string, limit value.Value) {
	c.demand(limit.Kind() == value.KindNumber && !hasOversized(limit), name, limit)
	onlyOf(g, value.KindNumber, func(_ *look, v value.Value) bool {
		order, _ := value.Order(v, limit)
		switch name {
		case "minimum":
			return order >= 0
		case "maximum":
			return order <= 0
		case "exclusiveMinimum":
			return order > 0
		default:
			return order < 0
		}
	})
}

// sized adds a limit of how long or large values are.
func (c *quickCompiler) sized(g *glance, name string, given value.Value) {
	const greatest = 1 << 30
	limit, ok := given.Int64()
	c.demand(ok && limit >= 0 && limit < greatest, name, given)
	within := limits{int(limit), -1}
	if strings.HasPrefix(name, "max") {
		within = limits{-1, int(limit)}
	}
	kind, size := value.KindString, func(v value.Value) int { return utf8.RuneCountInString(v.Text()) }
	switch {
	case strings.HasSuffix(name, "Items"):
		kind, size = value.KindArray, value.Value.Len
	case strings.HasSuffix(name, "Properties"):
		kind, size = value.KindObject, value.Value.Len
	}
	onlyOf(g, kind, func(_ *look, v value.Value) bool { return within.hold(size(v)) })
}

// pattern compiles a pattern. Many are no more than how a text begins.
func (c *quickCompiler) pattern(given value.Value) func(string) bool {
	text, isText := given.Str()
	if start, ok := strings.CutPrefix(text, "^"); ok && regexp.QuoteMeta(start) == start {
		return func(s string) bool { return strings.HasPrefix(s, start) }
	}
	expression, err := regexp.Compile(text)
	c.demand(isText && err == nil, "pattern", given)
	if err != nil {
		return nil
	}
	return expression.MatchString
}

// ofLists adds what is said of arrays.
func (c *quickCompiler) ofLists(g *glance, uri, name string, given value.Value) {
	if name == "items" {
		each := &items{others: c.schema(uri, given)}
		g.add(each.judge)
		return
	}
	is, ok := given.Bool() // uniqueItems
	c.demand(ok, name, given)
	if is {
		g.add(func(_ *look, v value.Value) bool { return areUnique(v.Items()) })
	}
}

// areUnique tells whether no two of the values are the same.
func areUnique(items []value.Value) bool {
	const few = 32 // two seldom have much in common: to compare them is quick
	if len(items) <= few {
		for i, item := range items {
			if slices.ContainsFunc(items[:i], func(other value.Value) bool { return value.Identical(item, other) }) {
				return false
			}
		}
		return true
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		seen[string(value.AppendJCS(nil, item))] = true
	}
	return len(seen) == len(items)
}

// ofObjects adds what is said of objects, but for their members one by one.
func (c *quickCompiler) ofObjects(g *glance, uri, name string, given value.Value) {
	switch name {
	case "required":
		names := c.texts(name, given)
		onlyOf(g, value.KindObject, func(_ *look, v value.Value) bool { return hasAll(v, names) })
	case "dependentRequired":
		for _, m := range c.named(name, given) {
			others := c.texts(name, m.Value)
			onlyOf(g, value.KindObject, func(_ *look, v value.Value) bool {
				return v.Get(m.Name).IsAbsent() || hasAll(v, others)
			})
		}
	default: // propertyNames
		names := c.schema(uri, given)
		g.add(func(l *look, v value.Value) bool {
			return !slices.ContainsFunc(v.Members(), func(m value.Member) bool { return !l.judge(names, value.String(m.Name)) })
		})
	}
}

func (c *quickCompiler) texts(keyword string, given value.Value) []string {
	c.demand(given.Kind() == value.KindArray, keyword, given)
	var all []string
	for _, item := range given.Items() {
		text, ok := item.Str()
		c.demand(ok, keyword, given)
		all = append(all, text)
	}
	return all
}

func hasAll(v value.Value, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return v.Get(name).IsAbsent() })
}

// members adds what is said of the members of objects.
func (c *quickCompiler) members(g *glance, uri string, of value.Value) {
	m := &members{named: make(map[string]*glance), others: c.optional(uri, of.Get("additionalProperties"))}
	for _, p := range c.named("properties", of.Get("properties")) {
		m.named[p.Name] = c.schema(uri, p.Value)
	}
	for _, p := range c.named("patternProperties", of.Get("patternProperties")) {
		m.patterns = append(m.patterns, patternMembers{c.pattern(value.String(p.Name)), c.schema(uri, p.Value)})
	}
	if len(m.named)+len(m.patterns) > 0 || m.others != nil {
		g.add(m.judge)
	}
}

// named gives what a keyword has by names; nothing where it is absent.
func (c *quickCompiler) named(keyword string, given value.Value) []value.Member {
	c.demand(given.IsAbsent() || given.Kind() == value.KindObject, keyword, given)
	return given.Members()
}
