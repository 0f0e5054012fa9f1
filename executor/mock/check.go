package mock

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/arazzo/value"
)

// checker finds where a value breaks a schema. It knows the keywords that OpenAPI
// 3.0 and 3.1 share and a few more; a keyword that it does not know allows
// everything, since a false refusal is worse than a missed one.
type checker struct {
	findings []finding
	patterns *patterns
	left     *int // steps: branches within branches can multiply
}

const (
	deepestCheck = 200
	mostFindings = 20
	mostChecks   = 200_000
)

// checkBody gives what is wrong with a JSON body.
func (p *patterns) checkBody(schema *openapi3.Schema, body value.Value) []finding {
	left := mostChecks
	c := checker{patterns: p, left: &left}
	c.check(schema, body, nil, 0)
	return c.findings
}

func (c *checker) wrong(at value.Pointer, format string, args ...any) {
	if len(c.findings) < mostFindings {
		c.findings = append(c.findings, finding{pointer: "#" + at.String(), detail: fmt.Sprintf(format, args...)})
	}
}

// fits tells whether a value breaks a schema nowhere.
func (c *checker) fits(schema *openapi3.Schema, v value.Value, depth int) bool {
	inner := checker{patterns: c.patterns, left: c.left}
	inner.check(schema, v, nil, depth)
	return len(inner.findings) == 0
}

func (c *checker) check(schema *openapi3.Schema, v value.Value, at value.Pointer, depth int) {
	*c.left--
	if schema == nil || depth > deepestCheck || *c.left < 0 || len(c.findings) >= mostFindings {
		return
	}
	if schema.Always != nil {
		if !*schema.Always {
			c.wrong(at, "nothing is allowed here")
		}
		return
	}
	if v.IsNull() && schema.Nullable {
		return
	}
	if !typeFits(schema, v) {
		c.wrong(at, "is %s, expected %s", article(v.Kind().String()), strings.Join(schema.Type.Slice(), " or "))
		return
	}
	c.checkStated(schema, v, at)
	switch v.Kind() {
	case value.KindString:
		c.checkString(schema, v, at)
	case value.KindNumber:
		c.checkNumber(schema, v, at)
	case value.KindArray:
		c.checkArray(schema, v, at, depth)
	case value.KindObject:
		c.checkObject(schema, v, at, depth)
	}
	c.checkCombined(schema, v, at, depth)
}

func typeFits(schema *openapi3.Schema, v value.Value) bool {
	types := schema.Type.Slice()
	if len(types) == 0 {
		return true
	}
	kind := v.Kind().String()
	if slices.Contains(types, kind) {
		return true
	}
	return v.Kind() == value.KindNumber && slices.Contains(types, openapi3.TypeInteger) && isWhole(v)
}

func isWhole(v value.Value) bool {
	text, _ := v.NumberText()
	if !strings.ContainsAny(text, ".eE") {
		return true
	}
	n := rational(v)
	return n != nil && n.IsInt()
}

// rational gives a number exactly; nil where it is none, or so large that nobody
// means it.
func rational(v value.Value) *big.Rat {
	text, ok := v.NumberText()
	if !ok {
		return nil
	}
	const longestExponent = 4
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(strings.TrimLeft(text[at+1:], "+-0")) > longestExponent {
		return nil
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	return n
}

func article(kind string) string {
	if kind == "null" {
		return kind
	}
	if strings.ContainsRune("aio", rune(kind[0])) {
		return "an " + kind
	}
	return "a " + kind
}

func (c *checker) checkStated(schema *openapi3.Schema, v value.Value, at value.Pointer) {
	if fixed, ok := native(schema.Const); ok && !value.Identical(fixed, v) {
		c.wrong(at, "is not %s", fixed)
	}
	if len(schema.Enum) == 0 {
		return
	}
	allowed := make([]string, 0, len(schema.Enum))
	for _, data := range schema.Enum {
		e, ok := native(data)
		if !ok {
			e = value.Null
		}
		if value.Identical(e, v) {
			return
		}
		allowed = append(allowed, e.String())
	}
	c.wrong(at, "is not one of %s", strings.Join(allowed, ", "))
}

func (c *checker) checkString(schema *openapi3.Schema, v value.Value, at value.Pointer) {
	text, _ := v.Str()
	length := uint64(utf8.RuneCountInString(text))
	if length < schema.MinLength {
		c.wrong(at, "has %d characters, expected at least %d", length, schema.MinLength)
	}
	if schema.MaxLength != nil && length > *schema.MaxLength {
		c.wrong(at, "has %d characters, expected at most %d", length, *schema.MaxLength)
	}
	if matcher := c.patterns.compile(schema.Pattern); matcher != nil && !matcher.MatchString(text) {
		c.wrong(at, "does not match the pattern %s", schema.Pattern)
	}
}

// patterns keeps the patterns that were compiled, by their text.
type patterns struct{ compiled sync.Map }

// compile gives a pattern; nil where there is none, or none that RE2 can read.
func (p *patterns) compile(text string) *regexp.Regexp {
	if text == "" {
		return nil
	}
	if known, ok := p.compiled.Load(text); ok {
		return known.(*regexp.Regexp)
	}
	matcher, err := regexp.Compile(text)
	if err != nil {
		matcher = nil
	}
	p.compiled.Store(text, matcher)
	return matcher
}

func (c *checker) checkNumber(schema *openapi3.Schema, v value.Value, at value.Pointer) {
	n := rational(v)
	if n == nil {
		return
	}
	bound := func(limit *float64, allowed func(order int) bool, words string) {
		if limit == nil {
			return
		}
		if l := exactly(*limit); l != nil && !allowed(n.Cmp(l)) {
			c.wrong(at, "is %s, expected %s %s", v, words, number(*limit))
		}
	}
	atLeast := func(order int) bool { return order >= 0 }
	above := func(order int) bool { return order > 0 }
	atMost := func(order int) bool { return order <= 0 }
	below := func(order int) bool { return order < 0 }

	if schema.ExclusiveMin.IsTrue() {
		bound(schema.Min, above, "more than")
	} else {
		bound(schema.Min, atLeast, "at least")
	}
	if schema.ExclusiveMax.IsTrue() {
		bound(schema.Max, below, "less than")
	} else {
		bound(schema.Max, atMost, "at most")
	}
	bound(schema.ExclusiveMin.Value, above, "more than")
	bound(schema.ExclusiveMax.Value, below, "less than")
	if m := schema.MultipleOf; m != nil && *m > 0 {
		if step := exactly(*m); step != nil && !new(big.Rat).Quo(n, step).IsInt() {
			c.wrong(at, "is %s, expected a multiple of %s", v, number(*m))
		}
	}
}

// exactly gives the decimal number that a float was written as.
func exactly(f float64) *big.Rat {
	n, ok := new(big.Rat).SetString(number(f))
	if !ok {
		return nil
	}
	return n
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func (c *checker) checkArray(schema *openapi3.Schema, v value.Value, at value.Pointer, depth int) {
	count := uint64(v.Len())
	if count < schema.MinItems {
		c.wrong(at, "has %d elements, expected at least %d", count, schema.MinItems)
	}
	if schema.MaxItems != nil && count > *schema.MaxItems {
		c.wrong(at, "has %d elements, expected at most %d", count, *schema.MaxItems)
	}
	for i, element := range v.Items() {
		of := valueOf(schema.Items)
		if i < len(schema.PrefixItems) {
			of = valueOf(schema.PrefixItems[i])
		}
		c.check(of, element, step(at, strconv.Itoa(i)), depth+1)
	}
}

func (c *checker) checkObject(schema *openapi3.Schema, v value.Value, at value.Pointer, depth int) {
	for _, name := range schema.Required {
		if v.Get(name).IsAbsent() && !isReadOnly(schema, name) {
			c.wrong(at, "lacks the member %q", name)
		}
	}
	closed := schema.AdditionalProperties.Has != nil && !*schema.AdditionalProperties.Has
	for _, m := range v.Members() {
		if declared, ok := schema.Properties[m.Name]; ok {
			c.check(valueOf(declared), m.Value, step(at, m.Name), depth+1)
			continue
		}
		if c.matchesPattern(schema, m, at, depth) {
			continue
		}
		if closed {
			c.wrong(step(at, m.Name), "is not a member that is allowed here; there are %s", strings.Join(together{schema}.properties(), ", "))
			continue
		}
		c.check(valueOf(schema.AdditionalProperties.Schema), m.Value, step(at, m.Name), depth+1)
	}
}

func isReadOnly(schema *openapi3.Schema, name string) bool {
	s := valueOf(schema.Properties[name])
	return s != nil && s.ReadOnly
}

func (c *checker) matchesPattern(schema *openapi3.Schema, m value.Member, at value.Pointer, depth int) bool {
	matched := false
	for pattern, ref := range schema.PatternProperties {
		if matcher := c.patterns.compile(pattern); matcher != nil && matcher.MatchString(m.Name) {
			matched = true
			c.check(valueOf(ref), m.Value, step(at, m.Name), depth+1)
		}
	}
	return matched
}

func (c *checker) checkCombined(schema *openapi3.Schema, v value.Value, at value.Pointer, depth int) {
	for _, part := range schema.AllOf {
		c.check(valueOf(part), v, at, depth+1)
	}
	fitting := func(branches openapi3.SchemaRefs) int {
		n := 0
		for _, branch := range branches {
			if c.fits(valueOf(branch), v, depth+1) {
				n++
			}
		}
		return n
	}
	if len(schema.AnyOf) > 0 && fitting(schema.AnyOf) == 0 {
		c.wrong(at, "fits none of the %d schemas of which one must hold", len(schema.AnyOf))
	}
	if len(schema.OneOf) > 0 {
		if n := fitting(schema.OneOf); n != 1 {
			c.wrong(at, "fits %d of the %d schemas of which exactly one must hold", n, len(schema.OneOf))
		}
	}
	if not := valueOf(schema.Not); not != nil && c.fits(not, v, depth+1) {
		c.wrong(at, "fits a schema that it must not fit")
	}
}

func step(at value.Pointer, token string) value.Pointer {
	return append(slices.Clip(at), token)
}
