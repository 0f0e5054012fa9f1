package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/weft-flow/weft/arazzo"
)

// The types of description (Arazzo 1.1, Source Description Object).
const (
	TypeOpenAPI  = "openapi"
	TypeArazzo   = "arazzo"
	TypeAsyncAPI = "asyncapi"
)

// flavour tells by content what a description is: the key at its root that
// names its specification.
type flavour string

const (
	flavourUnknown  flavour = ""
	flavourOpenAPI  flavour = "openapi"
	flavourSwagger  flavour = "swagger"
	flavourAsyncAPI flavour = "asyncapi"
	flavourArazzo   flavour = "arazzo"
)

// typeOf gives the type that a source description calls it by.
func (f flavour) typeOf() string {
	if f == flavourSwagger {
		return TypeOpenAPI
	}
	return string(f)
}

// isAPI tells that it is the description of an API, and no document of workflows.
func (f flavour) isAPI() bool {
	return f == flavourOpenAPI || f == flavourSwagger || f == flavourAsyncAPI
}

func flavourOf(key string) flavour {
	switch f := flavour(key); f {
	case flavourOpenAPI, flavourSwagger, flavourAsyncAPI, flavourArazzo:
		return f
	default:
		return flavourUnknown
	}
}

// detect finds the flavour without parsing what is not needed for it: the file
// may have many megabytes, and its parser differs by what is found here.
func detect(data []byte) flavour {
	if isJSON(data) {
		if f := detectJSON(data); f != flavourUnknown {
			return f
		}
	} else if f := detectBlock(data); f != flavourUnknown {
		return f
	}
	// Neither plain JSON nor YAML in block style: {openapi: 3.1.0, …}.
	if len(data) > maxFlow {
		return flavourUnknown
	}
	root, _ := arazzo.ParseTree(data)
	if root == nil {
		return flavourUnknown
	}
	for _, m := range root.Members {
		if f := flavourOf(m.Key.Text); f != flavourUnknown {
			return f
		}
	}
	return flavourUnknown
}

// maxFlow bounds the files for which the flavour is worth a whole parse.
const maxFlow = 4 << 20

func trimStart(data []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
}

// isJSON tells whether data begins as a JSON object does.
func isJSON(data []byte) bool { return bytes.HasPrefix(trimStart(data), []byte{'{'}) }

// detectJSON looks at the keys of the outermost object.
func detectJSON(data []byte) flavour {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(data, i)
			if end < 0 {
				return flavourUnknown
			}
			if depth == 1 && bytes.HasPrefix(trimStart(data[end:]), []byte{':'}) {
				if f := flavourOf(string(data[i+1 : end-1])); f != flavourUnknown {
					return f
				}
			}
			i = end - 1
		}
	}
	return flavourUnknown
}

// stringEnd gives the offset behind the JSON string that begins at start, or -1.
func stringEnd(data []byte, start int) int {
	for i := start + 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// detectBlock looks at the keys that begin a line: in block style only those of
// the outermost mapping do.
func detectBlock(data []byte) flavour {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for len(data) > 0 {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte{'\n'})
		key, _, ok := bytes.Cut(line, []byte{':'})
		if !ok || len(key) > 12 {
			continue
		}
		if f := flavourOf(strings.Trim(string(bytes.TrimRight(key, " \t")), `"'`)); f != flavourUnknown {
			return f
		}
	}
	return flavourUnknown
}

// unknownContent says what was found in place of a description.
func unknownContent(data []byte) error {
	begin := trimStart(data)
	switch {
	case len(begin) == 0:
		return errors.New("it is empty")
	case begin[0] == '<':
		return errors.New("it is a page of HTML or XML, not a description in YAML or JSON")
	}
	const expected = "it has no openapi, swagger, asyncapi or arazzo at its root"
	root, faults := arazzo.ParseTree(data)
	if root == nil && len(faults) > 0 {
		return fmt.Errorf("it is neither YAML nor JSON: %w", faults[0])
	}
	if root == nil || len(root.Members) == 0 {
		return errors.New(expected)
	}
	keys := make([]string, len(root.Members))
	for i, m := range root.Members {
		keys[i] = m.Key.Text
	}
	return fmt.Errorf("%s, but %s", expected, list(keys, "and"))
}
