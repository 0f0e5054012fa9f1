package executor

import (
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`\{([^}]*)\}`)

// pathParameters lists the parameters of a path template, each once.
func pathParameters(template string) []string {
	template, _, _ = strings.Cut(template, "#")
	var names []string
	for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
		if !slices.Contains(names, match[1]) {
			names = append(names, match[1])
		}
	}
	return names
}

// refuseUnsendable refuses a call whose parameters can never make a request: a path with
// a hole, a parameter that the path has no place for, a query beside the whole query.
// Those of a channel's address may come from elsewhere.
func (c *compiler) refuseUnsendable(w *workflow, s *step, arguments []argument) {
	var whole, query []string
	given := map[string]bool{}
	for _, a := range arguments {
		switch a.in {
		case "path":
			given[a.name] = true
		case "query":
			query = append(query, a.name)
		case "querystring":
			whole = append(whole, a.name)
		}
	}
	switch {
	case len(whole) > 1:
		c.refuse(w.set, s.model.Node, "step %q: the parameters %s are each the whole query string", s.id, quotedList(whole))
	case len(whole) == 1 && len(query) > 0:
		c.refuse(w.set, s.model.Node, "step %q: the parameter %q is the whole query string, so %s in query cannot be sent beside it", s.id, whole[0], quotedList(query))
	}
	if s.channel != nil {
		return
	}
	has := pathParameters(s.operation.Path)
	for _, name := range has {
		if !given[name] {
			c.refuse(w.set, s.model.Node, "step %q: the path %s needs a value for its parameter %q; expected a parameter of that name with in: path", s.id, s.operation.Path, name)
		}
	}
	for _, a := range arguments {
		if a.in == "path" && !slices.Contains(has, a.name) {
			c.refuse(w.set, s.model.Node, "step %q: the path %s has no parameter %q; it has %s", s.id, s.operation.Path, a.name, quotedList(has))
		}
	}
}
