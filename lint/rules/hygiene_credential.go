package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/lint"
)

// secretOutputs follows the outputs of a workflow to what they are taken from.
type secretOutputs struct {
	workflow    *lint.Workflow
	credentials map[string]bool // the inputs that are sent as credentials
}

// gives tells whether the value of an expression is a secret, as far as names and
// descriptions tell; outputs of steps are followed. The step is that whose output
// the expression is; nil: it is the workflow's.
func (o *secretOutputs) gives(s *lint.Step, e *expression.Expression, depth int) bool {
	if len(e.Pointer) > 0 && isSecretName(e.Pointer[len(e.Pointer)-1]) {
		return true
	}
	switch e.Root {
	case expression.Request:
		switch e.Part {
		case expression.HeaderPart:
			return isSecretHeader(e.Name) || s != nil && isCredentialOf(s, e.Name, "header")
		case expression.QueryPart:
			return s != nil && isCredentialOf(s, e.Name, "query")
		}
		return false
	case expression.Response:
		return e.Part == expression.HeaderPart && isSecretHeader(e.Name)
	case expression.Inputs:
		return isSecretName(e.Name) || o.credentials[e.Name] || slices.ContainsFunc(ownInputs(o.workflow.Model.Inputs), func(property *arazzo.Node) bool {
			format := property.Get("format")
			return property.Token() == e.Name && format != nil && format.Text == "password"
		})
	case expression.Steps:
		owner := o.workflow.Step(e.Owner)
		if owner == nil || owner.Output(e.Name) == nil || depth > len(o.workflow.Steps) {
			return isSecretName(e.Name)
		}
		return isSecretName(e.Name) || slices.ContainsFunc(owner.Output(e.Name).Value.Uses(), func(inner *expression.Expression) bool {
			return o.gives(owner, inner, depth+1)
		})
	default:
		return false
	}
}

// isCredentialAt tells whether what is sent at a site is a credential by a security
// scheme of the API. A parameter of the workflow is for all of its steps.
func isCredentialAt(site lint.Site, name, in string) bool {
	if site.Step != nil {
		return isCredentialOf(site.Step, name, in)
	}
	return site.Workflow != nil && slices.ContainsFunc(site.Workflow.Steps, func(s *lint.Step) bool { return isCredentialOf(s, name, in) })
}

// publicWords are in the names of keys that say who calls, and prove nothing.
var publicWords = []string{"id", "client", "tenant", "account", "user", "app", "application", "partner", "organization", "version"}

// isCredentialOf tells whether a security scheme of the API that a step calls takes a
// key under that name in that place, as a secret.
func isCredentialOf(s *lint.Step, name, in string) bool {
	words := lint.Words(name)
	if len(words) > 0 && slices.Contains(publicWords, words[len(words)-1]) {
		return false
	}
	if s.Target.Kind != lint.CallTarget || s.Target.Source == nil || s.Target.Source.OpenAPI == nil {
		return false
	}
	for _, scheme := range s.Target.Source.OpenAPI.Security {
		if scheme.Type == "apiKey" && scheme.In == in && (scheme.Key == name || in == "header" && strings.EqualFold(scheme.Key, name)) {
			return true
		}
	}
	return false
}

// looksRandom tells whether a text may be a key that was made by chance: letters and
// digits, and enough of them.
func looksRandom(text string) bool {
	const shortest = 8
	return len(text) >= shortest && strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, unicode.IsLetter)
}

// credentialInputs gives the inputs of a workflow that its steps send as credentials:
// in a header that bears them, or where a security scheme takes a key.
func credentialInputs(w *lint.Workflow) map[string]bool {
	sent := make(map[string]bool)
	for _, s := range w.Steps {
		for _, parameter := range s.Parameters {
			name, in := parameter.Model.Name.Value, parameter.Model.In.Value
			uses := parameter.Value.Uses()
			if len(uses) != 1 || uses[0].Root != expression.Inputs {
				continue // of several, one may be a name
			}
			if in == "header" && isSecretHeader(name) || isCredentialOf(s, name, in) {
				sent[uses[0].Name] = true
			}
		}
	}
	return sent
}
