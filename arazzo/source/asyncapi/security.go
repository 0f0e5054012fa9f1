package asyncapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// SecurityScheme says how a client shows who it is (Security Scheme Object).
type SecurityScheme struct {
	Name         string // the key under the components' securitySchemes; empty where it is written in place
	Node         *arazzo.Node
	Type         string // userPassword, apiKey, X509, httpApiKey, http, oauth2, plain, scramSha256, …
	In           string // of apiKey: user or password; of httpApiKey: query, header or cookie
	Key          string // of httpApiKey: the name of the parameter, header or cookie
	Scheme       string // of http: basic, bearer, …, in lower case
	BearerFormat string
	OpenIDURL    string
	Flows        []OAuthFlow
	Scopes       []string // those needed where it is required
}

// OAuthFlow is one way to get a token (OAuth Flow Object).
type OAuthFlow struct {
	Grant            string // implicit, password, clientCredentials or authorizationCode
	AuthorizationURL string
	TokenURL         string
	RefreshURL       string
	Scopes           []string // those that there are, sorted
}

// Requirement is one of the alternatives that a server or operation accepts: all
// of its schemes together. Without any, nothing is needed.
type Requirement struct {
	Node    *arazzo.Node
	Schemes []*SecurityScheme
	Unknown bool // it asks for a scheme that cannot be read: nobody can meet it
}

func (r *reader) readSecuritySchemes() {
	components := r.object(r.member(r.catalog.Node, "components"), "components")
	entries := r.entries(components, "securitySchemes")
	r.catalog.Security = make(map[string]*SecurityScheme, len(entries))
	for _, m := range entries {
		if s := r.scheme(m.Value, m.Key.Text); s != nil {
			r.schemes[m.Value] = s
			r.catalog.Security[m.Key.Text] = s
		}
	}
}

func (r *reader) scheme(n *arazzo.Node, name string) *SecurityScheme {
	n = r.object(n, "a security scheme")
	if n == nil {
		return nil
	}
	return &SecurityScheme{
		Name: name, Node: n,
		Type: r.text(n, "type"), In: r.text(n, "in"), Key: r.text(n, "name"),
		Scheme: strings.ToLower(r.text(n, "scheme")), BearerFormat: r.text(n, "bearerFormat"),
		OpenIDURL: r.text(n, "openIdConnectUrl"), Flows: r.flows(n), Scopes: r.texts(n, "scopes"),
	}
}

func (r *reader) flows(n *arazzo.Node) []OAuthFlow {
	flows := r.field(n, "flows")
	var all []OAuthFlow
	for _, grant := range []string{"implicit", "password", "clientCredentials", "authorizationCode"} {
		flow := r.field(flows, grant)
		if flow == nil {
			continue
		}
		f := OAuthFlow{
			Grant:            grant,
			AuthorizationURL: r.text(flow, "authorizationUrl"),
			TokenURL:         r.text(flow, "tokenUrl"),
			RefreshURL:       r.text(flow, "refreshUrl"),
		}
		for _, field := range []string{"availableScopes", "scopes"} { // of 3.x, and of 2.x
			for _, m := range r.entries(flow, field) {
				f.Scopes = append(f.Scopes, m.Key.Text)
			}
		}
		slices.Sort(f.Scopes)
		all = append(all, f)
	}
	return all
}

// security reads the alternatives of a server or operation. In 2.x each names
// schemes of the components with scopes, in 3.x each is a scheme.
func (r *reader) security(n *arazzo.Node) []*Requirement {
	var all []*Requirement
	for _, item := range r.items(n, "security") {
		requirement := &Requirement{Node: item}
		if r.major == 2 {
			r.namedSchemes(requirement)
		} else {
			requirement.add(r.referredScheme(item))
		}
		all = append(all, requirement)
	}
	return all
}

func (q *Requirement) add(s *SecurityScheme) {
	if s == nil {
		q.Unknown = true
		return
	}
	q.Schemes = append(q.Schemes, s)
}

// namedSchemes adds the schemes that a requirement of 2.x names.
func (r *reader) namedSchemes(q *Requirement) {
	if !r.is(q.Node, value.KindObject, "a security requirement") {
		q.Unknown = true
		return
	}
	for _, m := range q.Node.Members {
		declared := r.catalog.Security[m.Key.Text]
		if declared == nil {
			r.fault(m.Key, fmt.Errorf("the components have no security scheme %q", m.Key.Text))
			q.add(nil)
			continue
		}
		scheme := *declared
		scheme.Scopes = r.texts(q.Node, m.Key.Text)
		q.add(&scheme)
	}
}

func (r *reader) referredScheme(n *arazzo.Node) *SecurityScheme {
	at := r.followTo(n, func(at *arazzo.Node) bool { return r.schemes[at] != nil })
	if at == nil {
		return nil
	}
	if s := r.schemes[at]; s != nil {
		return s
	}
	s := r.scheme(at, keyUnder(at, "securitySchemes"))
	r.schemes[at] = s
	return s
}
