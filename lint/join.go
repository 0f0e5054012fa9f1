package lint

import (
	"slices"
	"strings"
)

// join puts together what the parser and the schema say of one document. Both
// judge its shape, the parser with better words, the schema more completely: of
// two that say the same, one is kept, that of the parser, under the more telling
// rule of the two.
func join(parsed, shape []finding) []finding {
	joined := slices.Clone(parsed)
	for _, s := range shape {
		same := indexesOf(parsed, func(p finding) bool { return sameFault(p, s) })
		known := slices.ContainsFunc(same, func(i int) bool { return parsed[i].Rule == s.Rule })
		switch {
		case len(same) == 0:
			joined = append(joined, s)
		case len(same) == 1 && !known && joined[same[0]].Rule == general:
			joined[same[0]].Rule = s.Rule
		}
	}
	return joined
}

func indexesOf(findings []finding, is func(finding) bool) []int {
	var at []int
	for i, f := range findings {
		if is(f) {
			at = append(at, i)
		}
	}
	return at
}

// general is the rule of what has no rule of its own.
const general = "schema"

// sameFault tells whether the parser and the schema speak of the same fault.
func sameFault(parsed, shape finding) bool {
	switch {
	case parsed.Rule == "yaml-merge":
		return false // speaks of how the document is written only
	case parsed.Pointer == shape.Pointer:
		// Several members may be missing at one place.
		return shape.member == "" || mentions(parsed.Message, shape.member)
	default:
		return parsed.Rule == shape.Rule && parsed.Rule != general && parsed.Rule != "unknown-field" &&
			(isParent(parsed.Pointer, shape.Pointer) || isParent(shape.Pointer, parsed.Pointer))
	}
}

// isParent tells whether the JSON Pointer child names a member or item of what
// parent names.
func isParent(parent, child string) bool {
	rest, ok := strings.CutPrefix(child, parent)
	return ok && strings.LastIndexByte(rest, '/') == 0
}

// mentions tells whether text holds a word as a whole.
func mentions(text, word string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(word)
		if (start == 0 || !isWord(text[start-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		from = end
	}
}
