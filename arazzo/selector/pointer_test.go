package selector

import (
	"errors"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestPointerSelect(t *testing.T) {
	const data = `{"a": {"b/c": [10.10, null]}, "": 1, "~": 2}`
	for _, c := range []struct{ name, pointer, want string }{
		{"the whole", "", `{"a":{"b/c":[10.10,null]},"":1,"~":2}`},
		{"an element", "/a/b~1c/0", "10.10"},
		{"null", "/a/b~1c/1", "null"},
		{"the empty name", "/", "1"},
		{"a tilde", "/~0", "2"},
		{"nothing there", "/x/y", "absent"},
		{"beyond the list", "/a/b~1c/2", "absent"},
		{"after the list", "/a/b~1c/-", "absent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPointer, "", c.pointer)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Select(parse(t, data))
			if err != nil || got.String() != c.want {
				t.Errorf("%q: got %s, %v; want %s", c.pointer, got, err, c.want)
			}
			if passed, err := s.Test(parse(t, data)); err != nil || passed != (c.want != "absent") {
				t.Errorf("%q as a condition: got %v, %v", c.pointer, passed, err)
			}
		})
	}
}

func TestPointerReplace(t *testing.T) {
	for _, c := range []struct{ name, pointer, data, want string }{
		{"a member keeps its place", "/a", `{"a":1,"b":2}`, `{"a":"new","b":2}`},
		{"a missing last member is added", "/c", `{"a":1}`, `{"a":1,"c":"new"}`},
		{"a member of an empty object", "/a", `{}`, `{"a":"new"}`},
		{"an element", "/l/1", `{"l":[1,2]}`, `{"l":[1,"new"]}`},
		{"a dash appends", "/l/-", `{"l":[1]}`, `{"l":[1,"new"]}`},
		{"a dash appends to an empty list", "/l/-", `{"l":[]}`, `{"l":["new"]}`},
		{"a dash is a name in an object", "/-", `{}`, `{"-":"new"}`},
		{"the root", "", `[1]`, `"new"`},
		{"a scalar root", "", `1`, `"new"`},
		{"a name with a slash", "/a~1b", `{"a/b":1}`, `{"a/b":"new"}`},
		{"an element of an element", "/0/0", `[[1],[2]]`, `[["new"],[2]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPointer, "rfc6901", c.pointer)
			if err != nil {
				t.Fatal(err)
			}
			before := parse(t, c.data)
			got, err := s.Replace(before, value.String("new"))
			if err != nil || got.String() != c.want {
				t.Errorf("%q in %s: got %s, %v; want %s", c.pointer, c.data, got, err, c.want)
			}
			if before.String() != parse(t, c.data).String() {
				t.Errorf("the given value was changed to %s", before)
			}
		})
	}
}

func TestPointerReplaceErrors(t *testing.T) {
	for _, c := range []struct{ name, pointer, data, says string }{
		{"a missing parent", "/a/b", `{}`, `"/a" is not there`},
		{"a member of null", "/a/b", `{"a":null}`, `"/a" is null`},
		{"a member of a string", "/a", `"text"`, `"" is a string`},
		{"a position beyond the list", "/1", `[1]`, `a list of 1`},
		{"a name in a list", "/x", `[1]`, `has no "x"`},
		{"a leading zero", "/00", `[1]`, `has no "00"`},
		{"a dash that is not last", "/-/a", `[1]`, `has no "-"`},
		{"nothing at all", "/a", ``, `"" is not there`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPointer, "", c.pointer)
			if err != nil {
				t.Fatal(err)
			}
			data := value.Absent
			if c.data != "" {
				data = parse(t, c.data)
			}
			if got, err := s.Replace(data, value.Null); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q in %s: got %s, %v; want an error that says %s", c.pointer, c.data, got, err, c.says)
			}
		})
	}
	s, _ := Compile(JSONPointer, "", "/a")
	if _, err := s.Replace(parse(t, "{}"), value.Absent); err == nil {
		t.Error("an absent value was set")
	}
}

func TestPointerSyntaxErrors(t *testing.T) {
	for _, text := range []string{"a", "#/a", "/~", "/~2"} {
		var syntax *SyntaxError
		if _, err := Compile(JSONPointer, "", text); !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, want a syntax error", text, err)
		}
	}
}
