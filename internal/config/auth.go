package config

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

func (r *reader) auth(n *arazzo.Node, where string) map[string]Credential {
	auth := map[string]Credential{}
	r.each(n, where, func(key, item *arazzo.Node) {
		c := r.schemeCredential(item, where+"."+key.Text)
		c.Place = r.place(key.Span.Start)
		auth[key.Text] = c
	})
	return auth
}

// schemeCredential reads what belongs to one security scheme: one kind of credential.
func (r *reader) schemeCredential(n *arazzo.Node, where string) (c Credential) {
	kinds := []field{
		{name: "apiKey", read: into(&c.APIKey, r.credential)},
		{name: "bearer", read: into(&c.Bearer, r.credential)},
		{name: "basic", read: func(n *arazzo.Node) { c.Basic = r.basic(n, where+".basic") }},
		{name: "oauth2", read: func(n *arazzo.Node) { c.OAuth2 = r.oauth2(n, where+".oauth2") }},
	}
	r.object(n, where, kinds)
	given := 0
	for _, kind := range kinds {
		if n.Get(kind.name) != nil {
			given++
		}
	}
	empty := n.Kind == value.KindNull || n.Kind == value.KindObject && len(n.Members) == 0
	if given > 1 || empty {
		r.fault(n.Span.Start, "%s needs one of apiKey, basic, bearer and oauth2; there are %d", where, given)
	}
	return c
}

func (r *reader) basic(n *arazzo.Node, where string) *Basic {
	b := &Basic{}
	r.object(n, where, []field{
		{name: "username", required: true, read: into(&b.Username, r.hidden)},
		{name: "password", required: true, read: into(&b.Password, r.credential)},
	})
	if strings.Contains(b.Username, ":") {
		r.fault(n.Get("username").Span.Start, "a user name must not contain a colon (RFC 7617)")
	}
	return b
}

func (r *reader) oauth2(n *arazzo.Node, where string) *OAuth2 {
	o := &OAuth2{Grant: ClientCredentials}
	r.object(n, where, []field{
		{name: "grant", read: into(&o.Grant, oneOf(r, ClientCredentials, Password))},
		{name: "tokenUrl", read: into(&o.TokenURL, r.tokenURL)},
		{name: "clientId", read: into(&o.ClientID, r.hidden)},
		{name: "clientSecret", read: into(&o.ClientSecret, r.credential)},
		{name: "username", read: into(&o.Username, r.hidden)},
		{name: "password", read: into(&o.Password, r.credential)},
		{name: "scopes", read: func(n *arazzo.Node) {
			r.list(n, "scopes", func(item *arazzo.Node) { o.Scopes = append(o.Scopes, r.scope(item)...) })
		}},
		{name: "audience", read: into(&o.Audience, r.text)},
	})
	r.grantFits(n, o.Grant, where)
	return o
}

// grantFits checks that what a grant needs is there, and nothing that it has no
// use for.
func (r *reader) grantFits(n *arazzo.Node, grant Grant, where string) {
	needs, forbids := []string{"clientId"}, []string{"username", "password"}
	if grant == Password {
		needs, forbids = forbids, nil
	}
	for _, name := range needs {
		if n.Get(name) == nil {
			r.fault(n.Span.Start, "%s needs the key %s for the grant %s", where, name, grant)
		}
	}
	for _, m := range n.Members {
		for _, name := range forbids {
			if m.Key.Text == name {
				r.fault(m.Key.Span.Start, "the grant %s has no %s", grant, name)
			}
		}
	}
}

// scope reads one scope (RFC 6749, section 3.3); none where it is none.
func (r *reader) scope(n *arazzo.Node) []string {
	text, ok := r.text(n)
	if !ok {
		return nil
	}
	if strings.ContainsAny(text, " \t\r\n\"\\") {
		r.fault(n.Span.Start, "a scope holds no spaces or quotes: write one a line")
		return nil
	}
	return []string{text}
}
