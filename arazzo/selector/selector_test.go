package selector

import (
	"errors"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func TestParseLanguage(t *testing.T) {
	for _, name := range []string{"jsonpath", "jsonpointer", "xpath"} {
		l, err := ParseLanguage(name)
		if err != nil || l.String() != name {
			t.Errorf("%s: got %s, %v", name, l, err)
		}
	}
	for _, name := range []string{"", "regex", "JSONPath"} {
		var syntax *SyntaxError
		if _, err := ParseLanguage(name); !errors.As(err, &syntax) {
			t.Errorf("%q: got %v, want a syntax error", name, err)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		language      Language
		version, text string
		want          string // empty: it is an error
	}{
		{JSONPath, "", "$", "rfc9535"},
		{JSONPath, "rfc9535", "$", "rfc9535"},
		{JSONPath, "draft-goessner-dispatch-jsonpath-00", "$", "draft-goessner-dispatch-jsonpath-00"},
		{JSONPath, "rfc6901", "$", ""},
		{JSONPointer, "", "", "rfc6901"},
		{JSONPointer, "rfc6901", "", "rfc6901"},
		{XPath, "", "/a", "xpath-31"},
		{XPath, "xpath-10", "/a", "xpath-10"},
		{XPath, "xpath-20", "/a", "xpath-20"},
		{XPath, "xpath-30", "/a", "xpath-30"},
		{XPath, "xpath-40", "/a", ""},
	} {
		s, err := Compile(c.language, c.version, c.text)
		if c.want == "" {
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("%s %q: got %v, want a syntax error", c.language, c.version, err)
			}
			continue
		}
		if err != nil || s.Version() != c.want || s.Language() != c.language || s.String() != c.text {
			t.Errorf("%s %q: got %v, %v; want version %s", c.language, c.version, s, err, c.want)
		}
	}
	if _, err := Compile(Language(9), "", "$"); err == nil {
		t.Error("a language that is not there was compiled")
	}
}

func TestVersionsAreNotShared(t *testing.T) {
	XPath.Versions()[0] = "changed"
	if got := XPath.Versions()[0]; got != "xpath-31" {
		t.Errorf("a caller changed the default version to %s", got)
	}
}

func TestSelectorsAreSafeForConcurrentUse(t *testing.T) {
	path, err := Compile(JSONPath, "", "$.orders[?@.id == 9007199254740993].total")
	if err != nil {
		t.Fatal(err)
	}
	xpath, err := Compile(XPath, "", "count(//book[tag = 'x'])")
	if err != nil {
		t.Fatal(err)
	}
	data, done := parse(t, orders), make(chan string)
	for range 8 {
		go func() {
			a, _ := path.Select(data)
			b, _ := xpath.Select(value.String(shelf))
			done <- a.String() + b.String()
		}()
	}
	for range 8 {
		if got := <-done; got != "[9.5]1" {
			t.Errorf("got %s", got)
		}
	}
}
