package selector

import (
	"errors"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

// FuzzSelect holds that no selector and no data make the package panic, that a
// selector gives the same answer twice, and that a text which the JSONPath
// library accepts is never refused because of how comparisons are rewritten.
func FuzzSelect(f *testing.F) {
	for _, seed := range []struct {
		language uint8
		text     string
	}{
		{0, "$..[?@.id == 9007199254740993 && (@.a < 'b' || !match(@.c, '[a-z]+'))]"},
		{0, "$[?count(@.*) > 1]['a',1,::-1,*]"},
		{0, `$["\u00e9"][?@['x'] != $.y[0]]`},
		{1, "/a~1b/0/-"},
		{2, "//book[@price > 9 and position() = last()]/title | //total"},
		{2, "concat(substring('abc', 2), translate(//tag, 'x', \"y\"), -1 div 3 mod 2)"},
		{2, "ancestor-or-self::node()[processing-instruction('x')]/../@*"},
		{3, "$..book[(@.length-1)][?(@.ok === true)]"},
		{4, "string-join(//tag, ', ')"},
		{5, `^(?=a)(\w)\1[a-z]{2,}$`},
	} {
		f.Add(seed.language, seed.text, `{"a":[1,{"id":9007199254740993,"x":null}],"y":[true]}`)
		f.Add(seed.language, seed.text, shelf)
	}
	versions := []struct {
		language Language
		version  string
	}{
		{JSONPath, "rfc9535"}, {JSONPointer, "rfc6901"}, {XPath, "xpath-10"},
		{JSONPath, "draft-goessner-dispatch-jsonpath-00"}, {XPath, "xpath-31"},
	}
	f.Fuzz(func(t *testing.T, which uint8, text, data string) {
		if len(text) > 400 || len(data) > 2000 {
			return
		}
		if int(which%6) == len(versions) {
			if r, err := CompileRegex(text); err == nil && r.linear != nil {
				_, _ = r.Match(data)
			}
			return
		}
		v, err := value.ParseJSON([]byte(data))
		if err != nil {
			v = value.String(data)
		}
		chosen := versions[which%6]
		s, err := Compile(chosen.language, chosen.version, text)
		if err != nil {
			checkCompileError(t, chosen.language, text, err)
			return
		}
		first, firstErr := s.Select(v)
		again, againErr := s.Select(v)
		if first.String() != again.String() || (firstErr == nil) != (againErr == nil) {
			t.Errorf("%s on %s: first %s, %v, then %s, %v", text, data, first, firstErr, again, againErr)
		}
		_, _ = s.Test(v)
		replaced, err := s.Replace(v, value.String("<new>"))
		if err == nil && chosen.language == XPath {
			source, _ := replaced.Str()
			if _, err := parseXML(source); err != nil {
				t.Errorf("replacing %s in %s gives %s: %v", text, data, source, err)
			}
		}
	})
}

func checkCompileError(t *testing.T, language Language, text string, err error) {
	var syntax *SyntaxError
	var unsupported *UnsupportedError
	var limit *LimitError
	switch {
	case errors.As(err, &syntax):
		if syntax.Offset < 0 || syntax.Offset > len(text) {
			t.Errorf("%q: the offset %d is outside of the text", text, syntax.Offset)
		}
	case errors.As(err, &unsupported):
		if unsupported.Offset < 0 || unsupported.Offset > len(text)+1 {
			t.Errorf("%q: the offset %d is outside of the text", text, unsupported.Offset)
		}
		if language == JSONPath && rewritingFailed(err) {
			t.Errorf("%q was accepted and then refused: %v", text, err)
		}
	case !errors.As(err, &limit):
		t.Errorf("%q: an error of another kind: %v", text, err)
	}
}

// rewritingFailed tells whether the query with exact comparisons did not parse.
func rewritingFailed(err error) bool {
	var unsupported *UnsupportedError
	return errors.As(err, &unsupported) && len(unsupported.Message) > 30 && unsupported.Message[:31] == "this filter is not supported: j"
}
