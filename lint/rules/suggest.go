package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/internal/spelling"
)

// meantExpression gives the expression that a text was probably meant as: one
// that differs from it by a usual mistake, can be read, and names what is
// declared; empty where nothing is known.
func meantExpression(text string, names *expression.Names) string {
	inner := strings.TrimSuffix(strings.TrimPrefix(text, "{"), "}")
	candidates := []string{inner, "$" + inner}
	for _, mend := range []func(string) string{mendRoot, mendOutputs, mendPart, mendPointer} {
		for _, c := range slices.Clone(candidates) {
			if mended := mend(c); mended != c {
				candidates = append(candidates, mended)
			}
		}
	}
	for _, c := range candidates {
		e, err := expression.Parse(c, names)
		if err == nil && c != text && names.Declare(e) {
			return c
		}
	}
	return ""
}

// mendRoot writes the root as it should be: $input.id is $inputs.id.
func mendRoot(text string) string {
	root, ok := expression.LooksLike(text)
	if !ok {
		return text
	}
	return root + text[1+len(letters.FindString(text[1:])):]
}

var letters = regexp.MustCompile(`^[A-Za-z0-9]*`)

var stepWithoutOutputs = regexp.MustCompile(`^(\$steps\.[A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+(?:#.*)?)$`)

// mendOutputs adds the word that is often left out: $steps.a.outputs.id.
func mendOutputs(text string) string {
	return stepWithoutOutputs.ReplaceAllString(text, "$1.outputs.$2")
}

var partOfMessage = regexp.MustCompile(`^(\$(?:request|response|message)\.)([A-Za-z]+)`)

// mendPart writes the part of a request, response or message as it should be:
// $response.headers.X is $response.header.X.
func mendPart(text string) string {
	at := partOfMessage.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	near, ok := spelling.Nearest(text[at[4]:at[5]], []string{"header", "query", "path", "body", "payload"})
	if !ok {
		return text
	}
	return text[:at[4]] + near + text[at[5]:]
}

var pointerWithoutSign = regexp.MustCompile(`^(\$(?:request|response)\.body|\$message\.payload)(/.*)$`)

// mendPointer adds the # before a pointer.
func mendPointer(text string) string { return pointerWithoutSign.ReplaceAllString(text, "$1#$2") }
