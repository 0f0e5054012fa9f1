package source

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/weft-flow/weft/arazzo/value"
)

// versions are the versions of OpenAPI that can be read, as they begin.
var versions = regexp.MustCompile(`^3\.[0-2](\.|$)`)

// checkVersion refuses a description of a version that nothing is known of: what its
// words mean would be a guess. A version that is written as a number is taken as text.
func checkVersion(f flavour, root *yaml.Node) error {
	if root.Kind != yaml.MappingNode {
		return nil
	}
	n := member(root, string(f))
	if n == nil || n.Kind != yaml.ScalarNode {
		return fmt.Errorf("it cannot be read as OpenAPI: %s is not a version", f)
	}
	n.Tag, n.Style = tagString, yaml.DoubleQuotedStyle
	switch {
	case f == flavourSwagger && n.Value == "2.0", f != flavourSwagger && versions.MatchString(n.Value):
		return nil
	case f == flavourSwagger:
		return fmt.Errorf("version %s of Swagger is not supported; Swagger 2.0 and OpenAPI 3.0, 3.1 and 3.2 are", quote(n.Value))
	default:
		return fmt.Errorf("version %s of OpenAPI is not supported; 3.0, 3.1 and 3.2 are, and Swagger 2.0", quote(n.Value))
	}
}

// misread says in our own words, with its place, why the library could not take a
// description.
func misread(err error, root *yaml.Node) error {
	var load *yaml.LoadErrors
	switch {
	case errors.As(err, &load) && len(load.Errors) > 0:
		var all []string
		for _, e := range load.Errors[:min(len(load.Errors), maxMisread)] {
			all = append(all, misreadNode(e, root))
		}
		if more := len(load.Errors) - maxMisread; more > 0 {
			all = append(all, fmt.Sprintf("%d more of the kind", more))
		}
		return errors.New(strings.Join(all, "; "))
	}
	if parts := wrongJSON.FindStringSubmatch(err.Error()); parts != nil && jsonKinds[parts[1]] != "" {
		return fmt.Errorf("%s is %s, expected %s", strings.ReplaceAll(parts[2], ".", "/"), jsonKinds[parts[1]], expectedType(parts[3]))
	}
	return shorten(err)
}

// maxMisread bounds how many places are told of one description.
const maxMisread = 5

var (
	jsonKinds = map[string]string{"array": "a list", "object": "a mapping", "string": "text", "number": "a number", "bool": "true or false"}
	yamlKinds = map[string]string{"seq": "a list", "map": "a mapping", "str": "text", "int": "a number", "float": "a number", "bool": "true or false", "null": "empty"}
	// wrongKind is how the library says that a node is not of a type of its own.
	wrongKind = regexp.MustCompile("^cannot (?:construct|unmarshal) !!([a-z]+)(?: `[^`]*`)? into ([^ ]+)(?: field \"([^\"]*)\")?$")
	wrongJSON = regexp.MustCompile(`cannot unmarshal (\w+) into (?:Go struct )?field \w+(\.[^ ]+) of type ([^ ]+)`)
	// lists are those types of the library that are lists by another name.
	lists = regexp.MustCompile(`^(\[\]|openapi[23]\.(Parameters|Servers|SecurityRequirements|Tags|SchemaRefs)$)`)
)

func misreadNode(e *yaml.LoadError, root *yaml.Node) string {
	where := fmt.Sprintf("line %d", e.Mark.Line)
	parts := wrongKind.FindStringSubmatch(e.Message)
	if parts == nil || yamlKinds[parts[1]] == "" {
		return where + ": " + e.Message
	}
	if pointer, ok := pointerTo(root, e.Mark.Line, e.Mark.Column); ok {
		where += ": " + pointer
	}
	if field := parts[3]; field != "" {
		where += "/" + value.EscapeToken(field)
	}
	return fmt.Sprintf("%s is %s, expected %s", where, yamlKinds[parts[1]], expectedType(parts[2]))
}

// expectedType says what a type of the library is written as.
func expectedType(name string) string {
	switch {
	case lists.MatchString(name):
		return "a list"
	case strings.HasPrefix(name, "string"):
		return "text"
	case strings.HasPrefix(name, "bool"):
		return "true or false"
	case strings.HasPrefix(name, "uint"), strings.HasPrefix(name, "int"), strings.HasPrefix(name, "float"):
		return "a number"
	default:
		return "a mapping"
	}
}

// pointerTo finds the node that begins at a place, as a JSON Pointer; the outermost
// of several.
func pointerTo(root *yaml.Node, line, column int) (string, bool) {
	var path value.Pointer
	var find func(n *yaml.Node) bool
	find = func(n *yaml.Node) bool {
		if n.Line == line && n.Column == column && len(path) > 0 {
			return true
		}
		for i := 0; i < len(n.Content); i++ {
			token := fmt.Sprint(i)
			if n.Kind == yaml.MappingNode {
				token = n.Content[i].Value
				i++
			}
			path = append(path, token)
			if i < len(n.Content) && find(n.Content[i]) {
				return true
			}
			path = path[:len(path)-1]
		}
		return false
	}
	if find(root) {
		return path.String(), true
	}
	return "", false
}
