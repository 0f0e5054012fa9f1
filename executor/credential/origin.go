package credential

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
)

// originOf gives scheme, host and port of a URL, in lower case and with the port
// left out where it is the scheme's own (RFC 6454); empty where it has none.
func originOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if port == map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return u.Scheme + "://" + host
}

// isLoopback tells whether a URL leads to this machine for certain (RFC 6761 for
// the name localhost).
func isLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// boundTo gives the one origin that the credentials of a source may go to: that of
// the server that the user named for it, else of the server that its description
// names first if that is on this machine; empty: none.
func boundTo(servers map[string]string, names []string, d *source.Description, variables map[string]string) string {
	for _, key := range append(names[:len(names):len(names)], "") {
		if server, ok := servers[key]; ok {
			return originOf(server)
		}
	}
	if len(d.OpenAPI.Servers) == 0 {
		return ""
	}
	server, err := d.OpenAPI.Servers[0].With(variables)
	if err != nil {
		return ""
	}
	described := server.URL
	if u, err := url.Parse(described); err == nil && isLoopback(u) {
		return originOf(described)
	}
	return ""
}

// endpoint gives the URL of the token endpoint: the configured one, else that of
// the description, which may be relative to the server; where no server is given
// it then stays so.
func (c OAuth2) endpoint(s *source.SecurityScheme, server string) (*url.URL, error) {
	if c.TokenURL != "" {
		u, err := tokenURL(c.TokenURL)
		if err == nil && u.Host == "" {
			err = errors.New("the configured token endpoint is not an absolute URL")
		}
		return u, err
	}
	var described []string
	for _, f := range s.Flows {
		if f.Grant == string(c.grant()) {
			return describedEndpoint(f, server)
		}
		described = append(described, f.Grant)
	}
	has := "no flow at all"
	if len(described) > 0 {
		has = "only " + strings.Join(described, ", ")
	}
	return nil, fmt.Errorf("the description has %s, not %s, and no token endpoint is configured", has, c.grant())
}

// describedEndpoint takes a token endpoint from the description. A secret goes
// there only within this machine, or to the server itself, which the user named:
// where else it may go is not for a description to say.
func describedEndpoint(f source.OAuthFlow, server string) (*url.URL, error) {
	u, err := tokenURL(f.TokenURL)
	switch {
	case err != nil:
		return nil, err
	case f.TokenURL == "":
		return nil, fmt.Errorf("the description names no token endpoint for %s, and none is configured", f.Grant)
	case !u.IsAbs() && server == "":
		return u, nil
	case !u.IsAbs():
		base, err := url.Parse(server)
		if err != nil {
			return nil, errors.New("the server is not a URL")
		}
		u = base.ResolveReference(u)
	}
	if server != "" && !isLoopback(u) && originOf(u.String()) != originOf(server) {
		return nil, fmt.Errorf("the description names the token endpoint %s, which is not at the server that was named; configure the endpoint (tokenUrl) to have it used", shown(u))
	}
	return u, nil
}

func tokenURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("the token endpoint is not a URL")
	case u.User != nil:
		return nil, errors.New("the token endpoint's URL must not hold a user or password")
	case u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https", u.Scheme != "" && u.Host == "":
		return nil, errors.New("the token endpoint is no http or https URL")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// shown is a URL as people may see it: its query may hold a secret.
func shown(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}
