package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/reason"
)

var (
	// filtered is a JSONPath whose last segment is a filter.
	filtered = regexp.MustCompile(`^(\$[^?]*)\[\?(.*)\]$`)
	// compared is a comparison of a place with a text in a filter.
	compared = regexp.MustCompile(`([@$](?:\.[A-Za-z_]\w*|\['[^'\\]*'\]|\["[^"\\]*"\]|\[\d+\])*)\s*(?:==|!=)\s*('[^'\\]*'|"[^"\\]*")`)
	// calling is the call of a function.
	calling = regexp.MustCompile(`[a-z]\(`)
)

// checkFilters looks for comparisons of JSONPath criteria with what is never there.
func checkFilters(p *lint.Pass) {
	for _, c := range p.Criteria() {
		if criterionType(c) == "jsonpath" && len(c.Faults) == 0 && isText(c.Model.Condition) {
			checkFilter(p, c)
		}
	}
}

// checkPatterns looks for patterns that none of the listed values of their context
// matches.
func checkPatterns(p *lint.Pass) {
	for _, c := range p.Criteria() {
		if criterionType(c) != "regex" || len(c.Faults) > 0 || !isText(c.Model.Condition) {
			continue
		}
		uses := c.Compiled.Uses()
		if len(uses) != 1 {
			continue // something is embedded in it
		}
		pattern, err := regexp.Compile(c.Model.Condition.Value)
		context := uses[0].Expression
		listed, ok := c.SchemaAlong(context, lint.Tokens(context)).Values()
		if err != nil || !ok || len(listed) == 0 {
			continue
		}
		if !slices.ContainsFunc(listed, func(v value.Value) bool { return v.IsScalar() && pattern.MatchString(v.Text()) }) {
			p.Reportf(lint.At(c.Model.Condition.Node), "the pattern matches no value of %s: it is one of %s",
				short(context.Source), strings.Join(textsOf(listed), ", "))
		}
	}
}

func checkFilter(p *lint.Pass, c *lint.Criterion) {
	text := c.Model.Condition.Value
	at := filtered.FindStringSubmatchIndex(text)
	uses := c.Compiled.Uses()
	if at == nil || len(uses) != 1 {
		return // or something is embedded in it
	}
	path, ok := lint.JSONPathTokens(text[at[2]:at[3]])
	filter := text[at[4]:at[5]]
	if !ok || calling.MatchString(filter) || strings.Contains(filter, "[?") {
		return
	}
	context := uses[0].Expression
	for _, m := range compared.FindAllStringSubmatchIndex(filter, -1) {
		place, literal := filter[m[2]:m[3]], filter[m[4]+1:m[5]-1]
		tokens, ok := lint.JSONPathTokens(place)
		if !ok {
			continue
		}
		var listed []value.Value
		if place[0] == '$' {
			listed, ok = c.SchemaAlong(context, slices.Concat(lint.Tokens(context), tokens)).Values()
		} else {
			listed, ok = ofElements(c.SchemaAlong(context, slices.Concat(lint.Tokens(context), path)), tokens)
		}
		if ok && neverListed(listed, value.String(literal)) {
			from := at[4] + m[4]
			p.Reportf(lint.Part(c.Model.Condition.Node, from, at[4]+m[5]), "%s is never %s%s", short(place), quote(literal),
				lint.DidYouMean(literal, textsOf(listed), "it is one of"))
		}
	}
}

// ofElements lists the values that there can be at a place in the elements of a
// list, the first or any; ok is false where they are not listed.
func ofElements(of reason.Schema, tokens []string) ([]value.Value, bool) {
	if of.Types().Has(reason.Object) {
		return nil, false
	}
	var all []value.Value
	for _, index := range []string{"0", "1000000"} {
		element, presence, _ := of.Path(append([]string{index}, tokens...))
		listed, ok := element.Values()
		if !ok && presence != reason.Impossible {
			return nil, false
		}
		for _, v := range listed {
			if !slices.ContainsFunc(all, func(w value.Value) bool { return value.LooseEqual(v, w) }) {
				all = append(all, v)
			}
		}
	}
	return all, len(all) > 0
}

// neverListed tells whether a constant is none of the values that are listed, of
// which some are of its kind.
func neverListed(listed []value.Value, v value.Value) bool {
	return slices.ContainsFunc(listed, func(w value.Value) bool { return w.Kind() == v.Kind() && w.Kind() != value.KindBool }) &&
		!slices.ContainsFunc(listed, func(w value.Value) bool { return value.LooseEqual(w, v) })
}
