package source

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Server is one server with its variables filled by their defaults.
type Server struct {
	URL string // absolute where the description's location makes it so, without a trailing slash

	at        *url.URL // of the description
	described *openapi3.Server
}

// With gives the server with other values for some of its variables. It is an error
// if a value is none that the description allows. Names that are none of its
// variables are passed over.
func (s Server) With(variables map[string]string) (Server, error) {
	if s.described == nil || len(variables) == 0 {
		return s, nil
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		v := s.described.Variables[name]
		if v != nil && len(v.Enum) > 0 && !slices.Contains(v.Enum, variables[name]) {
			return s, fmt.Errorf("the server variable %s cannot be %q: there are %s", name, variables[name], strings.Join(v.Enum, ", "))
		}
	}
	s.URL = serverURL(s.at, s.described, variables)
	return s, nil
}

// Variables lists the names of the server's variables, sorted.
func (s Server) Variables() []string {
	if s.described == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.described.Variables))
}

// Absolute tells whether requests can be sent to the server as it is described.
// They cannot where the description came from a file and names no host.
func (s Server) Absolute() bool { return isNetwork(s.URL) }

func (b *builder) serversOf(described openapi3.Servers) []Server {
	var out []Server
	for _, s := range described {
		if s != nil {
			out = append(out, Server{URL: serverURL(b.at, s, nil), at: b.at, described: s})
		}
	}
	return out
}

// serverURL resolves a server against the location of its description. A file
// serves nothing: beside one, a relative URL stays as it is.
func serverURL(at *url.URL, s *openapi3.Server, given map[string]string) string {
	written := filled(s, given)
	if at.Scheme == "http" || at.Scheme == "https" {
		if ref, err := url.Parse(written); err == nil {
			written = at.ResolveReference(ref).String()
		}
	}
	return strings.TrimRight(written, "/")
}

// filled fills the variables of a server's URL: by what is given, else by the
// default, else by the only value allowed. A variable without any of them stays as it
// is written.
func filled(s *openapi3.Server, given map[string]string) string {
	if !strings.Contains(s.URL, "{") {
		return s.URL
	}
	var pairs []string
	for name, variable := range s.Variables {
		if variable == nil {
			continue
		}
		text, known := given[name]
		switch {
		case known:
			pairs = append(pairs, "{"+name+"}", text)
		case variable.Default != "":
			pairs = append(pairs, "{"+name+"}", variable.Default)
		case len(variable.Enum) == 1:
			pairs = append(pairs, "{"+name+"}", variable.Enum[0])
		}
	}
	return strings.NewReplacer(pairs...).Replace(s.URL)
}
