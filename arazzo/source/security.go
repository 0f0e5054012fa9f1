package source

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// requirementsOf lists the alternatives. An empty list says that nothing is
// needed, an empty alternative that nothing will do too.
func requirementsOf(described openapi3.SecurityRequirements) []SecurityRequirement {
	var out []SecurityRequirement
	for _, r := range described {
		out = append(out, SecurityRequirement(r))
	}
	return out
}

func (b *builder) schemes() map[string]*SecurityScheme {
	if b.doc.Components == nil || len(b.doc.Components.SecuritySchemes) == 0 {
		return nil
	}
	out := make(map[string]*SecurityScheme, len(b.doc.Components.SecuritySchemes))
	for name, ref := range b.doc.Components.SecuritySchemes {
		if ref == nil || ref.Value == nil {
			continue
		}
		s := ref.Value
		out[name] = &SecurityScheme{
			Name: name, Type: s.Type, In: s.In, Key: s.Name,
			Scheme: strings.ToLower(s.Scheme), BearerFormat: s.BearerFormat,
			OpenIDURL: b.resolve(s.OpenIdConnectUrl),
			Flows:     b.flows(s.Flows),
		}
	}
	return out
}

func (b *builder) flows(flows *openapi3.OAuthFlows) []OAuthFlow {
	if flows == nil {
		return nil
	}
	var out []OAuthFlow
	for _, f := range []struct {
		grant string
		flow  *openapi3.OAuthFlow
	}{
		{"implicit", flows.Implicit},
		{"password", flows.Password},
		{"clientCredentials", flows.ClientCredentials},
		{"authorizationCode", flows.AuthorizationCode},
	} {
		if f.flow == nil {
			continue
		}
		out = append(out, OAuthFlow{
			Grant:            f.grant,
			AuthorizationURL: b.resolve(f.flow.AuthorizationURL),
			TokenURL:         b.resolve(f.flow.TokenURL),
			RefreshURL:       b.resolve(f.flow.RefreshURL),
			Scopes:           slices.Sorted(maps.Keys(f.flow.Scopes)),
		})
	}
	return out
}

// resolve makes a URL absolute where the description came from the network.
func (b *builder) resolve(written string) string {
	if written == "" || b.at.Scheme == "file" {
		return written
	}
	ref, err := url.Parse(written)
	if err != nil {
		return written
	}
	return b.at.ResolveReference(ref).String()
}
