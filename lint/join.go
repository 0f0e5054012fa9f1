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
	near := indexPlaces(parsed)
	for _, s := range shape {
		same := slices.DeleteFunc(near.around(s.Pointer), func(i int) bool { return !sameFault(parsed[i], s) })
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

// places finds findings by where they are.
type places struct {
	at, beneath map[string][]int // by their pointer, and by that of the value around it
}

func indexPlaces(findings []finding) places {
	p := places{make(map[string][]int), make(map[string][]int)}
	for i, f := range findings {
		p.at[f.Pointer] = append(p.at[f.Pointer], i)
		if parent, ok := parentOf(f.Pointer); ok {
			p.beneath[parent] = append(p.beneath[parent], i)
		}
	}
	return p
}

// around gives the findings at a pointer, one level above it and one beneath.
func (p places) around(pointer string) []int {
	near := slices.Concat(p.at[pointer], p.beneath[pointer])
	if parent, ok := parentOf(pointer); ok {
		near = append(near, p.at[parent]...)
	}
	return near
}

// parentOf gives the JSON Pointer of the value that holds what pointer names.
func parentOf(pointer string) (string, bool) {
	at := strings.LastIndexByte(pointer, '/')
	if at < 0 {
		return "", false
	}
	return pointer[:at], true
}

// general is the rule of what has no rule of its own.
const general = "schema"

// sameFault tells whether what the parser and the schema say of the same place,
// or of two of which one holds the other, is the same fault.
func sameFault(parsed, shape finding) bool {
	switch {
	case parsed.Rule == "yaml-merge":
		return false // speaks of how the document is written only
	case parsed.Pointer == shape.Pointer:
		// Several members may be missing at one place.
		return shape.member == "" || mentions(parsed.Message, shape.member)
	default:
		// One of them tells it of an object, the other of the field in it.
		return parsed.Rule == shape.Rule && parsed.Rule != general && parsed.Rule != "unknown-field"
	}
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
