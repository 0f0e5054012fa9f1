package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Right is what a token allows.
type Right string

// The rights.
const (
	Start   Right = "start"   // start runs
	Read    Right = "read"    // look at runs and documents
	Act     Right = "act"     // cancel, resume, settle and release
	Deliver Right = "deliver" // hand messages to runs
	Operate Right = "operate" // what is of no tenant: metrics, unmatched messages
)

// Rights lists all rights.
func Rights() []Right { return []Right{Start, Read, Act, Deliver, Operate} }

// Token is a bearer token (RFC 6750) with what it allows.
type Token struct {
	Name   string // for logs and for who settled something
	Secret string
	// Tenant is the one whose runs the token is for.
	Tenant string
	Rights []Right
}

// caller is who makes a request.
type caller struct {
	Token
	open bool // there are no tokens: all is allowed, for any tenant
}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// tenantOf gives the tenant that a request is for: that of its token, or, where there
// are no tokens, the one that it names.
func tenantOf(r *http.Request, named string) (string, error) {
	c := callerOf(r.Context())
	switch {
	case c.open:
		return named, nil
	case named != "" && named != c.Tenant:
		return "", notAllowed
	default:
		return c.Tenant, nil
	}
}

// admit tells who makes a request, and refuses it where its token does not allow it.
func (s *Server) admit(r *http.Request, right Right) (*http.Request, error) {
	if right == "" {
		return r, nil
	}
	if len(s.options.Tokens) == 0 {
		if !fromThisMachine(r) {
			return r, notFromHere
		}
		return with(r, caller{open: true}), nil
	}
	scheme, secret, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return r, noToken
	}
	token, ok := s.find(strings.TrimSpace(secret))
	switch {
	case !ok:
		return r, wrongToken
	case !slices.Contains(token.Rights, right):
		return with(r, caller{Token: token}), notAllowed // the log names who has tried
	}
	return with(r, caller{Token: token}), nil
}

func with(r *http.Request, c caller) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, c))
}

// find compares in a time that tells nothing of the secrets.
func (s *Server) find(secret string) (Token, bool) {
	given := sha256.Sum256([]byte(secret))
	found, ok := Token{}, 0
	for _, t := range s.options.Tokens {
		known := sha256.Sum256([]byte(t.Secret))
		if subtle.ConstantTimeCompare(given[:], known[:]) == 1 {
			found, ok = t, 1
		}
	}
	return found, ok == 1
}

// fromThisMachine tells whether a request without a token may be from a program on
// this machine: a web page in a browser there names its origin, or has had the name
// of another host lead here (DNS rebinding), and a proxy says for whom it asks.
func fromThisMachine(r *http.Request) bool {
	for _, name := range []string{"Origin", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "none" {
		return false
	}
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !peer.Addr().Unmap().IsLoopback() {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}
