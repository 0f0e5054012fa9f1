package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/selector"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

// A JSONPath that leads to many places is followed as far as it leads to one: what
// comes before a wildcard or a filter. In a filter at its end, the places are
// followed that are compared with a constant.

// inElement is a place in the element.
const inElement = `@(?:\.[A-Za-z_]\w*|\['[^'\\]*'\]|\["[^"\\]*"\]|\[\d+\])+`

var (
	// readInFilter is a comparison of a place in the element with a constant, which an
	// element without that place does not pass.
	readInFilter = regexp.MustCompile(`(` + inElement + `)\s*(?:==|<=?|>=?)\s*(?:['"]|-?\d|true\b|false\b)`)
	// askedInFilter is the question whether there is a place in the element.
	askedInFilter = regexp.MustCompile(`^[\s(]*(` + inElement + `)[\s)]*$`)
)

// checkJSONPathCriterion looks at what a JSONPath criterion looks into. It asks
// whether something is there: that it is not described says nothing, that it cannot
// be there does.
func checkJSONPathCriterion(p *lint.Pass, c *lint.Criterion) {
	uses := c.Compiled.Uses()
	if criterionType(c) != "jsonpath" || len(c.Faults) > 0 || !isText(c.Model.Condition) || len(uses) != 1 {
		return // or something is embedded in it
	}
	context, text := uses[0].Expression, c.Model.Condition.Value
	if before := lint.Tokens(context); len(before) > 0 && isLost(c.Site, context, before) {
		return // told of the context
	}
	written, leading := lint.LeadingTokens(text)
	tokens := slices.Concat(lint.Tokens(context), leading)
	if l, known := follow(c.Site, context, tokens); known && len(tokens) > 0 && l.presence <= reason.Undeclared {
		if l.presence == reason.Impossible {
			p.Report(lint.Finding{At: lint.Part(c.Model.Condition.Node, 0, written), Severity: l.severity(), Message: l.message(tokens)})
		}
		return
	}
	at := filtered.FindStringSubmatchIndex(text)
	if at == nil || at[3] != written {
		return
	}
	checkFilterReads(p, c, c.SchemaAlong(context, tokens), at[4], text[at[4]:at[5]])
}

// checkFilterReads looks at the places in the elements of a list without which an
// element does not pass a filter, which stands from a byte of the condition on.
func checkFilterReads(p *lint.Pass, c *lint.Criterion, list reason.Schema, from int, filter string) {
	if list.Types().Has(reason.Object) || calling.MatchString(filter) || strings.Contains(filter, "[?") || strings.ContainsAny(filter, "!|") {
		return // the filter may be passed without what is missing
	}
	for _, m := range demandedPlaces(filter) {
		way, ok := lint.JSONPathTokens(filter[m[0]:m[1]])
		if !ok {
			continue
		}
		first, other := lostIn(list, append([]string{"0"}, way...)), lostIn(list, append([]string{"1000000"}, way...))
		if first.presence != reason.Impossible || other.presence != reason.Impossible || first.at == 0 {
			continue
		}
		first.in = "what " + short(c.Model.Condition.Value[:from-len("[?")]) + " gives"
		p.Report(lint.Finding{
			At:       lint.Part(c.Model.Condition.Node, from+m[0], from+m[1]),
			Severity: lint.Error,
			Message:  first.message(append([]string{"0"}, way...)),
		})
	}
}

// demandedPlaces gives where a filter that joins its parts with && names places without
// which no element passes it: each from a byte up to another.
func demandedPlaces(filter string) [][2]int {
	var all [][2]int
	for _, m := range readInFilter.FindAllStringSubmatchIndex(filter, -1) {
		all = append(all, [2]int{m[2], m[3]})
	}
	from := 0
	for _, part := range strings.Split(filter, "&&") {
		if m := askedInFilter.FindStringSubmatchIndex(part); m != nil {
			all = append(all, [2]int{from + m[2], from + m[3]})
		}
		from += len(part) + len("&&")
	}
	return all
}

// checkSelected looks at the way that a Selector Object goes: the whole, or that
// before a wildcard or a filter.
func checkSelected(p *lint.Pass, site lint.Site, v *dynamic.Value) {
	context, of := v.Selection()
	tokens, ok := lint.SelectionTokens(context, of)
	if !ok && of.Language() == selector.JSONPath {
		_, leading := lint.LeadingTokens(of.String())
		tokens, ok = append(lint.Tokens(context), leading...), true
	}
	if before := lint.Tokens(context); ok && (len(before) == 0 || !isLost(site, context, before)) {
		checkPath(p, site, context, tokens, func() lint.Place { return lint.At(v.Node().Get("selector"), v.Node()) })
	}
}
