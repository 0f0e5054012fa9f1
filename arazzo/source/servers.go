package source

import (
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Server is one server with its variables filled by their defaults.
type Server struct {
	URL string // absolute where the description's location makes it so, without a trailing slash
}

// Absolute tells whether requests can be sent to the server as it is described.
// They cannot where the description came from a file and names no host.
func (s Server) Absolute() bool { return isNetwork(s.URL) }

func (b *builder) serversOf(described openapi3.Servers) []Server {
	var out []Server
	for _, s := range described {
		if s != nil {
			out = append(out, Server{URL: serverURL(b.at, s)})
		}
	}
	return out
}

// serverURL resolves a server against the location of its description. A file
// serves nothing: beside one, a relative URL stays as it is.
func serverURL(at *url.URL, s *openapi3.Server) string {
	written := withDefaults(s)
	if at.Scheme == "http" || at.Scheme == "https" {
		if ref, err := url.Parse(written); err == nil {
			written = at.ResolveReference(ref).String()
		}
	}
	return strings.TrimRight(written, "/")
}

// withDefaults fills the variables of a server's URL: by the default, else by
// the only value allowed. A variable without either stays as it is written.
func withDefaults(s *openapi3.Server) string {
	if !strings.Contains(s.URL, "{") {
		return s.URL
	}
	var pairs []string
	for name, variable := range s.Variables {
		if variable == nil {
			continue
		}
		switch {
		case variable.Default != "":
			pairs = append(pairs, "{"+name+"}", variable.Default)
		case len(variable.Enum) == 1:
			pairs = append(pairs, "{"+name+"}", variable.Enum[0])
		}
	}
	return strings.NewReplacer(pairs...).Replace(s.URL)
}
