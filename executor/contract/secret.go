package contract

import (
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

// hidden stands in a report for a secret.
const hidden = "***"

// shortestSecret is how long a text must be to be looked for: shorter ones stand in many
// texts that tell nothing of them.
const shortestSecret = 4

// conceal takes secrets out of a text.
func (s *subject) conceal(text string) string {
	for _, secret := range s.secrets {
		if len(secret) >= shortestSecret {
			text = strings.ReplaceAll(text, secret, hidden)
		}
	}
	return text
}

func (s *subject) concealAll(texts []string) []string {
	for i, text := range texts {
		texts[i] = s.conceal(text)
	}
	return texts
}

// passwordsIn gives the inputs that were given and that the schema marks as passwords.
func passwordsIn(doc *arazzo.Document, w *arazzo.Workflow, given value.Value) []string {
	root, pointer := doc.InputSchema(w)
	at, err := value.ParsePointer(pointer)
	if err != nil || root.IsAbsent() {
		return nil
	}
	s := sampler{root: root}
	var secrets []string
	for _, m := range s.follow(at.In(root)).Get("properties").Members() {
		if format, _ := s.follow(m.Value).Get("format").Str(); format == "password" {
			secrets = append(secrets, given.Get(m.Name).Text())
		}
	}
	return secrets
}
