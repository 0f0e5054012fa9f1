package rules

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint"
)

// secretEndings are the words with which names of secrets end.
var secretEndings = []string{
	"password", "passwd", "pwd", "passphrase", "secret", "credentials", "apikey",
	"api key", "secret key", "private key", "access key",
	"access token", "refresh token", "id token", "auth token", "session token", "bearer token", "api token", "security token",
}

// secretHeaders bear credentials.
var secretHeaders = []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "x-auth-token"}

// secretMarks are stretches of which one stands in each of these endings, in "token"
// and in each of these headers.
var secretMarks = []string{"pass", "pwd", "secret", "credentials", "key", "token", "authorization", "cookie"}

// mayNameSecret tells whether one of the marks stands in a text: most have none, and
// need not be parted into names and words.
func mayNameSecret(text string) bool {
	lower := strings.ToLower(text)
	return slices.ContainsFunc(secretMarks, func(mark string) bool { return strings.Contains(lower, mark) })
}

// isSecretName tells whether a name is that of a secret.
func isSecretName(name string) bool {
	if !mayNameSecret(name) {
		return false
	}
	words := strings.Join(lint.Words(name), " ")
	return words == "token" || slices.ContainsFunc(secretEndings, func(ending string) bool {
		return words == ending || strings.HasSuffix(words, " "+ending)
	})
}

func isSecretHeader(name string) bool {
	return slices.Contains(secretHeaders, strings.ToLower(name)) || isSecretName(name)
}

// tokenForms are the forms of credentials that are known by their look.
var tokenForms = regexp.MustCompile(`\b(?:sk_live_[0-9A-Za-z]{16,}|rk_live_[0-9A-Za-z]{16,}|gh[pousr]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{40,}|` +
	`glpat-[0-9A-Za-z_-]{20,}|xox[abprs]-[0-9A-Za-z-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|` +
	`eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{2,}\.[0-9A-Za-z_-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----`)

// tokenMarks are stretches of which one stands in each of the forms: most texts have
// none, and are looked through for them much faster.
var tokenMarks = []string{"k_live_", "gh", "glpat-", "xox", "AKIA", "AIza", "eyJ", "-----BEGIN "}

func mayHoldToken(text string) bool {
	return slices.ContainsFunc(tokenMarks, func(mark string) bool { return strings.Contains(text, mark) })
}

// placeholders stand in texts that are there to be replaced.
var placeholders = regexp.MustCompile(`(?i)[<>{}$*…]|\.\.\.|xxx|your|placeholder|example|sample|dummy|change.?me|redacted|insert|todo|fake|mock`)

// literalSecret gives the secret that a text is where a secret belongs: without the
// scheme that goes before it; empty where the text only holds its place.
func literalSecret(text string) string {
	secret := strings.TrimSpace(text)
	for _, scheme := range []string{"bearer ", "basic ", "token ", "apikey "} {
		if len(secret) > len(scheme) && strings.EqualFold(secret[:len(scheme)], scheme) {
			secret = strings.TrimSpace(secret[len(scheme):])
		}
	}
	if secret == noCredentials {
		return ""
	}
	switch strings.ToLower(secret) {
	case "", "bearer", "basic", "token", "string", "test", "password", "secret", "null", "none", "true", "false":
		return ""
	}
	if placeholders.MatchString(secret) {
		return ""
	}
	return secret
}

// noCredentials is an empty name with an empty password (RFC 7617).
const noCredentials = "Og=="

func checkLiteralSecrets(p *lint.Pass) {
	c := &secretCheck{Pass: p, told: make(map[*arazzo.Node]bool)}
	for _, v := range p.Values() {
		c.value(v)
	}
	for _, w := range p.Workflows {
		credentials := credentialInputs(w)
		for _, property := range ownInputs(w.Model.Inputs) {
			c.input(property, credentials[property.Token()])
		}
	}
	for _, input := range p.Model.Components.Inputs {
		for _, property := range ownInputs(input.Value) {
			c.input(property, false)
		}
	}
	for _, source := range p.Model.Sources {
		c.source(source.URL)
	}
	for _, k := range p.Criteria() {
		c.condition(k.Model.Condition)
	}
	c.forms(p.Model.Node)
}

// secretCheck reports each node once.
type secretCheck struct {
	*lint.Pass
	told map[*arazzo.Node]bool
}

func (c *secretCheck) report(n *arazzo.Node, what string) {
	if c.told[n] {
		return
	}
	c.told[n] = true
	c.reportAt(lint.At(n), what)
}

func (c *secretCheck) reportAt(at lint.Place, what string) {
	c.Report(lint.Finding{
		At:      at,
		Message: what + " is written into the document; take it from an input or from the configuration",
		Secrets: []arazzo.Span{at.Span},
	})
}

// value looks at a value that is sent: of a parameter by its name, of a body by
// the names of its members.
func (c *secretCheck) value(v *lint.Value) {
	switch v.Kind {
	case lint.InParameter, lint.InActionParameter:
		holder := v.Node.Parent()
		name := holder.Get("name")
		if name == nil {
			return
		}
		in := holder.Get("in")
		header := in != nil && in.Text == "header" && isSecretHeader(name.Text)
		keyed := in != nil && looksRandom(v.Node.Text) && isCredentialAt(v.Site, name.Text, in.Text)
		if header || keyed || isSecretName(name.Text) {
			c.scalar(v.Node, "the value of "+quote(name.Text))
		}
	case lint.InPayload:
		c.members(v.Node)
	case lint.InReplacement:
		if target := v.Node.Parent().Get("target"); target != nil && isSecretName(target.Text[strings.LastIndexByte(target.Text, '/')+1:]) {
			c.scalar(v.Node, "the value at "+quote(target.Text))
		}
	}
}

// scalar looks at what stands where a secret belongs. A text with an expression in
// it may hold a part of one: it is not shown.
func (c *secretCheck) scalar(n *arazzo.Node, what string) {
	switch {
	case n.Kind != value.KindString:
		for _, item := range n.Items {
			c.scalar(item, what)
		}
	case strings.HasPrefix(n.Text, "$"):
	case literalSecret(n.Text) != "":
		c.report(n, what)
	case beyondExpressions(n.Text):
		c.Hide(n.Span)
	}
}

// beyondExpressions tells whether a text holds more than expressions.
func beyondExpressions(text string) bool {
	return strings.Contains(text, "$") && literalSecret(anyExpression.ReplaceAllString(text, "")) != ""
}

// anyExpression is an expression within a text, in braces or without.
var anyExpression = regexp.MustCompile(`\{\$[^}]*\}|\$[a-zA-Z][\w.#/~-]*`)

func (c *secretCheck) members(n *arazzo.Node) {
	if n.Kind == value.KindString {
		c.json(n)
	}
	for _, m := range n.Members {
		if isSecretName(m.Key.Text) {
			c.scalar(m.Value, "the value of "+quote(m.Key.Text))
		}
		c.members(m.Value)
	}
	for _, item := range n.Items {
		c.members(item)
	}
}

// condition hides what a secret is compared with.
func (c *secretCheck) condition(text arazzo.Text) {
	if !isText(text) || !mayNameSecret(text.Value) || !slices.ContainsFunc(nameInText.FindAllString(text.Value, -1), isSecretHeader) {
		return
	}
	for _, at := range quotedText.FindAllStringSubmatchIndex(text.Value, -1) {
		if literalSecret(text.Value[at[2]:at[3]]) != "" {
			c.Hide(lint.Part(text.Node, at[2], at[3]).Span)
		}
	}
}

var (
	nameInText = regexp.MustCompile(`[A-Za-z][\w-]*`)
	quotedText = regexp.MustCompile(`'([^']+)'`)
	bearer     = regexp.MustCompile(`(?i)^(?:bearer|basic) +[\w.~+/=-]{8,}$`)
)

// isCredentials tells whether a text is a scheme with credentials behind it. Few texts
// begin as one does.
func isCredentials(text string) bool {
	return text != "" && strings.IndexByte("bB", text[0]) >= 0 && bearer.MatchString(text)
}

// jsonMember is a member of JSON whose value is a text.
var jsonMember = regexp.MustCompile(`"([^"\\]+)"\s*:\s*"((?:[^"\\]|\\.)*)"`)

// json looks at the members of a body that is written as JSON text.
func (c *secretCheck) json(n *arazzo.Node) {
	if !strings.HasPrefix(strings.TrimSpace(n.Text), "{") && !strings.HasPrefix(strings.TrimSpace(n.Text), "[") {
		return
	}
	for _, at := range jsonMember.FindAllStringSubmatchIndex(n.Text, -1) {
		name, text := n.Text[at[2]:at[3]], n.Text[at[4]:at[5]]
		if isSecretName(name) && literalSecret(text) != "" {
			c.reportAt(lint.Part(n, at[4], at[5]), "the value of "+quote(name))
		}
	}
}

// source looks for a password in the url of a source.
func (c *secretCheck) source(url arazzo.Text) {
	if at := userInfo.FindStringSubmatchIndex(url.Value); at != nil && isText(url) && literalSecret(url.Value[at[2]:at[3]]) != "" {
		c.reportAt(lint.Part(url.Node, at[2], at[3]), "a password in the url of a source")
	}
}

// userInfo finds the password in a URL (RFC 3986, section 3.2.1).
var userInfo = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^/?#@:]*:([^/?#@]+)@`)

// input looks at the default of an input that is a secret: by its name or its format,
// or since it is sent as one.
func (c *secretCheck) input(property *arazzo.Node, sent bool) {
	format := property.Get("format")
	if given := property.Get("default"); sent && (given == nil || !looksRandom(given.Text)) {
		sent = false
	}
	if !sent && !isSecretName(property.Token()) && (format == nil || format.Text != "password") {
		return
	}
	for _, keyword := range []string{"default", "const"} {
		if n := property.Get(keyword); n != nil {
			c.scalar(n, "the "+keyword+" of input "+quote(property.Token()))
		}
	}
}

// forms looks at all texts for credentials that are known by their look.
func (c *secretCheck) forms(n *arazzo.Node) {
	if n.Kind == value.KindString && mayHoldToken(n.Text) && tokenForms.MatchString(n.Text) && !placeholders.MatchString(tokenForms.FindString(n.Text)) {
		c.report(n, "something that looks like a credential")
	}
	if n.Kind == value.KindString && isCredentials(n.Text) && literalSecret(n.Text) != "" {
		c.Hide(n.Span)
	}
	for _, item := range n.Items {
		c.forms(item)
	}
	for _, m := range n.Members {
		c.forms(m.Value)
	}
}

func checkHTTPS(p *lint.Pass) {
	for _, s := range p.Model.Sources {
		if u, err := url.Parse(s.URL.Value); err == nil && strings.EqualFold(u.Scheme, "http") && !isLoopback(u.Hostname()) {
			p.Reportf(lint.At(s.URL.Node), "the source is loaded over plain HTTP: whoever stands between can change it; use https")
		}
	}
}

// isLoopback tells whether a host is this machine, or one of a name that leads
// nowhere else (RFC 6761).
func isLoopback(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || host == "::1" || strings.HasPrefix(host, "127.")
}

func checkSecretOutputs(p *lint.Pass) {
	called := make(map[*lint.Workflow]bool)
	for _, s := range p.Steps() {
		called[s.Target.Workflow()] = true
	}
	for _, a := range p.Actions() {
		called[a.Target.Workflow()] = true
	}
	named := make(mentions)
	named.add(p.Model.Node, "$workflows.")
	for _, w := range p.Workflows {
		if called[w] || named[w.ID()+".outputs"] {
			continue
		}
		outputs := &secretOutputs{workflow: w, credentials: credentialInputs(w)}
		for _, o := range w.Outputs {
			secret := isSecretName(o.Model.Name.Value) && len(o.Value.Uses()) > 0
			for _, e := range o.Value.Uses() {
				secret = secret || outputs.gives(nil, e, 0)
			}
			if secret {
				p.Reportf(lint.At(o.Model.Value), "the output %s gives out a secret: outputs of workflows are printed and kept", quote(o.Model.Name.Value))
			}
		}
	}
}
