package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/credential"
	"github.com/weft-flow/weft/executor/httpcall"
	"github.com/weft-flow/weft/executor/live"
	"github.com/weft-flow/weft/idempotency"
	"github.com/weft-flow/weft/internal/config"
)

// gear is what a document is run with.
type gear struct {
	runtime *live.Runtime
	learned func(n int) []string // secrets, those that become known in the run included
	told    bool                 // the dialer is told what it connects for
}

// through gives the runtime that a run goes through.
func (g gear) through() executor.Runtime {
	if g.told {
		return toward{g.runtime}
	}
	return g.runtime
}

// equip makes the clients and credentials that the settings ask for. Against a
// mock there are none: a token from a real server is nothing for it.
func (s settings) equip(set *source.Set, budget *idempotency.Budget) (gear, error) {
	if s.played != nil {
		client := httpcall.New(s.played.reach(httpcall.Options{MaxBody: s.maxBody}))
		return gear{runtime: live.New(live.Options{Client: client, Budget: budget}), told: true}, nil
	}
	l, err := s.lines(set)
	if err != nil {
		return gear{}, err
	}
	return gear{runtime: live.New(live.Options{Client: l.client, Clients: l.clients, Budget: budget}), learned: l.learned}, nil
}

// lines are the clients that the requests of a document go through.
type lines struct {
	client  *httpcall.Client
	clients map[*source.Description]*httpcall.Client
	learned func(n int) []string // secrets, those that become known in the run included
	ring    *credential.Keyring
}

// lines makes the clients with the credentials that the settings have.
func (s settings) lines(set *source.Set) (lines, error) {
	options := httpcall.Options{MaxBody: s.maxBody}
	keys := credential.Options{
		Sources: map[string]credential.Source{}, Servers: s.executor.Servers,
		Environ: os.Environ(), Tokens: tokenClient(options), Now: time.Now,
	}
	special := map[*source.Description]httpcall.Options{}
	names := source.NamesOf(set)
	var fault error
	names.Each(func(d *source.Description) {
		if d.OpenAPI == nil || fault != nil {
			return
		}
		from, own, err := s.sourceGear(names.Of(d), options)
		if err != nil {
			fault = usage("source %q: %w", names.Qualified(d), err)
			return
		}
		if own != nil {
			special[d], from.Tokens = *own, tokenClient(*own)
		}
		keys.Sources[names.Qualified(d)] = from
	})
	if fault != nil {
		return lines{}, fault
	}
	ring := credential.New(keys)
	if faults := ring.Bind(set); len(faults) > 0 {
		return lines{}, usage("%w", errors.Join(faults...))
	}
	options.Authorizer = ring
	clients := map[*source.Description]*httpcall.Client{}
	for d, own := range special {
		own.Authorizer = ring
		clients[d] = httpcall.New(own)
	}
	return lines{client: httpcall.New(options), clients: clients, learned: ring.Learned, ring: ring}, nil
}

// tokenClient gives a client for token endpoints: it shows no credentials, and
// reads no more than a token takes.
func tokenClient(options httpcall.Options) *httpcall.Client {
	options.MaxBody = credential.MaxTokenAnswer
	return httpcall.New(options)
}

// sourceGear gives what is configured for one source, and the options of a client
// of its own where it needs one. names are those of the source, the most exact first.
func (s settings) sourceGear(names []string, options httpcall.Options) (credential.Source, *httpcall.Options, error) {
	from := s.file.Source(names...)
	given := credential.Source{Auth: map[string]credential.Credential{}, Variables: from.Variables}
	for scheme, c := range from.Auth {
		given.Auth[scheme] = credentialOf(c)
	}
	for _, h := range from.Headers {
		given.Headers = append(given.Headers, credential.Header{Name: h.Name, Value: credential.Secret(h.Value), Shown: true})
	}
	if !from.CA.Given && from.ClientCertificate == nil && !from.Proxy.Given {
		return given, nil, nil
	}
	if from.CA.Given {
		pool, err := credential.Authorities(from.CA.Value)
		if err != nil {
			return given, nil, err
		}
		options.TLS = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	if proxy := from.Proxy.Value; proxy != nil {
		options.Proxy = func(*url.URL) (*url.URL, error) { return proxy, nil }
	}
	if from.ClientCertificate != nil {
		identity, err := s.identity(names, from.ClientCertificate)
		if err != nil {
			return given, nil, err
		}
		options.Identity, given.ClientCertificate = identity, true
	}
	return given, &options, nil
}

func (s settings) identity(names []string, from *config.ClientCertificate) (*httpcall.Identity, error) {
	certificate, err := credential.ClientCertificate(from.Cert, from.Key)
	if err != nil {
		return nil, err
	}
	server, ok := "", false
	for _, name := range append(slices.Clone(names), "") {
		if server, ok = s.executor.Servers[name]; ok {
			break
		}
	}
	if !ok {
		return nil, errNoServer
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("the server %q is no URL", server)
	}
	return &httpcall.Identity{Certificate: certificate, Server: u}, nil
}

func credentialOf(c config.Credential) credential.Credential {
	switch {
	case c.Basic != nil:
		return credential.Basic{Username: c.Basic.Username, Password: credential.Secret(c.Basic.Password)}
	case c.OAuth2 != nil:
		return credential.OAuth2{
			Grant: credential.Grant(c.OAuth2.Grant), TokenURL: c.OAuth2.TokenURL,
			ClientID: c.OAuth2.ClientID, ClientSecret: credential.Secret(c.OAuth2.ClientSecret),
			Username: c.OAuth2.Username, Password: credential.Secret(c.OAuth2.Password),
			Scopes: c.OAuth2.Scopes, Audience: c.OAuth2.Audience,
		}
	case c.Bearer != "":
		return credential.Bearer{Token: credential.Secret(c.Bearer)}
	default:
		return credential.APIKey{Key: credential.Secret(c.APIKey)}
	}
}
