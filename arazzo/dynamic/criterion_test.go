package dynamic

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/value"
)

var answers = map[string]string{
	"$statusCode":      `204`,
	"$response.body":   `{"status": "ok", "n": 3, "no": false, "big": 9007199254740993, "pets": [{"name": "Rex"}, {"name": "O'Hara"}, {"name": "say \"hi\" \\"}]}`,
	"$inputs.status":   `"OK"`,
	"$inputs.plain":    `"ok"`,
	"$inputs.quote":    `"O'Hara"`,
	"$inputs.both":     `"say \"hi\" \\"`,
	"$inputs.attack":   `"x') || true || (@.name == 'x"`,
	"$inputs.n":        `3`,
	"$inputs.big":      `9007199254740993`,
	"$inputs.null":     `null`,
	"$inputs.pattern":  `"20[0-9]"`,
	"$inputs.object":   `{"a": 1}`,
	"$inputs.xml":      `"<r><p n='1'>O'Hara</p><p n='3'>ok</p></r>"`,
	"$inputs.xattack":  `"x' or 'a' = 'a"`,
	"$inputs.badRegex": `"("`,
}

func TestCriteria(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
		fault      string // part of it; empty: there is none
	}{
		{"simple", `{"condition": "$statusCode == 204"}`, true, ""},
		{"simple that fails", `{"condition": "$statusCode == 200"}`, false, ""},
		{"simple with a context", `{"context": "$response.body", "condition": "$statusCode == 204"}`, true, ""},
		{"simple with its type", `{"condition": "$statusCode == 204", "type": "simple"}`, true, ""},
		{"simple with an absent value in quotes", `{"condition": "'{$inputs.nothing}' == 'x'"}`, false, "$inputs.nothing"},

		{"regex on a number", `{"context": "$statusCode", "condition": "^2\\d{2}$", "type": "regex"}`, true, ""},
		{"regex that fails", `{"context": "$statusCode", "condition": "^4", "type": "regex"}`, false, ""},
		{"regex on null", `{"context": "$inputs.null", "condition": ".*", "type": "regex"}`, false, "$inputs.null is null"},
		{"regex on nothing", `{"context": "$inputs.nothing", "condition": ".*", "type": "regex"}`, false, "$inputs.nothing is absent"},
		{"regex with an inserted pattern", `{"context": "$statusCode", "condition": "^({$inputs.pattern})$", "type": "regex"}`, true, ""},
		{"regex with an invalid inserted pattern", `{"context": "$statusCode", "condition": "^{$inputs.badRegex}$", "type": "regex"}`, false, "after insertion"},
		{"regex with nothing to insert", `{"context": "$statusCode", "condition": "^{$inputs.nothing}$", "type": "regex"}`, false, "$inputs.nothing has no value"},
		{"regex on a pointer", `{"context": "$response.body#/status", "condition": "^ok$", "type": "regex"}`, true, ""},

		{"jsonpath with a node that is false", `{"context": "$response.body", "condition": "$.no", "type": "jsonpath"}`, true, ""},
		{"jsonpath without a node", `{"context": "$response.body", "condition": "$.none", "type": "jsonpath"}`, false, ""},
		{"jsonpath on null", `{"context": "$inputs.null", "condition": "$", "type": "jsonpath"}`, false, "is null"},
		{"jsonpath in quotes", `{"context": "$response.body", "condition": "$[?@ == '{$inputs.plain}']", "type": "jsonpath"}`, true, ""},
		{"jsonpath with a quote inserted", `{"context": "$response.body", "condition": "$.pets[?@.name == '{$inputs.quote}']", "type": "jsonpath"}`, true, ""},
		{"jsonpath with double quotes inserted", `{"context": "$response.body", "condition": "$.pets[?@.name == \"{$inputs.both}\"]", "type": "jsonpath"}`, true, ""},
		{"jsonpath under attack", `{"context": "$response.body", "condition": "$.pets[?(@.name == '{$inputs.attack}')]", "type": "jsonpath"}`, false, ""},
		{"jsonpath without quotes", `{"context": "$response.body", "condition": "$[?@ == {$inputs.big}]", "type": "jsonpath"}`, true, ""},
		{"jsonpath with null", `{"context": "$response.body", "condition": "$[?@ == {$inputs.null}]", "type": "jsonpath"}`, false, ""},
		{"jsonpath with an object", `{"context": "$response.body", "condition": "$[?@ == {$inputs.object}]", "type": "jsonpath"}`, false, "is an object"},
		{"jsonpath with an object in quotes", `{"context": "$response.body", "condition": "$[?@ == '{$inputs.object}']", "type": "jsonpath"}`, false, ""},
		{"jsonpath with nothing to insert", `{"context": "$response.body", "condition": "$[?@ == '{$inputs.nothing}']", "type": "jsonpath"}`, false, "has no value"},
		{"jsonpath that insertion breaks", `{"context": "$response.body", "condition": "$[?@ == {$inputs.quote}]", "type": "jsonpath"}`, false, "after insertion"},
		{"jsonpath of the draft", `{"context": "$response.body", "condition": "$.pets[(@.length-1)]", "type": {"type": "jsonpath", "version": "draft-goessner-dispatch-jsonpath-00"}}`, true, ""},

		{"xpath", `{"context": "$inputs.xml", "condition": "count(/r/p) > 1", "type": "xpath"}`, true, ""},
		{"xpath without quotes", `{"context": "$inputs.xml", "condition": "/r/p[@n > {$inputs.n} - 1]", "type": "xpath"}`, true, ""},
		{"xpath in quotes", `{"context": "$inputs.xml", "condition": "/r/p[. = '{$inputs.plain}']", "type": "xpath"}`, true, ""},
		{"xpath with a quote inserted", `{"context": "$inputs.xml", "condition": "/r/p[. = '{$inputs.quote}']", "type": "xpath"}`, true, ""},
		{"xpath 1.0 with a quote between others", `{"context": "$inputs.xml", "condition": "/r/p[. = \"{$inputs.quote}\"]", "type": {"type": "xpath", "version": "xpath-10"}}`, true, ""},
		{"xpath 1.0 with its own quote", `{"context": "$inputs.xml", "condition": "/r/p[. = '{$inputs.quote}']", "type": {"type": "xpath", "version": "xpath-10"}}`, false, "XPath 1.0 cannot write"},
		{"xpath under attack", `{"context": "$inputs.xml", "condition": "/r/p[. = '{$inputs.xattack}']", "type": "xpath"}`, false, ""},
		{"xpath on JSON", `{"context": "$response.body", "condition": "/r", "type": "xpath"}`, false, "XML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiled, faults := CompileCriterion(criterionOf(t, c.text), arazzo.Version11, nil)
			if len(faults) > 0 {
				t.Fatalf("%s: %v", c.text, faults)
			}
			for range 2 { // the second time with what the first has kept
				got := compiled.Eval(scopeOf(t, answers))
				if got.Passed != c.want || (got.Fault == "") != (c.fault == "") || !strings.Contains(got.Fault, c.fault) {
					t.Errorf("%s: got %+v, want %v with a fault that says %q", c.text, got, c.want, c.fault)
				}
			}
		})
	}
}

func TestFaultsOfCriteria(t *testing.T) {
	for _, c := range []struct {
		name, text, field string
		offset            int
		unsupported       bool
	}{
		{"an unfinished simple condition", `{"condition": "$statusCode =="}`, "condition", 14, false},
		{"regex without a context", `{"condition": "^ok$", "type": "regex"}`, "", 0, false},
		{"a context that is no expression", `{"context": "body", "condition": "^ok$", "type": "regex"}`, "context", 0, false},
		{"an invalid regex", `{"context": "$response.body", "condition": "ab(", "type": "regex"}`, "condition", 0, false},
		{"a regex without a bound", `{"context": "$response.body", "condition": "(?!x)(a+)+", "type": "regex"}`, "condition", 9, true},
		{"an invalid JSONPath", `{"context": "$response.body", "condition": "$.ok == true", "type": "jsonpath"}`, "condition", 5, false},
		{"an invalid XPath", `{"context": "$response.body", "condition": "/a[", "type": "xpath"}`, "condition", 3, false},
		{"an XPath that is not supported", `{"context": "$response.body", "condition": "a ! b", "type": "xpath"}`, "condition", 2, true},
		{"a draft script that is not supported", `{"context": "$response.body", "condition": "$.b[(@.n)]", "type": {"type": "jsonpath", "version": "draft-goessner-dispatch-jsonpath-00"}}`, "condition", 3, true},
		{"an embedded expression that is none", `{"context": "$response.body", "condition": "$[?@ == '{$nope}']", "type": "jsonpath"}`, "condition", 10, false},
		{"a fault before what is inserted in quotes", `{"context": "$response.body", "condition": "$.[?@ == '{$inputs.plain}']", "type": "jsonpath"}`, "condition", 2, false},
		{"a fault after what is inserted in quotes", `{"context": "$response.body", "condition": "a[. = '{$inputs.plain}'] ! b", "type": "xpath"}`, "condition", 25, true},
		{"a backslash before what is inserted", `{"context": "$response.body", "condition": "$[?@ == '\\{$inputs.plain}']", "type": "jsonpath"}`, "condition", 9, false},
		{"a type for selectors only", `{"context": "$response.body", "condition": "/a", "type": "jsonpointer"}`, "condition", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			compiled, faults := CompileCriterion(criterionOf(t, c.text), arazzo.Version11, nil)
			if len(faults) != 1 {
				t.Fatalf("%s: got %d faults, want one: %v", c.text, len(faults), faults)
			}
			f := faults[0]
			pointer := "/workflows/0/steps/0/successCriteria/0"
			if c.field != "" {
				pointer += "/" + c.field
			}
			if f.Node.Pointer() != pointer || f.Offset != c.offset || f.Unsupported != c.unsupported {
				t.Errorf("%s: got %s+%d, unsupported %v (%s)", c.text, f.Node.Pointer(), f.Offset, f.Unsupported, f.Message)
			}
			got := compiled.Eval(scopeOf(t, answers))
			if got.Passed || got.Fault != f.Message || got.Offset != f.Offset {
				t.Errorf("%s: evaluated it gives %+v, want the fault", c.text, got)
			}
		})
	}
}

func TestUsesOfCriteria(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"condition": "$statusCode == 200 && '{$inputs.plain}' != $inputs.n"}`, "$statusCode, $inputs.plain, $inputs.n"},
		{`{"context": "$response.body#/a", "condition": "^{$inputs.pattern}$", "type": "regex"}`, "$response.body#/a, $inputs.pattern"},
		{`{"context": "$response.body", "condition": "$[?@ == '{$inputs.plain}']", "type": "jsonpath"}`, "$response.body, $inputs.plain"},
		{`{"context": "$response.body", "condition": "$.a", "type": "jsonpath"}`, "$response.body"},
		{`{"condition": "("}`, ""},
	} {
		compiled, _ := CompileCriterion(criterionOf(t, c.text), arazzo.Version11, nil)
		var got []string
		for _, use := range compiled.Uses() {
			if written := use.Node.Text[use.Offset:]; !strings.HasPrefix(written, use.Expression.Source) {
				t.Errorf("%s is not at byte %d of %s", use.Expression.Source, use.Offset, use.Node.Text)
			}
			got = append(got, use.Expression.Source)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %s, want %s", c.text, strings.Join(got, ", "), c.want)
		}
	}
}

func TestConditionsAreCompiledAgainOnlyWhenTheInsertedTextChanges(t *testing.T) {
	compiled, _ := CompileCriterion(criterionOf(t, `{"context": "$response.body", "condition": "$[?@ == '{$inputs.plain}']", "type": "jsonpath"}`), arazzo.Version11, nil)
	scope := scopeOf(t, answers)
	compiled.Eval(scope)
	first := compiled.other.last.Load()
	compiled.Eval(scope)
	if first == nil || compiled.other.last.Load() != first {
		t.Error("it was compiled again for the same text")
	}
	scope["$inputs.plain"] = scopeOf(t, map[string]string{"x": `"other"`})["x"]
	if compiled.Eval(scope).Passed || compiled.other.last.Load() == first {
		t.Error("it was not compiled again for another text")
	}
}

func TestCriteriaAreSafeForConcurrentUse(t *testing.T) {
	compiled, _ := CompileCriterion(criterionOf(t, `{"context": "$response.body", "condition": "$[?@ == '{$inputs.plain}']", "type": "jsonpath"}`), arazzo.Version11, nil)
	done := make(chan bool)
	for i := range 8 {
		scope := scopeOf(t, answers)
		if i%2 == 1 {
			scope["$inputs.plain"] = scope["$inputs.quote"]
		}
		go func() {
			right := true
			for range 50 {
				right = right && compiled.Eval(scope).Passed == (i%2 == 0)
			}
			done <- right
		}()
	}
	for range 8 {
		if !<-done {
			t.Error("one evaluation took what another had inserted")
		}
	}
}

// FuzzCriterion holds that text inserted between quotes never makes a condition
// pass that does not hold for it.
func FuzzCriterion(f *testing.F) {
	for _, text := range []string{"ok", "'", `"`, `\`, "\\'", "x') || true || ('", "x' or 'a'='a", "{$inputs.x}", "\x00\n", "é", "\xff"} {
		f.Add(text)
	}
	conditions := make([]*Criterion, 0, 4)
	for _, text := range []string{
		`{"context": "$response.body", "condition": "$.pets[?(@.name == '{$inputs.x}')]", "type": "jsonpath"}`,
		`{"context": "$response.body", "condition": "$.pets[?(@.name == \"{$inputs.x}\")]", "type": "jsonpath"}`,
		`{"context": "$inputs.xml", "condition": "/r/p[. = '{$inputs.x}']", "type": "xpath"}`,
		`{"context": "$inputs.xml", "condition": "/r/p[. = \"{$inputs.x}\"]", "type": {"type": "xpath", "version": "xpath-10"}}`,
	} {
		compiled, faults := CompileCriterion(criterionOf(f, text), arazzo.Version11, nil)
		if len(faults) > 0 {
			f.Fatal(faults)
		}
		conditions = append(conditions, compiled)
	}
	f.Fuzz(func(t *testing.T, text string) {
		scope := scopeOf(t, answers)
		scope["$inputs.x"] = value.String(text)
		holds := map[string]bool{"Rex": true, "O'Hara": true, "say \"hi\" \\": true, "ok": true}
		for _, c := range conditions {
			if c.Eval(scope).Passed && !holds[text] {
				t.Errorf("%s passes with %q", c.Condition(), text)
			}
		}
	})
}

func BenchmarkCriterion(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"simple", `{"condition": "$statusCode == 204"}`},
		{"regex", `{"context": "$statusCode", "condition": "^2\\d{2}$", "type": "regex"}`},
		{"jsonpath", `{"context": "$response.body", "condition": "$.pets[?@.name == 'Rex']", "type": "jsonpath"}`},
		{"jsonpath with an insertion", `{"context": "$response.body", "condition": "$[?@ == '{$inputs.plain}']", "type": "jsonpath"}`},
		{"xpath", `{"context": "$inputs.xml", "condition": "count(/r/p) > 1", "type": "xpath"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			compiled, _ := CompileCriterion(criterionOf(b, c.text), arazzo.Version11, nil)
			scope := scopeOf(b, answers)
			b.ReportAllocs()
			for b.Loop() {
				if !compiled.Eval(scope).Passed {
					b.Fatal("it did not pass")
				}
			}
		})
	}
}

func BenchmarkValue(b *testing.B) {
	const text = `{id: $inputs.id, who: "{$inputs.name}!", rest: {list: [1, 2, 3], of: $inputs.list}}`
	v, _ := CompileValue(nodeOf(b, text), arazzo.Version11, nil)
	scope := scopeOf(b, inputs)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Eval(scope); err != nil {
			b.Fatal(err)
		}
	}
}
