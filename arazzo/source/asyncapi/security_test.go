package asyncapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestSecuritySchemesAreRead(t *testing.T) {
	for version, scopes := range map[string]string{"2.6.0": "scopes", "3.0.0": "availableScopes"} {
		c := read(t, `asyncapi: `+version+`
components:
  securitySchemes:
    key: {type: httpApiKey, in: header, name: X-Key}
    bearer: {type: http, scheme: Bearer, bearerFormat: JWT}
    open: {type: openIdConnect, openIdConnectUrl: 'https://id.example'}
    flows:
      type: oauth2
      flows:
        clientCredentials: {tokenUrl: 'https://id.example/t', refreshUrl: 'https://id.example/r', `+scopes+`: {b: '', a: ''}}
        implicit: {authorizationUrl: 'https://id.example/a', `+scopes+`: {}}
    lost: {$ref: '#/none'}
`)
		want := map[string]*SecurityScheme{
			"key":    {Name: "key", Type: "httpApiKey", In: "header", Key: "X-Key"},
			"bearer": {Name: "bearer", Type: "http", Scheme: "bearer", BearerFormat: "JWT"},
			"open":   {Name: "open", Type: "openIdConnect", OpenIDURL: "https://id.example"},
			"flows": {Name: "flows", Type: "oauth2", Flows: []OAuthFlow{
				{Grant: "implicit", AuthorizationURL: "https://id.example/a"},
				{Grant: "clientCredentials", TokenURL: "https://id.example/t", RefreshURL: "https://id.example/r", Scopes: []string{"a", "b"}},
			}},
		}
		if diff := cmp.Diff(want, c.Security, cmpopts.IgnoreFields(SecurityScheme{}, "Node")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

func TestARequirementThatCannotBeReadIsNotTakenForLess(t *testing.T) {
	for _, text := range []string{
		"asyncapi: 2.6.0\nservers: {s: {security: [{gone: []}, {}, 5]}}",
		"asyncapi: 3.0.0\nservers: {s: {security: [{$ref: '#/gone'}, {type: plain}, 5]}}",
	} {
		all := read(t, text).Servers[0].Security
		if len(all) != 3 || !all[0].Unknown || all[1].Unknown || !all[2].Unknown {
			t.Errorf("%s: %+v", text, all)
		}
	}
}
