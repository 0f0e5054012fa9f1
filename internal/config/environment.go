package config

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/weft-flow/weft/arazzo/value"
)

// Environment replaces ${ENV:NAME} by what the environment variable NAME holds, and
// remembers it: what is kept out of a file is taken for secret.
type Environment struct {
	secrets []string
}

const (
	referenceOpens  = "${ENV:"
	referenceCloses = "}"
)

// errUnset tells that a variable of the environment is not set.
var errUnset = errors.New("the environment variable is not set")

// unsetError is errUnset with the name of the variable.
type unsetError string

func (e unsetError) Error() string {
	return fmt.Sprintf("the environment variable %s is not set", string(e))
}
func (e unsetError) Unwrap() error { return errUnset }

// Expand replaces all references in text. It is an error if one is not closed, or
// names a variable that is not set: an empty secret would be sent. The error does
// not hold what any variable holds.
func (e *Environment) Expand(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, referenceOpens)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		name, after, closed := strings.Cut(rest, referenceCloses)
		if !closed {
			return "", fmt.Errorf("%s has no closing %s", referenceOpens, referenceCloses)
		}
		if name == "" {
			return "", fmt.Errorf("%s%s names no variable", referenceOpens, referenceCloses)
		}
		held, set := os.LookupEnv(name)
		if !set {
			return "", unsetError(name)
		}
		out.WriteString(held)
		e.hide(held)
		text = after
	}
}

// ExpandValue replaces all references in the strings of v; the names of members
// stay as they are.
func (e *Environment) ExpandValue(v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.KindString:
		text, err := e.Expand(v.Text())
		return value.String(text), err
	case value.KindArray:
		items := make([]value.Value, v.Len())
		for i, item := range v.Items() {
			expanded, err := e.ExpandValue(item)
			if err != nil {
				return value.Absent, err
			}
			items[i] = expanded
		}
		return value.Array(items...), nil
	case value.KindObject:
		members := make([]value.Member, v.Len())
		for i, m := range v.Members() {
			expanded, err := e.ExpandValue(m.Value)
			if err != nil {
				return value.Absent, err
			}
			members[i] = value.Member{Name: m.Name, Value: expanded}
		}
		return value.Object(members...), nil
	default:
		return v, nil
	}
}

// Secrets gives what was taken from the environment, in the order of first use.
func (e *Environment) Secrets() []string { return e.secrets }

// hide remembers a text as secret.
func (e *Environment) hide(text string) {
	if text == "" {
		return
	}
	for _, known := range e.secrets {
		if known == text {
			return
		}
	}
	e.secrets = append(e.secrets, text)
}
