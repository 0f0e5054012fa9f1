package selector

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

// parse reads JSON that a test wrote.
func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("the test's own JSON %s: %v", text, err)
	}
	return v
}

type complianceCase struct {
	Name     string        `json:"name"`
	Selector string        `json:"selector"`
	Document value.Value   `json:"document"`
	Result   *value.Value  `json:"result"`
	Results  []value.Value `json:"results"`
	Invalid  bool          `json:"invalid_selector"`
}

func TestJSONPathComplianceSuite(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("skipped: WEFT_CONFORMANCE is not set, so there is no JSONPath compliance suite to run")
	}
	data, err := os.ReadFile(filepath.Join(root, "jsonpath", "cts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var suite struct {
		Tests []complianceCase `json:"tests"`
	}
	if err := json.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	if len(suite.Tests) < 703 {
		t.Fatalf("the suite has %d cases, expected at least 703", len(suite.Tests))
	}
	for _, c := range suite.Tests {
		t.Run(c.Name, func(t *testing.T) { checkCompliance(t, c) })
	}
}

func checkCompliance(t *testing.T, c complianceCase) {
	s, err := Compile(JSONPath, "", c.Selector)
	if c.Invalid {
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Fatalf("%s: got %v, want a syntax error", c.Selector, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", c.Selector, err)
	}
	found, err := s.query.(*jsonPathQuery).find(c.Document)
	if err != nil {
		t.Fatalf("%s: %v", c.Selector, err)
	}
	items := make([]value.Value, len(found))
	for i, n := range found {
		items[i] = n.value
	}
	got := value.Array(items...)
	wanted := c.Results
	if c.Result != nil {
		wanted = []value.Value{*c.Result}
	}
	for _, want := range wanted {
		if value.Identical(got, want) {
			return
		}
	}
	t.Errorf("%s on %s: got %s, want one of %v", c.Selector, c.Document, got, wanted)
}

const orders = `{"z": 1, "orders": [
	{"id": 9007199254740992, "total": 10.10, "ok": false, "tags": ["a", "b"]},
	{"id": 9007199254740993, "total": 9.5, "note": null},
	{"id": 3, "total": 10.1, "ok": true, "note": ""}], "a": {"y": 1, "b": 2}}`

func TestJSONPathSelect(t *testing.T) {
	for _, c := range []struct{ name, path, want string }{
		{"a singular query gives the value", "$.orders[0].id", "9007199254740992"},
		{"a singular query that finds nothing gives nothing", "$.orders[7].id", "absent"},
		{"null is found", "$.orders[1].note", "null"},
		{"any other query gives a list", "$.orders[:1].id", "[9007199254740992]"},
		{"a list may be empty", "$.nothing[*]", "[]"},
		{"numbers keep their text", "$..total", "[10.10,9.5,10.1]"},
		{"members come in the order of the document", "$.*", `[1,` + compact(t, orders, "/orders") + `,{"y":1,"b":2}]`},
		{"members beneath come in the order of the document", "$.a.*", "[1,2]"},
		{"a node may be found twice", "$.a['y','y']", "[1,1]"},
		{"a slice backwards", "$.orders[::-1].total", "[10.1,9.5,10.10]"},
		{"large integers differ by one", "$.orders[?@.id == 9007199254740993].total", "[9.5]"},
		{"large integers are ordered exactly", "$.orders[?@.id > 9007199254740992].total", "[9.5]"},
		{"at most is exact", "$.orders[?@.id <= 9007199254740992].total", "[10.10,10.1]"},
		{"numbers are equal by value", "$.orders[?@.total == 10.1].id", "[9007199254740992,3]"},
		{"a literal keeps all its digits", "$.orders[?@.total == 10.10000000000000000001].id", "[]"},
		{"an exponent is the same number", "$.orders[?@.id == 3e0].total", "[10.1]"},
		{"a count compares with a number", "$.orders[?count(@.tags[*]) == 2].id", "[9007199254740992]"},
		{"a length compares with a number", "$.orders[?length(@.tags) >= 2].id", "[9007199254740992]"},
		{"two that are absent are equal", "$.orders[?@.none == @.neither].id", "[9007199254740992,9007199254740993,3]"},
		{"absent is not null", "$.orders[?@.note == null].id", "[9007199254740993]"},
		{"a negated group", "$.orders[?!(@.id == 3 || @.id == 9007199254740993)].total", "[10.10]"},
		{"a filter in a filter", "$[?@[?@.id == 9007199254740993]].length", "[]"},
		{"a string with a bracket and an operator", "$.orders[?@['id'] == '] == 1'].id", "[]"},
		{"existence, even when false", "$.orders[?@.ok].id", "[9007199254740992,3]"},
		{"match takes the whole string", "$.orders[?match(@.tags[0], '[a-c]')].id", "[9007199254740992]"},
		{"objects are compared exactly", `$.orders[?@ == $.orders[1]].total`, "[9.5]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPath, "", c.path)
			if err != nil {
				t.Fatalf("%s: %v", c.path, err)
			}
			got, err := s.Select(parse(t, orders))
			if err != nil || got.String() != c.want {
				t.Errorf("%s: got %s, %v; want %s", c.path, got, err, c.want)
			}
		})
	}
}

func compact(t testing.TB, text, pointer string) string {
	p, err := value.ParsePointer(pointer)
	if err != nil {
		t.Fatal(err)
	}
	return p.In(parse(t, text)).String()
}

func TestJSONPathTest(t *testing.T) {
	for _, c := range []struct {
		name, path, data string
		want             bool
	}{
		{"a node that is false passes", "$.ok", `{"ok": false}`, true},
		{"a node that is null passes", "$.ok", `{"ok": null}`, true},
		{"no node fails", "$.ok", `{}`, false},
		{"a filter without a match fails", "$[?@.ok == true]", `[{"ok": false}]`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPath, "", c.path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Test(parse(t, c.data))
			if err != nil || got != c.want {
				t.Errorf("%s on %s: got %v, %v; want %v", c.path, c.data, got, err, c.want)
			}
		})
	}
}

func TestJSONPathSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		name, path string
		offset     int
		suggestion string
	}{
		{"a comparison outside a filter", "$.ok == true", 5, "$[?$.ok == true]"},
		{"an ordering outside a filter", "$.a.x > 0", 6, "$[?$.a.x > 0]"},
		{"a comparison in brackets' style", "$['ok'] == 'y'", 8, "$[?$['ok'] == 'y']"},
		{"one equals sign", "$.ok = 1", 5, "$[?$.ok == 1]"},
		{"a length as other dialects write it", "$.a.length > 0", 11, "$[?length($.a) > 0]"},
		{"a list compared outside a filter", "$.a[*] == 1", 6, ""},
		{"a comparison with nothing", "$.a ==", 3, ""},
		{"no root", "orders", 0, ""},
		{"nothing", "", 0, ""},
		{"an open bracket", "$.a[", 4, ""},
		{"a function that is not there", "$[?size(@) > 1]", 3, ""},
		{"a list compared", "$[?@.* == 1]", 7, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(JSONPath, "", c.path)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Fatalf("%s: got %v, want a syntax error", c.path, err)
			}
			if syntax.Offset != c.offset || syntax.Suggestion != c.suggestion {
				t.Errorf("%s: got offset %d, suggestion %q; want %d, %q (%s)", c.path, syntax.Offset, syntax.Suggestion, c.offset, c.suggestion, syntax.Message)
			}
		})
	}
}

func TestSuggestionsHoldWhereTheComparisonHolds(t *testing.T) {
	_, err := Compile(JSONPath, "", "$.a.ok == true")
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatalf("got %v, want a syntax error", err)
	}
	meant, err := Compile(JSONPath, "", syntax.Suggestion)
	if err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]bool{`{"a":{"ok":true}}`: true, `{"a":{"ok":false}}`: false, `{"a":{}}`: false, `{}`: false} {
		if got, err := meant.Test(parse(t, data)); err != nil || got != want {
			t.Errorf("%s on %s: got %v, %v; want %v", syntax.Suggestion, data, got, err, want)
		}
	}
}

func TestJSONPathReplace(t *testing.T) {
	for _, c := range []struct{ name, path, data, with, want string }{
		{"one place", "$.a", `{"a": 1, "b": 2}`, `9`, `{"a":9,"b":2}`},
		{"every match", "$.items[?@.sku == 'A'].qty", `{"items": [{"sku": "A", "qty": 1}, {"sku": "B", "qty": 1}, {"sku": "A", "qty": 2}]}`, `7`,
			`{"items":[{"sku":"A","qty":7},{"sku":"B","qty":1},{"sku":"A","qty":7}]}`},
		{"the root", "$", `[1]`, `{"x":10.10}`, `{"x":10.10}`},
		{"the outer of two places", "$..a", `{"a": {"a": 1}}`, `0`, `{"a":0}`},
		{"what is not touched keeps its text", "$.a", `{"big": 9007199254740993, "a": 1}`, `2`, `{"big":9007199254740993,"a":2}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPath, "", c.path)
			if err != nil {
				t.Fatal(err)
			}
			before := parse(t, c.data)
			kept := before.String()
			got, err := s.Replace(before, parse(t, c.with))
			if err != nil || got.String() != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
			if before.String() != kept {
				t.Errorf("the given value was changed to %s", before)
			}
		})
	}
	s, _ := Compile(JSONPath, "", "$.none")
	if _, err := s.Replace(parse(t, `{"a":1}`), value.Null); !errors.Is(err, ErrNoMatch) {
		t.Errorf("no match: got %v, want ErrNoMatch", err)
	}
}

func TestDraftJSONPath(t *testing.T) {
	const data = `{"book": [{"t": 1, "ok": false, "n": 0, "s": ""}, {"t": 2, "ok": true, "n": 2, "s": "x", "o": {}}]}`
	for _, c := range []struct{ name, path, want string }{
		{"the last by a script", "$..book[(@.length-1)].t", "[2]"},
		{"a script in a singular query", "$.book[(@.length - 2)].t", "1"},
		{"a filter in parentheses", "$.book[?(@.t==1)].t", "[1]"},
		{"strict operators", "$.book[?(@.t===1 && @.n!==1)].t", "[1]"},
		{"a lone query passes when true", "$.book[?(@.ok)].t", "[2]"},
		{"zero is not true", "$.book[?(@.n)].t", "[2]"},
		{"the empty string is not true", "$.book[?(@.s)].t", "[2]"},
		{"an object is true", "$.book[?(@.o)].t", "[2]"},
		{"a lone query negated", "$.book[?(!@.ok)].t", "[1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Compile(JSONPath, "draft-goessner-dispatch-jsonpath-00", c.path)
			if err != nil {
				t.Fatalf("%s: %v", c.path, err)
			}
			got, err := s.Select(parse(t, data))
			if err != nil || got.String() != c.want {
				t.Errorf("%s: got %s, %v; want %s", c.path, got, err, c.want)
			}
		})
	}
	for _, path := range []string{"$.book[?(@.t*2 > 1)]", "$.book[?(@.s =~ /x/)]", "$.book[?(@.list.length > 1)]", "$.book[(@.length/2)]", "book[0]"} {
		_, err := Compile(JSONPath, "draft-goessner-dispatch-jsonpath-00", path)
		var unsupported *UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: got %v, want it to be called unsupported", path, err)
		}
	}
}

func TestJSONPathLimits(t *testing.T) {
	wide := parse(t, "["+strings.Repeat(`{"a":{"b":{"c":[1,2,3,{"d":4}]}}},`, 20000)+"1]")
	for _, path := range []string{"$..*..*..*..*", "$[?count($..*) > 1]", "$..[?$ == $]", "$..[?match(@.x, 'a')]", "$..[?count(@..[?count($..*) > 1]) > 0]"} {
		s, err := Compile(JSONPath, "", path)
		if err != nil {
			t.Fatal(err)
		}
		var limit *LimitError
		if _, err := s.Select(wide); !errors.As(err, &limit) {
			t.Errorf("%s on a wide list: got %v, want a limit", path, err)
		}
	}
	for name, path := range map[string]string{
		"long":                    "$" + strings.Repeat(".a", MaxTextLength),
		"parentheses":             "$[?" + strings.Repeat("(", 60000),
		"filters nested in paths": "$" + strings.Repeat("[?@", 20000),
	} {
		var limit *LimitError
		if _, err := Compile(JSONPath, "", path); !errors.As(err, &limit) {
			t.Errorf("%s: got %v, want a limit", name, err)
		}
	}
}
