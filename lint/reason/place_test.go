package reason_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/lint/reason"
)

// place is a schema in a JSON text whose references are JSON Pointers into it.
// old tells that it is of OpenAPI 3.0.
type place struct {
	root value.Value
	at   value.Pointer
	old  bool
}

func parse(t *testing.T, text string) reason.Schema {
	t.Helper()
	return reason.Of(placeOf(t, text))
}

// parse30 reads a schema of OpenAPI 3.0.
func parse30(t *testing.T, text string) reason.Schema {
	t.Helper()
	p := placeOf(t, text)
	p.old = true
	return reason.Of(p)
}

func placeOf(t *testing.T, text string) place {
	t.Helper()
	root, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return place{root: root}
}

func (p place) Value() value.Value { return p.at.In(p.root) }
func (p place) ID() string         { return p.at.String() }

func (p place) In(tokens ...string) reason.Place {
	p.at = append(p.at[:len(p.at):len(p.at)], tokens...)
	return p
}

func (p place) Follow() (reason.Place, bool) {
	ref, _ := p.Value().Get("$ref").Str()
	at, err := value.ParsePointer(strings.TrimPrefix(ref, "#"))
	p.at = at
	return p, err == nil && strings.HasPrefix(ref, "#") && !p.Value().IsAbsent()
}

func (p place) RefAlone() bool { return p.old }

func (p place) Nullable() bool {
	is, _ := p.Value().Get("nullable").Bool()
	return p.old && is
}

func (p place) IsExempt(name string) bool {
	is, _ := p.Value().Get("properties").Get(name).Get("readOnly").Bool()
	return is
}

func (place) IsForeign() bool { return false }
