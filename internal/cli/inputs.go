package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/internal/config"
)

// inputFlags say where a run's inputs come from. What stands later in this order
// wins: the environment, the file, the flags.
type inputFlags struct {
	pairs []string // NAME=VALUE
	file  string   // JSON or YAML; - is standard input
	text  []byte   // of file, once it was read: several documents share it
}

// read gathers the inputs for a plan. What came from the environment by way of
// the file is added to env's secrets.
func (f *inputFlags) read(plan *executor.Plan, stdin io.Reader, env *config.Environment) (value.Value, error) {
	members, err := fromEnvironment(plan)
	if err != nil {
		return value.Absent, err
	}
	fromFile, err := f.readFile(stdin, env)
	if err != nil {
		return value.Absent, err
	}
	members = append(members, fromFile...)
	for _, pair := range f.pairs {
		name, text, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return value.Absent, usage("-i %s: expected NAME=VALUE", pair)
		}
		v, err := readInput(plan, name, text)
		if err != nil {
			return value.Absent, err
		}
		members = append(members, value.Member{Name: name, Value: v})
	}
	given := value.Object(members...)
	if err := plan.CheckInputNames(given); err != nil {
		return given, usage("%w", err)
	}
	return given, nil
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9]`)

// fromEnvironment reads WEFT_INPUT_NAME for each declared input, the name as it
// is, or in upper case with an underscore for all but letters and digits.
func fromEnvironment(plan *executor.Plan) ([]value.Member, error) {
	var members []value.Member
	for _, name := range plan.InputNames() {
		text, ok := os.LookupEnv("WEFT_INPUT_" + name)
		if !ok {
			text, ok = os.LookupEnv("WEFT_INPUT_" + strings.ToUpper(notInName.ReplaceAllString(name, "_")))
		}
		if !ok {
			continue
		}
		v, err := readInput(plan, name, text)
		if err != nil {
			return nil, err
		}
		members = append(members, value.Member{Name: name, Value: v})
	}
	return members, nil
}

// readInput reads one value by the type that the input's schema gives it; @FILE
// takes it from a file.
func readInput(plan *executor.Plan, name, text string) (value.Value, error) {
	if path, ok := strings.CutPrefix(text, "@"); ok {
		data, err := os.ReadFile(path)
		if err != nil {
			return value.Absent, usage("input %q: %w", name, err)
		}
		v, err := fromContent(plan.InputSchema(name), data)
		if err != nil {
			return value.Absent, usage("input %q: %s is not JSON: %w", name, path, err)
		}
		return v, nil
	}
	schema := plan.InputSchema(name)
	types := typesOf(schema)
	if v, listed := listedAs(schema, text); len(types) == 0 && listed {
		return v, nil
	}
	if len(types) == 0 || slices.Contains(types, "string") && !looksTyped(text, types) {
		return value.String(text), nil
	}
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		return value.Absent, usage("input %q: expected %s, this is %q", name, strings.Join(types, " or "), text)
	}
	return v, nil
}

// fromContent reads a file as an input: as JSON, and where a string is expected as what
// is in it, byte for byte. Only JSON of another type that the schema allows too, or that
// is a string itself, is read as such there; never where the schema speaks of bytes.
func fromContent(schema value.Value, data []byte) (value.Value, error) {
	types := typesOf(schema)
	format, _ := schema.Get("format").Str()
	bytes := format == "binary" || format == "byte" || !schema.Get("contentMediaType").IsAbsent() || !schema.Get("contentEncoding").IsAbsent()
	v, err := value.ParseJSON(data)
	switch {
	case bytes && (len(types) == 0 || slices.Contains(types, "string")):
		return value.String(string(data)), nil
	case !slices.Contains(types, "string"):
		return v, err
	case err == nil && (slices.Contains(types, v.Kind().String()) || looksTyped(string(data), types)):
		return v, nil
	default:
		return value.String(string(data)), nil
	}
}

// listedAs gives the value that a text means among those that a schema lists, though it
// names no type; listed is false where it means none.
func listedAs(schema value.Value, text string) (v value.Value, listed bool) {
	among := schema.Get("enum").Items()
	if only := schema.Get("const"); !only.IsAbsent() {
		among = append(slices.Clone(among), only)
	}
	means := func(item value.Value) bool { return value.Identical(item, v) }
	if v = value.String(text); slices.ContainsFunc(among, means) {
		return v, true
	}
	var err error
	v, err = value.ParseJSON([]byte(text))
	return v, err == nil && slices.ContainsFunc(among, means)
}

// looksTyped tells whether text can be meant as one of the types beside string.
func looksTyped(text string, types []string) bool {
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		return false
	}
	kind := v.Kind().String()
	return slices.Contains(types, kind) || kind == "number" && slices.Contains(types, "integer")
}

func typesOf(schema value.Value) []string {
	t := schema.Get("type")
	if text, ok := t.Str(); ok {
		return []string{text}
	}
	var types []string
	for _, item := range t.Items() {
		types = append(types, item.Text())
	}
	return types
}

// readFile reads an object of inputs, with ${ENV:NAME} replaced.
func (f *inputFlags) readFile(stdin io.Reader, env *config.Environment) ([]value.Member, error) {
	if f.file == "" {
		return nil, nil
	}
	if f.text == nil {
		data, err := readFileOrStdin(f.file, stdin)
		if err != nil {
			return nil, usage("--inputs: %w", err)
		}
		f.text = data
	}
	if len(bytes.TrimSpace(f.text)) == 0 {
		return nil, usage("--inputs %s: there are no inputs in it, it is empty; expected an object, such as {} for none", f.file)
	}
	tree, faults := arazzo.ParseTree(f.text)
	if len(faults) > 0 {
		return nil, usage("--inputs %s:%w", f.file, faults[0])
	}
	v, err := env.ExpandValue(tree.Value())
	if err != nil {
		return nil, usage("--inputs %s: %w", f.file, err)
	}
	if v.Kind() != value.KindObject {
		return nil, usage("--inputs %s: expected an object of inputs, this is %s", f.file, v.Kind())
	}
	return v.Members(), nil
}

func readFileOrStdin(path string, stdin io.Reader) ([]byte, error) {
	if path != "-" {
		return os.ReadFile(path)
	}
	if stdin == nil {
		return nil, errors.New("there is no standard input")
	}
	return io.ReadAll(stdin)
}
