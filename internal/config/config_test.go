package config

import (
	"slices"
	"testing"
	"time"
)

func TestSourceOfANameThatIsNotThere(t *testing.T) {
	var none *Config
	for _, c := range []*Config{none, {}, {Sources: map[string]Source{"b": {}}}} {
		if s := c.Source("a"); s.Server.Given || s.Auth != nil || s.Place != (Place{}) {
			t.Errorf("%+v", s)
		}
	}
}

func TestOr(t *testing.T) {
	if got := (Setting[time.Duration]{}).Or(time.Second); got != time.Second {
		t.Errorf("what is not given is %v", got)
	}
	if got := (Setting[time.Duration]{Given: true}).Or(time.Second); got != 0 {
		t.Errorf("what is given is %v", got)
	}
}

func TestPlacesAreKept(t *testing.T) {
	c, faults := parse("weft.yaml", []byte(`sources:
  a:
    server: http://localhost
    auth:
      key: {apiKey: x}
    headers:
      X-A: b
    ca: a.pem
    clientCertificate: {cert: c, key: k}
    proxy: none
    effects: {op: read}
run:
  maxSteps: 5
lint:
  rules:
    r: off
  ignore:
    - path: p
`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	a := c.Source("a")
	for what, place := range map[string]struct {
		got  Place
		want string
	}{
		"source":      {a.Place, "2:3"},
		"server":      {a.Server.Place, "3:13"},
		"credential":  {a.Auth["key"].Place, "5:7"},
		"header":      {a.Headers[0].Place, "7:7"},
		"ca":          {a.CA.Place, "8:9"},
		"certificate": {a.ClientCertificate.Place, "9:24"},
		"proxy":       {a.Proxy.Place, "10:12"},
		"effect":      {a.Effects["op"].Place, "11:19"},
		"maxSteps":    {c.Run.MaxSteps.Place, "13:13"},
		"rule":        {c.Lint.Rules["r"].Place, "16:5"},
		"severity":    {c.Lint.Rules["r"].Severity.Place, "16:8"},
		"ignore":      {c.Lint.Ignore[0].Place, "18:7"},
	} {
		if got := place.got.String(); got != "weft.yaml:"+place.want {
			t.Errorf("%s stands at %s, want %s", what, got, place.want)
		}
	}
}

// What comes from the environment is secret where credentials are, and a
// credential is wherever it comes from. A server is shown before a run begins: it
// is none.
func TestSecrets(t *testing.T) {
	for _, name := range []string{"SERVER", "KEY", "HEADER", "CA", "TENANT", "TOKENS"} {
		t.Setenv("WEFT_TEST_"+name, "http://"+name)
	}
	t.Setenv("WEFT_TEST_PROXY", "proxy.example:3128")
	t.Setenv("WEFT_TEST_USER", "user-name")
	c, faults := parse("weft.yaml", []byte(`sources:
  a:
    server: ${ENV:WEFT_TEST_SERVER}
    ca: ${ENV:WEFT_TEST_CA}
    headers: {X-A: 'a ${ENV:WEFT_TEST_HEADER}', X-B: plain}
    proxy: http://user:proxy-password@${ENV:WEFT_TEST_PROXY}
    auth:
      a: {apiKey: 'v1.${ENV:WEFT_TEST_KEY}'}
      b: {bearer: written}
      c: {basic: {username: '${ENV:WEFT_TEST_USER}', password: pass}}
      d: {oauth2: {tokenUrl: '${ENV:WEFT_TEST_TOKENS}', clientId: client, clientSecret: secret}}
run:
  tenant: ${ENV:WEFT_TEST_TENANT}
`))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := []string{
		"http://HEADER", "proxy.example:3128", "proxy-password", "http://KEY", "v1.http://KEY", "written", "user-name", "pass", "http://TOKENS", "secret",
	}
	if !slices.Equal(c.Secrets, want) {
		t.Errorf("got  %q\nwant %q", c.Secrets, want)
	}
}
