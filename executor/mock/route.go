package mock

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/weft-flow/weft/arazzo/source"
)

// route is one operation and the paths that lead to it.
type route struct {
	source    string
	operation *source.Operation
	name      string // the operation's id, else its method and path
	segments  []segment
	prefixes  []string // of the path, by the number of segments: see prefix
	role      role
	// collection names the one that the operation is about, over all sources.
	collection string
	known      *known
	said       string // a header that bears keys, as whoever uses the API says; empty: none

	once    sync.Once
	answers *described
	others  sync.Map // replies by status, where they are chosen
}

// segment is one segment of a path template.
type segment struct {
	text   string         // as the template writes it
	names  []string       // of the parameters in it; none: it is literal
	mixed  *regexp.Regexp // where it is not one parameter alone
	static string         // the unescaped text of a literal one
}

func (s segment) literal() bool { return len(s.names) == 0 }

// sole gives the name of the parameter that the whole segment is.
func (s segment) sole() (string, bool) {
	if len(s.names) == 1 && s.mixed == nil {
		return s.names[0], true
	}
	return "", false
}

// found is what a request's path leads to; without a route where nothing.
type found struct {
	route  *route
	params map[string]string
	path   []string // the segments below the source, unescaped
}

type routes struct {
	sources []string
	// receivers are the other names by which receivers may know a source.
	receivers map[string][]string
	all       []*route            // of one source after the other, literal segments first
	bases     map[string][]string // the base paths of the servers of a source
	// webhooks are what the described servers send.
	webhooks []*webhook

	sendsOnce  sync.Once
	sends      map[*route][]sending // what is sent after each operation: see compileSends
	sendFaults []error
}

func compileRoutes(sources []Source) *routes {
	rs := &routes{bases: map[string][]string{}, receivers: map[string][]string{}}
	for _, src := range sources {
		if src.Catalog == nil || slices.Contains(rs.sources, src.Name) {
			continue
		}
		rs.sources = append(rs.sources, src.Name)
		rs.receivers[src.Name] = src.Receivers
		var own []*route
		for _, op := range src.Catalog.Operations {
			rs.addWebhooks(src.Name, op)
			if op.Kind != source.Request {
				continue
			}
			r := newRoute(src.Name, op)
			r.said = src.Keys[r.name]
			own = append(own, r)
			rs.addBases(src.Name, op.Servers)
		}
		slices.SortStableFunc(own, moreLiteral)
		assignRoles(own)
		rs.all = append(rs.all, own...)
	}
	learn(rs.all)
	return rs
}

func (rs *routes) addWebhooks(name string, op *source.Operation) {
	known := func(h *webhook) bool { return h.operation == op }
	if op.Kind != source.Request && !slices.ContainsFunc(rs.webhooks, known) {
		rs.webhooks = append(rs.webhooks, newWebhook(name, op))
	}
	for _, sent := range op.Callbacks {
		rs.addWebhooks(name, sent)
	}
}

func newRoute(name string, op *source.Operation) *route {
	r := &route{source: name, operation: op, name: nameOf(op)}
	path, _, _ := strings.Cut(op.Path, "?")
	for _, text := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		r.segments = append(r.segments, newSegment(text))
	}
	r.prefixes = prefixesOf(r.segments)
	return r
}

var templateParameter = regexp.MustCompile(`\{([^{}]*)\}`)

func newSegment(text string) segment {
	places := templateParameter.FindAllStringSubmatchIndex(text, -1)
	if len(places) == 0 {
		static, err := url.PathUnescape(text)
		if err != nil {
			static = text
		}
		return segment{text: text, static: static}
	}
	s := segment{text: text}
	var pattern strings.Builder
	pattern.WriteString("^")
	end := 0
	for _, at := range places {
		pattern.WriteString(regexp.QuoteMeta(text[end:at[0]]))
		pattern.WriteString("(.+?)")
		s.names = append(s.names, text[at[2]:at[3]])
		end = at[1]
	}
	pattern.WriteString(regexp.QuoteMeta(text[end:]) + "$")
	if len(places) > 1 || places[0][0] > 0 || end < len(text) {
		s.mixed = regexp.MustCompile("(?s)" + pattern.String())
	}
	return s
}

// moreLiteral orders routes so that a literal segment is tried before a
// parameter (OpenAPI, Path Templating Matching).
func moreLiteral(a, b *route) int {
	for i := range min(len(a.segments), len(b.segments)) {
		if x, y := len(a.segments[i].names), len(b.segments[i].names); x != y {
			return x - y
		}
	}
	return len(a.segments) - len(b.segments)
}

func (rs *routes) addBases(name string, servers []source.Server) {
	for _, server := range servers {
		u, err := url.Parse(server.URL)
		if err != nil {
			continue
		}
		if base := strings.TrimSuffix(u.EscapedPath(), "/"); base != "" && !slices.Contains(rs.bases[name], base) {
			rs.bases[name] = append(rs.bases[name], base)
		}
	}
}

// find gives the route for a method and an escaped path, else the reply that says
// what there is instead.
func (rs *routes) find(method, path string) (found, *reply) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if name, err := url.PathUnescape(first); err == nil && slices.Contains(rs.sources, name) {
		if f, allowed := rs.within(name, method, "/"+rest); f.route != nil || len(allowed) > 0 {
			return f, rs.missing(f, method, path, allowed)
		}
	}
	var allowed []string
	for _, name := range rs.sources {
		f, others := rs.within(name, method, path)
		if f.route != nil {
			return f, nil
		}
		allowed = append(allowed, others...)
	}
	return found{}, rs.missing(found{}, method, path, allowed)
}

// within looks a path up among the operations of one source. allowed are the
// methods that the path has, where the asked one is not among them.
func (rs *routes) within(name, method, path string) (f found, allowed []string) {
	for _, below := range rs.belowBases(name, path) {
		segments, ok := unescapeSegments(below)
		if !ok {
			continue
		}
		var head found // a GET that can stand for HEAD
		for _, r := range rs.all {
			if r.source != name {
				continue
			}
			params, ok := r.match(segments)
			if !ok {
				continue
			}
			f := found{route: r, params: params, path: segments}
			switch {
			case r.operation.Method == method:
				return f, nil
			case method == http.MethodHead && r.operation.Method == http.MethodGet && head.route == nil:
				head = f
			default:
				allowed = append(allowed, r.operation.Method)
			}
		}
		if head.route != nil {
			return head, nil
		}
	}
	return found{}, allowed
}

// belowBases gives the path as it is and without the base paths of the source's
// servers.
func (rs *routes) belowBases(name, path string) []string {
	paths := []string{path}
	for _, base := range rs.bases[name] {
		if rest, ok := strings.CutPrefix(path, base); ok && strings.HasPrefix(rest, "/") {
			paths = append(paths, rest)
		}
	}
	return paths
}

func unescapeSegments(path string) ([]string, bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		plain, err := url.PathUnescape(s)
		if err != nil {
			return nil, false
		}
		segments[i] = plain
	}
	return segments, true
}

func (r *route) match(path []string) (map[string]string, bool) {
	if len(path) != len(r.segments) {
		return nil, false
	}
	var params map[string]string
	for i, s := range r.segments {
		if s.literal() {
			if s.static != path[i] {
				return nil, false
			}
			continue
		}
		if params == nil {
			params = map[string]string{}
		}
		if s.mixed == nil {
			if path[i] == "" {
				return nil, false
			}
			params[s.names[0]] = path[i]
			continue
		}
		parts := s.mixed.FindStringSubmatch(path[i])
		if parts == nil {
			return nil, false
		}
		for n, name := range s.names {
			params[name] = parts[n+1]
		}
	}
	return params, true
}

// mostListed is how many operations a "not found" names.
const mostListed = 20

func (rs *routes) missing(f found, method, path string, allowed []string) *reply {
	if f.route != nil {
		return nil
	}
	if len(allowed) > 0 {
		slices.Sort(allowed)
		list := strings.Join(slices.Compact(allowed), ", ")
		return problem(http.StatusMethodNotAllowed, "no-such-method",
			fmt.Sprintf("%s has no %s; it has %s.", path, method, list)).with("Allow", list)
	}
	return problem(http.StatusNotFound, "no-such-path",
		fmt.Sprintf("No operation has the path %s. There are: %s.", path, rs.list()))
}

func (rs *routes) list() string {
	if len(rs.all) == 0 {
		return "none"
	}
	var names []string
	for i, r := range rs.all {
		if i == mostListed {
			names = append(names, fmt.Sprintf("%d more", len(rs.all)-i))
			break
		}
		names = append(names, fmt.Sprintf("%s /%s%s", r.operation.Method, r.source, r.operation.Path))
	}
	return strings.Join(names, ", ")
}
