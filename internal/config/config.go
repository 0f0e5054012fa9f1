package config

import (
	"fmt"
	"net/url"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/idempotency"
)

// Config is what one weft.yaml says. The zero Config says nothing.
type Config struct {
	// Path of the file that it was read from.
	Path    string
	Sources map[string]Source // by the name of the source description
	Run     Run
	Lint    Lint
	Serve   Serve
	// Secrets are the texts that must not be seen in any output: credentials, and
	// what came from the environment.
	Secrets []string
}

// Source gives what is configured for the source description of these names, under
// the first of them that is there; the zero Source where none is. It can be called
// on a nil Config.
func (c *Config) Source(names ...string) Source {
	if c == nil {
		return Source{}
	}
	for _, name := range names {
		if s, ok := c.Sources[name]; ok {
			return s
		}
	}
	return Source{}
}

// Place is where in the file something was written. Line and Column count from 1,
// Column in characters.
type Place struct {
	File         string
	Line, Column int
}

// String gives the place as file:line:column.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Setting is one setting that may be given.
type Setting[T any] struct {
	Value T
	Given bool
	Place Place // of the value
}

// Or gives the value where it is given, else fallback.
func (s Setting[T]) Or(fallback T) T {
	if s.Given {
		return s.Value
	}
	return fallback
}

// Source is what is configured for one source description.
type Source struct {
	Place Place
	// Server is the base URL that requests go to.
	Server Setting[string]
	// Variables are values for variables of the servers that the description names.
	Variables map[string]string
	// Auth holds the credentials by the name of the security scheme.
	Auth map[string]Credential
	// Headers are fields that each request gets, in the order of the file.
	Headers []Header
	// CA is a file with the certificate authorities to trust beside the system's.
	CA Setting[string]
	// ClientCertificate is what the client shows of itself; nil: nothing.
	ClientCertificate *ClientCertificate
	// Proxy that requests go through: a URL, or nil for none at all.
	Proxy Setting[*url.URL]
	// Idempotency is what the API does with idempotency keys; nil: nothing is said.
	Idempotency *idempotency.Profile
	// Webhooks is what is known of the messages that the source sends; nil: nothing.
	Webhooks *Webhooks
	// Effects say by operationId what a call does: idempotency.MarkRead,
	// MarkIdempotent or MarkEffect.
	Effects map[string]Setting[string]
}

// Header is one fixed request header.
type Header struct {
	Name, Value string
	Place       Place // of the name
}

// ClientCertificate names two PEM files. A relative path in the file was taken
// from the folder of weft.yaml.
type ClientCertificate struct {
	Cert, Key string
	Place     Place
}

// Credential is what proves to one security scheme who calls. Exactly one of its
// kinds is there.
type Credential struct {
	Place  Place
	APIKey string
	Bearer string
	Basic  *Basic
	OAuth2 *OAuth2
}

// Basic is a user with a password (RFC 7617).
type Basic struct {
	Username, Password string
}

// Grant is a way to get an OAuth2 token.
type Grant string

// The grants.
const (
	ClientCredentials Grant = "clientCredentials" // RFC 6749, section 4.4
	Password          Grant = "password"          // RFC 6749, section 4.3
)

// OAuth2 says with what to get a token, and where.
type OAuth2 struct {
	Grant                  Grant
	TokenURL               string // empty: that of the description
	ClientID, ClientSecret string
	Username, Password     string   // for the grant Password
	Scopes                 []string // nil: those that the operation asks for
	Audience               string
}

// Run holds the settings of weft run that are not told on the command line.
type Run struct {
	Server      Setting[string] // of every source that has none of its own
	StepTimeout Setting[time.Duration]
	Timeout     Setting[time.Duration]
	MaxSteps    Setting[int]
	Jitter      Setting[time.Duration]
	MaxBody     Setting[int64]  // bytes
	Contract    Setting[string] // error, warn or off
	UnsafeRetry Setting[string] // deny or allow
	FailOn      Setting[string] // failed or recovered
	Tenant      Setting[string]
	Listen      Setting[string] // the address that messages are received at
	CallbackURL Setting[string] // the same as the outside sees it
	Linger      Setting[time.Duration]
}

// Lint holds the settings of the linter. Whether there is a rule of a name is for
// the linter to say.
type Lint struct {
	Extends Setting[string] // recommended, strict or minimal
	Rules   map[string]Rule
	Ignore  []Ignore
}

// Rule is what is configured for one lint rule.
type Rule struct {
	Place    Place            // of the rule's name
	Severity Setting[string]  // error, warn, hint or off
	Options  value.Value      // an object of what stands beside the severity; absent: nothing
	Places   map[string]Place // of the options, by name
}

// Ignore names files of which rules say nothing.
type Ignore struct {
	Place Place
	Path  string   // a glob, as it was written
	Rules []string // nil: all
}
