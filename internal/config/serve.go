package config

import (
	"errors"
	"slices"

	"github.com/weft-flow/weft/arazzo"
)

// Serve holds the settings of weft serve.
type Serve struct {
	Place  Place // of the section; zero: there is none
	Tokens []Token
	// Unset tells of tokens whose variable of the environment is not set: of weight for
	// who serves, and for nobody else.
	Unset []Fault
}

// Given tells whether the file has the section.
func (s Serve) Given() bool { return s.Place != Place{} }

// Token is a bearer token that weft serve takes.
type Token struct {
	Place  Place
	Name   string // for logs, and for who did something
	Token  string // the secret; empty where it is Unset
	Tenant string // whose runs it is for; empty: those of none
	Rights []string
}

// leastToken is how many characters a token has at least: fewer could be guessed.
const leastToken = 16

// rights are what tokens can allow.
var rights = []string{"start", "read", "act", "deliver", "operate"}

func (r *reader) serve(n *arazzo.Node) Serve {
	s := Serve{Place: r.place(n.Span.Start)}
	r.object(n, "serve", []field{
		{name: "tokens", read: func(n *arazzo.Node) {
			r.list(n, "tokens", func(item *arazzo.Node) { s.Tokens = append(s.Tokens, r.token(item, &s)) })
		}},
	})
	return s
}

func (r *reader) token(n *arazzo.Node, s *Serve) Token {
	t := Token{Place: r.place(n.Span.Start)}
	r.object(n, "a token", []field{
		{name: "name", required: true, read: func(n *arazzo.Node) {
			name, ok := r.text(n)
			if ok && slices.ContainsFunc(s.Tokens, func(other Token) bool { return other.Name == name }) {
				r.fault(n.Span.Start, "there is a token %q already", name)
			}
			t.Name = name
		}},
		{name: "token", required: true, read: func(n *arazzo.Node) { t.Token = r.bearer(n, s) }},
		{name: "tenant", read: into(&t.Tenant, r.text)},
		{name: "rights", required: true, read: func(n *arazzo.Node) {
			one := oneOf(r, rights...)
			r.list(n, "rights", func(item *arazzo.Node) {
				if right, ok := one(item); ok {
					t.Rights = append(t.Rights, right)
				}
			})
		}},
	})
	return t
}

// bearer reads the secret of a token. That its variable is not set is no fault of the
// file: who does not serve need not have it.
func (r *reader) bearer(n *arazzo.Node, s *Serve) string {
	before := len(r.faults)
	secret, ok := r.credential(n)
	switch {
	case ok && len(secret) < leastToken:
		r.fault(n.Span.Start, "a token has at least %d characters", leastToken)
	case ok && slices.ContainsFunc(s.Tokens, func(other Token) bool { return other.Token == secret }):
		r.fault(n.Span.Start, "another entry has the same token")
	case !ok && len(r.faults) == before+1 && r.faults[before].Unset:
		s.Unset = append(s.Unset, r.faults[before])
		r.faults = r.faults[:before]
	}
	return secret
}

// Err tells which variables of the environment are not set; nil: none.
func (s Serve) Err() error {
	all := make([]error, len(s.Unset))
	for i, f := range s.Unset {
		all[i] = f
	}
	return errors.Join(all...)
}
