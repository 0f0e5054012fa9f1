package credential

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/internal/spelling"
)

// Caller makes one HTTP exchange: one request on the wire, or none. It must read
// answers up to a limit only, and add no credentials. *httpcall.Client is one.
type Caller interface {
	Call(ctx context.Context, call executor.Call) executor.Exchange
}

// Options say what a Keyring holds.
type Options struct {
	// Sources are what the user configured for source descriptions, by one of their
	// names (source.Names).
	Sources map[string]Source
	// Servers are the base URLs that the user named, as executor.Config has them:
	// by one of the names of a source, under "" for all others.
	Servers map[string]string
	// Environ are environment variables, as os.Environ gives them. What stands there
	// goes before what Sources says of the same scheme.
	Environ []string
	// Tokens sends the requests for OAuth2 tokens; nil: no token can be got.
	Tokens Caller
	// Now tells the time by which tokens expire; nil: time.Now.
	Now func() time.Time
}

// Source is what a user configured for one source description.
type Source struct {
	Auth map[string]Credential // by the name of the security scheme
	// Headers are fields that each request to the source gets.
	Headers []Header
	// ClientCertificate tells that connections to the source show a client
	// certificate: it meets mutualTLS schemes.
	ClientCertificate bool
	// Variables are values for variables of the servers that the description names.
	Variables map[string]string
	// Tokens is used in place of Options.Tokens for the tokens of this source.
	Tokens Caller
}

// Header is a fixed request header field.
type Header struct {
	Name  string
	Value Secret
	// Shown tells that the value is no secret and may be recorded.
	Shown bool
}

// Keyring holds the credentials of a user, and adds them to the requests of the
// sources that they are for. It is safe for use by several goroutines; tokens are
// shared by all of them.
type Keyring struct {
	options Options
	tokens  *tokens
	vault   *vault

	mu          sync.Mutex
	environment environment
	bound       map[*source.Description]*binding
	names       map[*source.Description][]string // the most exact first
}

// New gives a keyring. It is to be told of the sets that will be run (Bind).
func New(o Options) *Keyring {
	if o.Now == nil {
		o.Now = time.Now
	}
	k := &Keyring{
		options: o, vault: &vault{}, environment: readEnvironment(o.Environ), bound: map[*source.Description]*binding{},
		names: map[*source.Description][]string{},
	}
	k.tokens = &tokens{now: o.Now, learn: k.vault.learn, held: map[request]*holder{}}
	for _, name := range slices.Sorted(maps.Keys(o.Sources)) {
		k.learnSource(o.Sources[name])
	}
	return k
}

func (k *Keyring) learnSource(s Source) {
	for _, name := range slices.Sorted(maps.Keys(s.Auth)) {
		k.vault.learn(s.Auth[name].secrets()...)
	}
	for _, h := range s.Headers {
		if !h.Shown {
			k.vault.learn(string(h.Value))
		}
	}
}

// Secrets gives all texts that are known by now and must be seen nowhere.
func (k *Keyring) Secrets() []string { return k.vault.after(0) }

// Learned gives the same but for the first n: tokens become known while runs go on
// (executor.Start.Learned).
func (k *Keyring) Learned(n int) []string { return k.vault.after(n) }

// Held names the credentials that there are for the descriptions of the sets that the
// keyring was told of, as SOURCE/SCHEME.
func (k *Keyring) Held() (names []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for d, b := range k.bound {
		for name, s := range d.OpenAPI.Security {
			if _, held := b.held[name]; held || s.Type == "mutualTLS" && b.configured.ClientCertificate {
				names = append(names, b.names[1]+"/"+name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// Missing gives the credentials that a call would be sent without: where no alternative
// of its operation that takes any can be met, those that they lack, as SOURCE/SCHEME, and
// how each is given.
func (k *Keyring) Missing(call executor.Call) map[string]string {
	if call.Source == nil || call.Source.OpenAPI == nil || call.Operation == nil {
		return nil
	}
	b, missing := k.binding(call.Source), map[string]string{}
	for _, alternative := range call.Operation.Security {
		if len(alternative) == 0 {
			continue
		}
		_, lacking := b.meet(call, alternative)
		if len(lacking) == 0 {
			return nil
		}
		for _, name := range lacking {
			missing[b.names[1]+"/"+name] = k.way(b, name)
		}
	}
	return missing
}

// Bind looks at the security schemes of all OpenAPI descriptions of a set, and
// finds the credentials for them. It gives all that is wrong with what the user
// configured; nothing is sent.
func (k *Keyring) Bind(set *source.Set) []error {
	names := source.NamesOf(set)
	var all []*source.Description
	names.Each(func(d *source.Description) {
		if d.OpenAPI != nil {
			all = append(all, d)
		}
	})
	k.mu.Lock()
	for _, d := range all {
		k.names[d] = names.Of(d)
	}
	k.mu.Unlock()
	var faults []error
	for _, d := range all {
		faults = append(faults, k.binding(d).faults...)
	}
	return faults
}

// binding is what the keyring knows of one source description.
type binding struct {
	source     *source.Description
	names      []string // of the source, the most exact first
	origin     string   // the only one that credentials go to; empty: none
	configured Source
	held       map[string]Credential // by the name of the scheme
	tokens     Caller
	faults     []error
}

// binding gives what is known of a description, which is found out once.
func (k *Keyring) binding(d *source.Description) *binding {
	k.mu.Lock()
	defer k.mu.Unlock()
	b := k.bound[d]
	if b != nil {
		return b
	}
	names := k.names[d]
	if names == nil { // nobody told of its set: there is only the name that its document gives
		names = []string{d.Identity, d.Name}
	}
	b = &binding{source: d, names: names, tokens: k.options.Tokens, held: map[string]Credential{}}
	k.bound[d] = b
	for _, key := range names {
		if configured, ok := k.options.Sources[key]; ok {
			b.configured = configured
			break
		}
	}
	if b.configured.Tokens != nil {
		b.tokens = b.configured.Tokens
	}
	b.origin = boundTo(k.options.Servers, names, d, b.configured.Variables)
	b.takeConfigured()
	b.takeEnvironment(k.environment, k.vault)
	return b
}

func (b *binding) fault(scheme string, err error) {
	b.faults = append(b.faults, fmt.Errorf("source %q: security scheme %q: %w", b.names[1], scheme, err))
}

func (b *binding) takeConfigured() {
	schemes := b.source.OpenAPI.Security
	for _, name := range slices.Sorted(maps.Keys(b.configured.Auth)) {
		s := schemes[name]
		if s == nil {
			b.fault(name, unknownScheme(name, slices.Sorted(maps.Keys(schemes))))
			continue
		}
		b.take(s, b.configured.Auth[name])
	}
	for _, h := range b.configured.Headers {
		if err := sound("its value", string(h.Value)); err != nil && h.Value != "" {
			b.faults = append(b.faults, fmt.Errorf("source %q: header %q: %w", b.names[1], h.Name, err))
		}
	}
}

func (b *binding) takeEnvironment(e environment, v *vault) {
	schemes := b.source.OpenAPI.Security
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		c, err := e.credentialOf(b.names[1:], schemes[name])
		switch {
		case err != nil:
			b.fault(name, err)
		case c != nil:
			c = besides(c, b.configured.Auth[name])
			v.learn(c.secrets()...)
			b.take(schemes[name], c)
		}
	}
}

// besides gives a credential from the environment with what the configuration says
// beside the secret: where tokens are got, and for what.
func besides(c, configured Credential) Credential {
	client, isClient := c.(OAuth2)
	known, isKnown := configured.(OAuth2)
	if !isClient || !isKnown {
		return c
	}
	client.TokenURL, client.Scopes, client.Audience = known.TokenURL, known.Scopes, known.Audience
	return client
}

// take keeps a credential if it is one for the scheme.
func (b *binding) take(s *source.SecurityScheme, c Credential) {
	err := known(s)
	if err == nil {
		err = c.fits(s)
	}
	if client, needsToken := c.(OAuth2); err == nil && needsToken {
		err = b.reaches(client, s)
	}
	if err != nil {
		b.fault(s.Name, err)
		return
	}
	b.held[s.Name] = c
}

// reaches tells why no token can be got for a client.
func (b *binding) reaches(client OAuth2, s *source.SecurityScheme) error {
	if b.tokens == nil {
		return errors.New("there is nothing that gets tokens")
	}
	_, err := client.endpoint(s, b.origin)
	return err
}

func unknownScheme(name string, there []string) error {
	if len(there) == 0 {
		return fmt.Errorf("the description has no security schemes")
	}
	hint := ""
	if near, ok := spelling.Nearest(name, there); ok {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	return fmt.Errorf("the description has none of this name; it has %s%s", strings.Join(there, ", "), hint)
}
