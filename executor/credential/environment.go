package credential

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/internal/spelling"
)

// prefix begins the names of all environment variables with credentials.
const prefix = "WEFT_AUTH_"

// Variable gives the name of the environment variable with the credential for a
// security scheme of a source: WEFT_AUTH_<SOURCE>_<SCHEME>, the names in upper
// case, with _ for each character that is no ASCII letter or digit.
func Variable(sourceName, scheme string) string {
	return prefix + variablePart(sourceName) + "_" + variablePart(scheme)
}

func variablePart(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			return r
		default:
			return '_'
		}
	}, name)
}

// Parse reads a credential as it is written in an environment variable: for apiKey,
// http bearer and openIdConnect the key or token itself, for http basic
// user:password, for oauth2 clientId:clientSecret, or without a colon a token that
// was got elsewhere. Line ends at the end are no part of it. The error does not
// hold the text.
func Parse(s *source.SecurityScheme, text string) (Credential, error) {
	if err := known(s); err != nil {
		return nil, err
	}
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return nil, errors.New("it is empty")
	}
	c, err := parse(s, text)
	if err != nil {
		return nil, err
	}
	return c, c.fits(s)
}

func parse(s *source.SecurityScheme, text string) (Credential, error) {
	before, after, colon := strings.Cut(text, ":")
	switch {
	case s.Type == "apiKey":
		return APIKey{Key: Secret(text)}, nil
	case s.Type == "http" && s.Scheme == "basic":
		if !colon {
			return nil, errors.New("expected user:password")
		}
		return Basic{Username: before, Password: Secret(after)}, nil
	case s.Type == "oauth2" && colon:
		return OAuth2{ClientID: before, ClientSecret: Secret(after)}, nil
	case s.Type == "mutualTLS":
		return nil, errors.New("a client certificate does not come from the environment; it belongs into the configuration of the source")
	default:
		return Bearer{Token: Secret(text)}, nil
	}
}

// environment holds the variables with credentials, and which scheme each is for.
type environment struct {
	held map[string]string
	used map[string]owner
}

type owner struct{ source, scheme string }

func readEnvironment(environ []string) environment {
	e := environment{held: map[string]string{}, used: map[string]owner{}}
	for _, line := range environ {
		if name, text, ok := strings.Cut(line, "="); ok && strings.HasPrefix(name, prefix) {
			e.held[name] = text
		}
	}
	return e
}

// credentialOf gives what the environment holds for a scheme of a source under the
// first of its names that has something; nil: nothing.
func (e environment) credentialOf(names []string, s *source.SecurityScheme) (Credential, error) {
	for _, name := range names {
		if c, err := e.credential(name, s); c != nil || err != nil {
			return c, err
		}
	}
	return nil, nil
}

// credential gives what the environment holds for a scheme; nil: nothing.
func (e environment) credential(sourceName string, s *source.SecurityScheme) (Credential, error) {
	name := Variable(sourceName, s.Name)
	text, ok := e.held[name]
	if !ok {
		return nil, nil
	}
	own := owner{source: sourceName, scheme: s.Name}
	if other, ok := e.used[name]; ok && other != own {
		return nil, fmt.Errorf("the environment variable %s would be for this scheme and for %q of the source %q too", name, other.scheme, other.source)
	}
	e.used[name] = own
	c, err := Parse(s, text)
	if err != nil {
		return nil, fmt.Errorf("the environment variable %s: %w", name, err)
	}
	return c, nil
}

// near gives the variable that is set and may have been meant by one that is not.
func (e environment) near(variable string) (string, bool) {
	var free []string
	for _, name := range slices.Sorted(maps.Keys(e.held)) {
		if _, used := e.used[name]; !used {
			free = append(free, name)
		}
	}
	wanted := strings.TrimPrefix(variable, prefix)
	for i, name := range free {
		free[i] = strings.TrimPrefix(name, prefix)
	}
	near, ok := spelling.Nearest(wanted, free)
	return prefix + near, ok
}
