package credential

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
)

// need is a credential that a call takes.
type need struct {
	scheme     *source.SecurityScheme
	scopes     []string
	credential Credential
}

// Authorize gives what the request of a call gets: the credentials for the first
// alternative of its operation that can be met, and the fixed headers of its
// source. Where none can be met it gives a notice that says what is missing, and
// no credentials: an API's answer to that may be what is tested. An error means
// that a token is not to be had.
func (k *Keyring) Authorize(ctx context.Context, call executor.Call) (executor.Authorization, error) {
	var a executor.Authorization
	if call.Source == nil || call.Source.OpenAPI == nil || call.Operation == nil {
		return a, nil
	}
	b := k.binding(call.Source)
	needs, lacking := b.choose(call)
	if len(lacking) > 0 {
		a.Notices = append(a.Notices, k.lacks(b, lacking))
	}
	if len(needs) == 0 && len(b.configured.Headers) == 0 {
		return a, nil
	}
	if origin := originOf(call.Server); origin != b.origin || origin == "" {
		a.Notices = append(a.Notices, b.withheld(origin))
		return a, nil
	}
	for _, n := range needs {
		if err := k.show(ctx, call, b, n, &a); err != nil {
			return executor.Authorization{Notices: a.Notices}, err
		}
	}
	for _, h := range b.configured.Headers {
		a.Fields = append(a.Fields, executor.AuthorizationField{Name: h.Name, In: "header", Value: string(h.Value), Shown: h.Shown})
	}
	return a, nil
}

// withheld says why credentials are not sent.
func (b *binding) withheld(origin string) string {
	if b.origin == "" {
		return fmt.Sprintf("the credentials of the source %q are not sent to %s: only the description names this server; "+
			"name the server of the source yourself to have them sent", b.names[1], origin)
	}
	return fmt.Sprintf("the credentials of the source %q are not sent to %s: they are for %s alone", b.names[1], origin, b.origin)
}

// choose gives what the first alternative takes that can be met with something;
// where there is none, and nothing will not do either, what is lacking.
func (b *binding) choose(call executor.Call) (needs []need, lacking []string) {
	nothingWillDo := len(call.Operation.Security) == 0
	for _, alternative := range call.Operation.Security {
		if len(alternative) == 0 {
			nothingWillDo = true
			continue
		}
		needs, missing := b.meet(call, alternative)
		if len(missing) == 0 {
			return needs, nil
		}
		for _, name := range missing {
			if !slices.Contains(lacking, name) {
				lacking = append(lacking, name)
			}
		}
	}
	if nothingWillDo {
		return nil, nil
	}
	return nil, lacking
}

// meet gives what an alternative takes, or the names of the schemes for which there
// is nothing. What the step writes itself is there.
func (b *binding) meet(call executor.Call, alternative source.SecurityRequirement) (needs []need, missing []string) {
	for _, name := range slices.Sorted(maps.Keys(alternative)) {
		s := b.source.OpenAPI.Security[name]
		c, held := b.held[name]
		switch {
		case s != nil && writes(call, s), s != nil && s.Type == "mutualTLS" && b.configured.ClientCertificate:
		case s != nil && held:
			needs = append(needs, need{scheme: s, scopes: alternative[name], credential: c})
		default:
			missing = append(missing, name)
		}
	}
	return needs, missing
}

// writes tells whether a step writes by itself what the scheme is about.
func writes(call executor.Call, s *source.SecurityScheme) bool {
	in, name := "header", "Authorization"
	switch s.Type {
	case "mutualTLS":
		return false
	case "apiKey":
		in, name = s.In, s.Key
	}
	return slices.ContainsFunc(call.Arguments, func(a executor.Argument) bool {
		return a.In == in && (a.Name == name || in == "header" && strings.EqualFold(a.Name, name))
	})
}

// lacks says for which schemes there is no credential, and how to give one.
func (k *Keyring) lacks(b *binding, names []string) string {
	ways := make([]string, len(names))
	for i, name := range names {
		ways[i] = fmt.Sprintf("%q: %s", name, k.way(b, name))
	}
	return fmt.Sprintf("requests to the source %q are sent without a credential: there is none for the security scheme %s",
		b.names[1], strings.Join(ways, "; nor for "))
}

// way says how a credential for a scheme is given.
func (k *Keyring) way(b *binding, name string) string {
	s := b.source.OpenAPI.Security[name]
	if s == nil {
		return "the description does not say what it is"
	}
	if err := known(s); err != nil {
		return err.Error()
	}
	if s.Type == "mutualTLS" {
		return "no client certificate is configured"
	}
	variable := Variable(b.names[1], name)
	k.mu.Lock()
	near, ok := k.environment.near(variable)
	k.mu.Unlock()
	if ok {
		return fmt.Sprintf("%s is not set; was it meant by %s?", variable, near)
	}
	return fmt.Sprintf("configure one, or set %s", variable)
}

// show adds the field that a credential is sent in.
func (k *Keyring) show(ctx context.Context, call executor.Call, b *binding, n need, a *executor.Authorization) error {
	field := executor.AuthorizationField{Name: "Authorization", In: "header"}
	switch c := n.credential.(type) {
	case APIKey:
		field.Name, field.In, field.Value = n.scheme.Key, n.scheme.In, string(c.Key)
	case Basic:
		field.Value = "Basic " + c.encoded()
	case Bearer:
		field.Value = "Bearer " + string(c.Token)
	case OAuth2:
		r, err := c.request(n, call.Server)
		if err != nil {
			return fmt.Errorf("no token for the security scheme %q: %w", n.scheme.Name, err)
		}
		token, err := k.tokens.get(ctx, b.tokens, r)
		if err != nil {
			return err
		}
		field.Value = "Bearer " + token
		a.Answered = func(ctx context.Context, status int) (bool, error) {
			return k.tokens.answered(ctx, b.tokens, r, token, status)
		}
	}
	a.Fields = append(a.Fields, field)
	return nil
}
