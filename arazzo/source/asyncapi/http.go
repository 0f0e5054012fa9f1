package asyncapi

import "strings"

// SpeaksHTTP tells whether the server is reached over HTTP.
func (s *Server) SpeaksHTTP() bool {
	protocol := strings.ToLower(s.Protocol)
	return protocol == "http" || protocol == "https"
}

// HTTPPath gives the channel's address as a path, a template: where it is unknown, its
// key.
func (c *Channel) HTTPPath() string {
	address := c.Key
	if c.Address.Present() {
		address = c.Address.Value
	}
	return "/" + strings.TrimPrefix(address, "/")
}

// HTTPMethod gives the method of the http binding, in upper case; empty where it says
// none.
func (b Bindings) HTTPMethod() string {
	method := b["http"].Get("method")
	if method == nil {
		return ""
	}
	return strings.ToUpper(method.Text)
}
