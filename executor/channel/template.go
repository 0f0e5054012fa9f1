package channel

import (
	"cmp"
	"regexp"
	"strings"
)

// Template is the address of a channel with parameters in braces, as the segments of a
// path.
type Template []segment

// segment is one segment of a template: text, or a pattern with parameters.
type segment struct {
	text    string
	names   []string       // of the parameters, in their order
	pattern *regexp.Regexp // nil where the segment is text
}

// parameter finds the parameters of an address.
var parameter = regexp.MustCompile(`\{([^{}/]+)\}`)

// ParseTemplate reads an address such as orders/{orderId}/paid. A slash at its begin or
// end says nothing, and neither does a query. A brace that closes none is text.
func ParseTemplate(address string) Template {
	var t Template
	for _, text := range strings.Split(strings.Trim(cutQuery(address), "/"), "/") {
		t = append(t, parseSegment(text))
	}
	return t
}

func cutQuery(address string) string {
	path, _, _ := strings.Cut(address, "?")
	return path
}

func parseSegment(text string) segment {
	found := parameter.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return segment{text: text}
	}
	s := segment{text: text}
	pattern, at := "^", 0
	for _, f := range found {
		pattern += regexp.QuoteMeta(text[at:f[0]]) + "(.+)"
		s.names = append(s.names, text[f[2]:f[3]])
		at = f[1]
	}
	s.pattern = regexp.MustCompile("(?s)" + pattern + regexp.QuoteMeta(text[at:]) + "$")
	return s
}

// literalTemplate is a template of one segment without parameters.
func literalTemplate(name string) Template { return Template{{text: name}} }

// Match gives the parameters that the segments of a path, decoded, have in the place of
// those of the template. A parameter is never empty, and where it stands twice it has
// one value.
func (t Template) Match(path []string) (map[string]string, bool) {
	if len(path) != len(t) {
		return nil, false
	}
	var values map[string]string
	for i, s := range t {
		if s.pattern == nil {
			if s.text != path[i] {
				return nil, false
			}
			continue
		}
		found := s.pattern.FindStringSubmatch(path[i])
		if found == nil {
			return nil, false
		}
		for j, name := range s.names {
			if before, ok := values[name]; ok && before != found[j+1] {
				return nil, false
			}
			if values == nil {
				values = map[string]string{}
			}
			values[name] = found[j+1]
		}
	}
	return values, true
}

// compare puts the template first that is text, from the left, where the other has
// parameters.
func (t Template) compare(other Template) int {
	for i := range min(len(t), len(other)) {
		if c := cmp.Compare(len(t[i].names), len(other[i].names)); c != 0 {
			return c
		}
	}
	return 0
}
