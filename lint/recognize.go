package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-flow/weft/arazzo"
)

// isArazzoName tells whether a file says by its name that it is an Arazzo document,
// as pay.arazzo.yaml does: then it is looked at even where it is empty or broken.
func isArazzoName(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), ".arazzo")
}

// looksLikeArazzo tells whether data has a key arazzo at its top, without reading
// it as a whole: most files of a directory are something else, some are large,
// and one that is broken must not be passed over for that.
func looksLikeArazzo(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if start := bytes.TrimLeft(data, " \t\r\n"); len(start) > 0 && start[0] == '{' {
		return hasFlowKey(start)
	}
	return blockKey.Match(data)
}

// blockKey is the key where it begins a line: in YAML's block style no other
// key than one at the top does.
var blockKey = regexp.MustCompile(`(?m)^(?:arazzo|"arazzo"|'arazzo')[ \t]*:(?:[ \t\r\n]|$)`)

// flowKey is the key where it stands among others in braces.
var flowKey = regexp.MustCompile(`^(?:"arazzo"|'arazzo'|arazzo)[ \t\r\n]*:`)

// hasFlowKey looks for the key between the outermost braces of JSON, or of
// YAML's flow style.
func hasFlowKey(data []byte) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"', '\'':
			if depth == 1 && flowKey.Match(data[i:]) {
				return true
			}
			i = stringEnd(data, i)
		case 'a':
			if depth == 1 && bytes.HasPrefix(data[i:], []byte("arazzo")) && flowKey.Match(data[i:]) && !isWord(data[i-1]) {
				return true
			}
		}
	}
	return false
}

// stringEnd gives the position of the quote that ends the string which begins
// at start.
func stringEnd(data []byte, start int) int {
	quote := data[start]
	for i := start + 1; i < len(data); i++ {
		switch {
		case data[i] == '\\' && quote == '"':
			i++
		case data[i] == quote:
			return i
		}
	}
	return len(data)
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// asJSON gives what is wrong with a file: of one that says by its name that it is
// JSON, and that other tools therefore read as JSON, that it is none. faults are
// those that were found in it as YAML, of which JSON is a part; read tells that it
// could be read.
func asJSON(path string, data []byte, faults []finding, read bool) []finding {
	fault := notJSON(path, data)
	switch {
	case fault == nil:
		return faults
	case read:
		kept := slices.DeleteFunc(slices.Clone(faults), func(f finding) bool { return f.Rule == "yaml" && f.Span.Start.Line == fault.Span.Start.Line })
		if len(kept) < len(faults) { // the same place is wrong as YAML too
			fault.Message = "this is no valid JSON: " + fault.Message
			return append(kept, *fault)
		}
		fault.Message = "the name of the file says JSON, but this is none (" + fault.Message + "); write it as JSON, or name the file .yaml"
		return append(faults, *fault)
	default:
		fault.Message = "this is no valid JSON: " + fault.Message
		return []finding{*fault}
	}
}

// notJSON gives where a file named .json breaks the syntax of JSON; nil for one
// that does not, for an empty one, and for any other file.
func notJSON(path string, data []byte) *finding {
	if !strings.EqualFold(filepath.Ext(path), ".json") {
		return nil
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	var invalid *json.SyntaxError
	if err := json.Unmarshal(text, new(json.RawMessage)); !errors.As(err, &invalid) || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	rest := text[min(max(int(invalid.Offset)-1, 0), len(text)):]
	start := arazzo.Position{Line: 1, Column: 1, Offset: len(data) - len(text)}.After(string(text[:len(text)-len(rest)]))
	end := start
	if _, size := utf8.DecodeRune(rest); size > 0 && rest[0] >= ' ' {
		end = start.After(string(rest[:size]))
	}
	return &finding{Fault: arazzo.Fault{Rule: "yaml", Span: arazzo.Span{Start: start, End: end}, Message: invalid.Error()}}
}
