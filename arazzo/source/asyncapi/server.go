package asyncapi

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// Server is where channels are: a broker, or a host that speaks HTTP.
type Server struct {
	Name            string // the key under servers
	Node            *arazzo.Node
	Protocol        string // as written: kafka, mqtt, amqp, wss, …
	ProtocolVersion string
	Host            string // a template, with a port where one is named; empty where a 2.x url is relative
	Pathname        string // a template; empty: none
	Title           string
	Summary         string
	Variables       []*Variable
	Security        []*Requirement
	Bindings        Bindings
}

// Variable fills a {name} in the host or pathname of a server.
type Variable struct {
	Name    string
	Node    *arazzo.Node
	Enum    []string // the only values; empty: any
	Default arazzo.Text
}

// Fill replaces the variables in a host or pathname by the values given, else by
// their defaults, else by the only value allowed. A variable without any stays
// as it is written.
func (s *Server) Fill(template string, values map[string]string) string {
	if !strings.Contains(template, "{") {
		return template
	}
	var pairs []string
	for _, v := range s.Variables {
		given, ok := values[v.Name]
		switch {
		case ok:
		case v.Default.Present():
			given = v.Default.Value
		case len(v.Enum) == 1:
			given = v.Enum[0]
		default:
			continue
		}
		pairs = append(pairs, "{"+v.Name+"}", given)
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// URL gives the server as a URL with its variables filled by what they have.
func (s *Server) URL() string {
	path := s.Fill(s.Pathname, nil)
	if path != "" && !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return s.Protocol + "://" + s.Fill(s.Host, nil) + path
}

func (r *reader) readServers() {
	for _, m := range r.entries(r.catalog.Node, "servers") {
		if s := r.server(m.Value, m.Key.Text); s != nil {
			r.servers[m.Value] = s
			r.catalog.Servers = append(r.catalog.Servers, s)
		}
	}
}

func (r *reader) server(n *arazzo.Node, name string) *Server {
	n = r.object(n, "a server")
	if n == nil {
		return nil
	}
	if s := r.servers[n]; s != nil && s.Name == name {
		return s
	}
	s := &Server{
		Name: name, Node: n,
		Protocol: r.text(n, "protocol"), ProtocolVersion: r.text(n, "protocolVersion"),
		Title: r.text(n, "title"), Summary: r.text(n, "summary"),
		Security: r.security(n), Bindings: r.bindings(n),
	}
	if r.major == 2 {
		s.Host, s.Pathname = splitURL(r.text(n, "url"))
	} else {
		s.Host, s.Pathname = r.text(n, "host"), r.text(n, "pathname")
	}
	for _, m := range r.entries(n, "variables") {
		if v := r.object(m.Value, "a server variable"); v != nil {
			s.Variables = append(s.Variables, &Variable{
				Name: m.Key.Text, Node: v, Enum: r.texts(v, "enum"), Default: r.optional(v, "default"),
			})
		}
	}
	r.servers[n] = s
	return s
}

// splitURL takes the template of a URL apart. Its scheme says less than the
// protocol beside it, and may be left out.
func splitURL(template string) (host, pathname string) {
	if _, after, ok := strings.Cut(template, "://"); ok {
		template = after
	}
	if at := strings.IndexByte(template, '/'); at >= 0 {
		return template[:at], template[at:]
	}
	return template, ""
}

func (r *reader) bindings(n *arazzo.Node) Bindings {
	entries := r.entries(n, "bindings")
	if len(entries) == 0 {
		return nil
	}
	all := make(Bindings, len(entries))
	for _, m := range entries {
		if binding := r.follow(m.Value); binding != nil {
			all[m.Key.Text] = binding
		}
	}
	return all
}
