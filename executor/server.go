package executor

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
)

// target is where the requests of an operation go.
type target struct {
	base    string // without a trailing slash
	origin  string // scheme, host and port
	allowed bool   // for requests that may change something
}

// named gives the server that the user named under one of the names, the first
// that there is.
func (c Config) named(names []string) (string, bool) {
	for _, name := range names {
		if server, ok := c.Servers[name]; ok {
			return server, true
		}
	}
	return "", false
}

// chooseServer gives the server that the user named for the source, else the
// first of the operation's own, with the variables that the user gave. The names are
// those of documents.namesOf.
func chooseServer(config Config, names []string, o *source.Operation) (target, error) {
	if named, ok := config.named(names); ok {
		t, err := parseTarget(named)
		t.allowed = true
		return t, err
	}
	sourceName := names[1]
	if len(o.Servers) == 0 {
		return target{}, fmt.Errorf("source %q names no server; say --server %s=URL", sourceName, sourceName)
	}
	server, err := withVariables(o.Servers[0], config.source(names).Variables)
	if err != nil {
		return target{}, fmt.Errorf("source %q: %w", sourceName, err)
	}
	t, err := parseTarget(server.URL)
	if err != nil {
		return t, fmt.Errorf("%w; say --server %s=URL", err, sourceName)
	}
	t.allowed = isLoopback(t.origin)
	return t, nil
}

// withVariables fills variables of a server. A name that is none of them is refused:
// it is probably mistyped.
func withVariables(server source.Server, variables map[string]string) (source.Server, error) {
	known := server.Variables()
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !slices.Contains(known, name) {
			return server, fmt.Errorf("its server has no variable %q; it has %s", name, quotedList(known))
		}
	}
	return server.With(variables)
}

// ParseServer checks that text is a URL that requests can go to: absolute, http
// or https, without user, query or fragment.
func ParseServer(text string) error {
	_, err := parseTarget(text)
	return err
}

func parseTarget(text string) (target, error) {
	if strings.ContainsAny(text, "{}") {
		return target{}, fmt.Errorf("the server %q has a variable without a value", text)
	}
	u, err := url.Parse(text)
	if err != nil {
		return target{}, fmt.Errorf("%q is not a URL", text)
	}
	switch {
	case u.User != nil:
		return target{}, errors.New("a server's URL must not hold a user or password")
	case u.Scheme == "" || u.Host == "":
		return target{}, fmt.Errorf("the server %q is not an absolute URL, such as https://api.example.com", text)
	case u.Scheme != "http" && u.Scheme != "https":
		return target{}, fmt.Errorf("the server %q is neither http nor https", text)
	case u.Fragment != "":
		return target{}, fmt.Errorf("the server %q must not have a fragment", text)
	}
	return target{base: strings.TrimRight(text, "/"), origin: originOf(u)}, nil
}

func originOf(u *url.URL) string {
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Host)
}

// isLoopback tells whether an origin can only be on this machine (RFC 6761 for
// the name localhost).
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
