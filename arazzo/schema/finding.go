package schema

import (
	"net/url"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// finding is one node of the tree of reasons that the library gives.
type finding struct {
	uri      string        // of the resource that holds the schema
	at       value.Pointer // the schema, in that resource
	keyword  string        // empty for a schema that is false, or one that only groups
	trail    []string      // for dependentRequired: the member that asks, and a position
	ofName   bool          // the name of a member is judged, not its value
	instance value.Pointer
	text     string // the library's words
	causes   []*finding
}

// keywordAt gives the place of the keyword as URI and fragment.
func (f *finding) keywordAt() string {
	at := f.at
	if f.keyword != "" {
		at = append(slices.Clone(at), f.keyword)
	}
	return f.uri + "#" + at.String()
}

// splitKeyword parts the location of a keyword into the schema that holds it and
// the keyword, which may be followed by the name of a member and a position.
func splitKeyword(place value.Pointer, text string) (at value.Pointer, keyword string, trail []string) {
	n := len(place)
	if n >= 3 && place[n-3] == "dependentRequired" && strings.HasPrefix(text, "property ") {
		return place[:n-3], place[n-3], place[n-2:]
	}
	if n >= 2 && place[n-2] == "allOf" {
		return place[:n-2], "allOf", place[n-1:]
	}
	if n == 0 {
		return place, "", nil
	}
	return place[:n-1], place[n-1], nil
}

// splitFalse does so for a schema that is false: the keyword is the one that it
// is the value of, where that says more than that nothing fits.
func splitFalse(place value.Pointer) (at value.Pointer, keyword string) {
	n := len(place)
	if n >= 1 && place[n-1] == "unevaluatedProperties" && (n < 2 || place[n-2] != "properties") {
		return place[:n-1], place[n-1]
	}
	return place, ""
}

// judgesName tells whether a path of keywords ends at the name of a member.
func judgesName(path value.Pointer) bool {
	names := false
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case "propertyNames":
			names = true
		case "properties", "patternProperties", "prefixItems":
			names = false
			i++
		case "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "contains":
			names = false
		case "allOf", "anyOf", "oneOf", "dependentSchemas":
			i++
		}
	}
	return names
}

// tokens reads a JSON Pointer that is percent-encoded besides.
func tokens(pointer string) value.Pointer {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts
}

// fragment writes a pointer as the library writes one in a URI.
func fragment(at value.Pointer) string {
	var b strings.Builder
	b.WriteByte('#')
	for _, token := range at {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(value.EscapeToken(token)))
	}
	return b.String()
}
