package expression

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

func conditionScope(tb testing.TB) fixed {
	tb.Helper()
	return fixed{
		"status": value.Int(200),
		"body": mustJSON(tb, `{
			"state": "In Progress", "quote": "O'Brien", "n": 5, "nine": "9", "ten": "10", "text5": "5",
			"big": 9007199254740993, "price": 10.10, "zero": 0, "zeroText": "0", "empty": "", "null": null,
			"yes": true, "no": false, "yesText": "true", "items": [{"sku": "A1", "dash-key": 1}, {"sku": "B2"}], "none": [], "map": {},
			"a.b": "dotted", "a b": "spaced", "a/b": "slashed", "street": "STRASSE", "sigma": "ΣΑΣ",
			"json": "v={\"k\":[1,2]}", "brace": "}", "index": 1, "a=b": "equals", "a!b": "bang", "a[0]": "bracket"}`),
		"n": value.Int(5), "name": value.String("o'brien"), "X-Id": value.String("ab"), "X|Y": value.String("pipe"),
		"list": mustJSON(tb, `[1, [2, 3]]`), "customer": mustJSON(tb, `{"key": 7}`), "first name": value.String("Ann"),
		"injection": value.String("x' || true || 'y"),
	}
}

func TestConditions(t *testing.T) {
	pass := []string{
		// Comparison of strings: the case never matters.
		"$response.body#/state == 'in progress'",
		"$response.body#/state == 'IN PROGRESS' && $statusCode == 200",
		"!($response.body#/state != 'in progress')",
		"$response.body#/state <= 'IN PROGRESS'", "$response.body#/state >= 'in progress'",
		"'apple' < 'Banana'", "'B' > 'a'", "$response.body#/sigma == 'σας'",
		"'' == ''", "'a' != 'b'", "'a' < 'ab'",
		// Quotes.
		"$response.body#/quote == 'O''Brien'", "'''' == ''''", "'a''''b' != 'a''b'", `"it's" == 'it''s'`, "'&& || == )' == '&& || == )'",
		// Numbers, exactly.
		"$response.body#/big == 9007199254740993", "$response.body#/big != 9007199254740992", "$response.body#/big > 9007199254740992",
		"$response.body#/price == 10.1", "1e2 == 100", "-1 < 0", "$response.body#/zero > -1", "0 == -0", "1e999999999 > 1",
		// Numeric strings: against a number, and in an ordering.
		"$response.body#/text5 == 5", "5 == $response.body#/text5", "$response.body#/text5 != 6", "$response.body#/ten > $response.body#/nine", "'10' > '9'", "'1.0' >= '1'", "'1.0' <= 1", "'1.0' != '1'",
		"'10' < '9a'",
		// Null and absent.
		"null == null", "$response.body#/null == null", "$response.body#/gone == null", "$response.body#/gone == $response.body#/null",
		"$response.body#/n != null", "null != 0", "null != ''", "null != false", "!(null < 5)", "!(null >= null)", "!(null != null)",
		"$response.body#/gone != 5", "!($response.body#/gone < 5)",
		// Other mixes are unequal, and not ordered.
		"true != 'true'", "true != 1", "$response.body#/yesText != true", "!(true > false)", "!('a' < 1)", "$response.body#/items != 'a'", "!($response.body#/map < $response.body#/map)",
		// Lists and objects.
		"$response.body#/none == $response.body#/none", "$response.body#/map != $response.body#/none",
		// Bare values.
		"true", "1", "'a'", "'false'", "'0'", "-1", "$response.body#/yes", "$response.body#/n", "$response.body#/state", "$statusCode",
		"!$response.body#/no", "!null", "!''", "!0", "!0.0", "!$response.body#/gone", "!$response.body#/items", "!$response.body#/map", "!!1",
		// Logic: && binds tighter than ||.
		"true || false && false", "!(false || false)", "false || true", "true && 'x' && 1", "1 == 1 && 2 == 2 || 1 == 2", "!false == true", "(1 == 1) == (2 == 2)", "(1 < 2) == true", "!(1 == 2)",
		// Where an expression ends.
		"$statusCode==200", "($statusCode)==(200)", "$statusCode>=200&&$statusCode<300", "$response.body#/n==5", "($response.body#/n)==5", "$response.body#/n!=6", "\t$statusCode\r\n==\n200 ",
		"$response.body#/a.b == 'dotted'", "$response.body#/a=b == 'equals'", "$response.body#/a!b=='bang'", "$response.body#/a~1b == 'slashed'", "$response.body#/a[0] == 'bracket'", "$response.body#/items/0/dash-key == 1",
		"$response.header.X-Id=='AB'", "$response.header.X-Id!='b'", "$response.header.X-Id&&true", "false||$response.header.X-Id||false", "$response.header.X|Y=='pipe'",
		"$response.header.X-Id<'b'", "!$response.header.Gone",
		// Dots and brackets.
		"$response.body.n == 5", "$response.body.items[0].sku == 'a1'", "$response.body.items[1].sku == 'B2'", "$response.body.items[0].dash-key == 1", "$response.body.items[2] == null", "$response.body.items[-1] == null", "$response.body.items[1.5] == null",
		"$response.body.items[$response.body#/index].sku == 'b2'", "$response.body.items[$response.body.items[0].dash-key].sku == 'b2'", "$response.body.items[ 0 ].sku == 'A1'", "$response.body.items.1.sku == 'B2'",
		"($response.body#/items)[0].sku == 'A1'", "$inputs.list[1][0] == 2", "$inputs.customer.key == 7", "$inputs.first name == 'ann'", "$response.body.state.x == null", "$statusCode.x == null", "{$response.body#/items}[0].sku == 'A1'",
		// Embedded expressions.
		"{$statusCode} == 200", "{$inputs.n} > 4", "{$response.body#/a b} == 'spaced'", "$response.body#/quote == '{$inputs.name}'", "'{$inputs.n}' == 5", "'{$inputs.n}{$inputs.n}' == 55", "'a{$inputs.n}b' == 'A5B'",
		"'{$inputs.injection}' == $inputs.injection", "!('a' == '{$inputs.injection}')", "'{' != '}'", "'{ }' == '{ }'", "'$inputs.n' != 5", `"{$inputs.n}" == 5`, "$response.body#/json == 'v={\"k\":[1,2]}'",
		"'{$response.body#/null}' == 'null'", "{$response.body#/null} == null",
	}
	fail := []string{
		"false", "null", "0", "''", "$response.body#/gone", "$response.body#/null", "$response.body#/items", "$response.body#/none", "$response.body#/map", "$response.body#/zero", "$response.body#/empty",
		"$statusCode == 201", "$response.body#/state != 'IN PROGRESS'", "null < 5", "$response.body#/gone < 5", "$response.body#/gone >= 0", "true < 5", "'a' == 1", "'1.0' == '1'", "' 5' == 5", "false == null", "'' == null", "0 == null",
		"$response.body#/big == 9007199254740992", "true && false", "false || null", "!true", "!'a'", "true == 1", "'straße' == $response.body#/street",
	}
	for _, set := range []struct {
		texts []string
		want  bool
	}{{pass, true}, {fail, false}} {
		for _, text := range set.texts {
			c, err := ParseCondition(text, declaredNames)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if got, err := c.Eval(conditionScope(t)); err != nil || got != set.want {
				t.Errorf("%s gives %t, %v", text, got, err)
			}
		}
	}
}

func TestConditionsThatAreRefused(t *testing.T) {
	for text, offset := range map[string]int{
		"": 0, "  ": 2, "$statusCode === 201": 14, "$statusCode = 200": 12, "$statusCode ==": 14, "== 200": 0, "$statusCode 200": 12,
		"($statusCode == 200": 0, "$statusCode == 200)": 18, "()": 1, "(": 1, ")": 0, "[0]": 0, "$response.body[0": 16, "$response.body[]": 15, "$response.body[0]]": 17,
		"$response.body['a']": 15, "$response.body[null]": 15, "'a": 0, "'a''": 0, `"a`: 0, `'a"`: 0, "'a' 'b'": 4,
		"1 < 2 < 3": 6, "1 == 1 == 1": 7, "a": 0, "$response.body#/name == CriteriaTestPet": 24, "True": 0, "NULL": 0, "01": 0, "1.": 0, "+1": 0, "1a": 0, "--1": 0, "- 1": 0, ".5": 0, "0x10": 0,
		"$statusCode == 200 &": 19, "$statusCode == 200 | true": 19, "$statusCode & true": 12, "!": 1, "&& true": 0, "true &&": 7, "true || || true": 8,
		"$nope == 1": 0, "$inputs. == 1": 8, "$steps.a == 1": 8, "$response.header. == 1": 17, "$response.body#a == 1": 15, "$response.body#/~x == 1": 16, "$response.body. == 1": 15, "$statusCodes == 1": 0,
		"{ $statusCode } == 200": 0, "{$statusCode == 200": 0, "{$nope} == 1": 1, "'{$nope}' == 1": 2, "'{$inputs.n' == 1": 1, "{$statusCode}x": 13, "{5} == 5": 0, "$inputs.a b == 1": 10,
	} {
		c, err := ParseCondition(text, nil)
		if err == nil {
			t.Errorf("%q is read as %s", text, c)
			continue
		}
		wantOffset(t, text, err, offset)
	}
}

func TestNothingOfTheMachinesOwnLanguageLeaksThrough(t *testing.T) {
	for _, text := range []string{
		"true and true", "true or false", "not true", "let x = 1; x", "'a' matches 'a'", "'a' contains 'a'", "'ab' startsWith 'a'", "1 in [1]", "[1, 2]", "{a: 1}",
		"true ? 1 : 2", "1 ?? 2", "$response.body?.a", "1 | len()", "len('a') == 1", "'a' | upper()", "map([1], true)", "all([1], # > 0)", "1 + 1 == 2", "2 * 2", "4 / 2", "5 % 2", "2 ** 3", "2 ^ 3", "1..3",
		"$env", "$env.scope", "env", "nil == null", "if true { 1 } else { 2 }", "true; true", "1 == 1 // comment", "/* x */ true", "`a` == 'a'", "b'a'", "$response.body[0:1]", "$response.body.items.map(x)", "$response.body.length()", "'a'.upper()", "\"a\\n\" == 'a' + 'b'", "1_000 == 1000", "resolve(1)", "slot(1)", "holds(true)",
	} {
		if c, err := ParseCondition(text, nil); err == nil {
			t.Errorf("%s is read as %s", text, c)
		}
	}
}

func TestFaultsOfConditionsSayWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"$statusCode = 200":         "'=='",
		"$response.body#/a == Open": "single quotes",
		"TRUE":                      "did you mean true?",
		"1 < 2 < 3":                 "chained",
		"len('a')":                  "no functions",
		"$response.body.a.len()":    "no functions",
		"($statusCode == 200":       "'(' is not closed",
		"'abc":                      "string is not closed",
		"$response.body['a']":       "an index is a number",
		"{5}":                       "'{$'",
		"$stat == 1":                "expected one of",
		"$status == 1":              "did you mean $statusCode?",
		"$statusCode === 1":         "equality is written '=='",
		"'a' contains 'b'":          "the operators are",
	} {
		if _, err := ParseCondition(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want it to say %s", text, err, want)
		}
	}
}

func TestConditionsAreLimited(t *testing.T) {
	within := map[string]string{
		"deep":  strings.Repeat("(", MaxConditionDepth) + "true" + strings.Repeat(")", MaxConditionDepth),
		"wide":  strings.Repeat("true && ", MaxConditionNodes/2-1) + "true",
		"chain": "$response.body" + strings.Repeat(".a", MaxConditionNodes-2),
	}
	for name, text := range within {
		c, err := ParseCondition(text, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := c.Eval(fixed{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if again, err := ParseCondition(c.String(), nil); err != nil || again.String() != c.String() {
			t.Errorf("%s: not read back: %v", name, err)
		}
	}
	const many = 1_000_000
	for name, text := range map[string]string{
		"parentheses":     strings.Repeat("(", many),
		"few parentheses": strings.Repeat("(", MaxConditionDepth+1) + "true" + strings.Repeat(")", MaxConditionDepth+1),
		"nots":            strings.Repeat("!", MaxConditionDepth+1) + "true",
		"brackets":        strings.Repeat("$response.body[", MaxConditionDepth+1),
		"terms":           strings.Repeat("1||", MaxConditionNodes) + "1",
		"accesses":        "$response.body" + strings.Repeat(".a", MaxConditionNodes),
		"length":          "'" + strings.Repeat("a", MaxConditionLength) + "'",
	} {
		if _, err := ParseCondition(text, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAbsentValueInBracesFailsTheCriterion(t *testing.T) {
	for _, text := range []string{"{$inputs.gone} == null", "'{$inputs.gone}' == ''", "true || {$inputs.gone}", "'a' != 'x{$inputs.n}y{$inputs.gone}'"} {
		c, err := ParseCondition(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		ok, err := c.Eval(conditionScope(t))
		var absent *AbsentError
		if ok || !errors.As(err, &absent) || absent.Expression.Name != "gone" {
			t.Errorf("%s gives %t, %v", text, ok, err)
		}
	}
}

// counting tells which expressions were asked for.
type counting struct {
	Scope
	asked []string
}

func (c *counting) Resolve(e *Expression) value.Value {
	c.asked = append(c.asked, e.Source)
	return c.Scope.Resolve(e)
}

func TestAConditionThatIsOnlyReadIsNotCompiled(t *testing.T) {
	c, err := ParseCondition("$statusCode == 200", nil)
	if err != nil || c.program != nil {
		t.Fatalf("got the error %v; compiled: %v", err, c.program != nil)
	}
	if ok, err := c.Eval(example(t)); !ok || err != nil || c.program == nil {
		t.Errorf("got %v, %v; compiled: %v", ok, err, c.program != nil)
	}
}

func TestWhatTheVerdictDoesNotNeedIsNotResolved(t *testing.T) {
	c, err := ParseCondition("$statusCode == 200 || $inputs.n == 1", nil)
	if err != nil {
		t.Fatal(err)
	}
	scope := &counting{Scope: conditionScope(t)}
	if ok, err := c.Eval(scope); !ok || err != nil || len(scope.asked) != 1 {
		t.Errorf("%t, %v, asked for %v", ok, err, scope.asked)
	}
}

// broken is a scope with a fault of its own.
type broken struct{}

func (broken) Resolve(*Expression) value.Value { panic("no scope") }

func TestAFaultOfTheScopeIsAnErrorAndLeavesTheConditionUsable(t *testing.T) {
	c, err := ParseCondition("$statusCode == 200", nil)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := c.Eval(broken{}); ok || err == nil {
		t.Errorf("%t, %v", ok, err)
	}
	if ok, err := c.Eval(conditionScope(t)); !ok || err != nil {
		t.Errorf("%t, %v", ok, err)
	}
}

func TestConditionIsSafeForConcurrentUse(t *testing.T) {
	c, err := ParseCondition("$inputs.n == 5 && '{$inputs.n}' == {$inputs.n} || $response.body.items[0].sku == 'z'", nil)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			scope := conditionScope(t)
			scope["n"] = value.Int(int64(worker))
			for range 500 {
				if ok, err := c.Eval(scope); err != nil || ok != (worker == 5) {
					t.Errorf("worker %d: %t, %v", worker, ok, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestWarningsOfConditions(t *testing.T) {
	for text, want := range map[string]string{
		`$response.body.a[0].b == 'x'`:                       "",
		`$message.payload.status == "ok"`:                    "double-quoted-string 27-31",
		`"a" == "b"`:                                         "double-quoted-string 0-3 double-quoted-string 7-10",
		`$response.body#/a == "{$response.body.b}"`:          "double-quoted-string 21-41 dotted-body 37-39",
		`{$response.body.b} == '{$steps.s.outputs.l[0]}'`:    "dotted-body 15-17 bracket-after-output 42-45",
		`$inputs.first name == 1 && $inputs.first name == 2`: "name-outside-grammar 8-18 name-outside-grammar 35-45",
	} {
		c, err := ParseCondition(text, declaredNames)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, w := range c.Warnings() {
			got = append(got, fmt.Sprintf("%s %d-%d", w.Kind, w.Offset, w.End))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	c, err := ParseCondition(`$statusCode == "it's {$inputs.n}"`, nil)
	if err != nil || !strings.Contains(c.Warnings()[0].Message, `'it''s {$inputs.n}'`) {
		t.Errorf("the warning does not give the string in single quotes: %v", err)
	}
}

func TestExpressionsOfACondition(t *testing.T) {
	text := "$statusCode == 200 && 'a{$inputs.n}' == {$inputs.m} && $response.body.items[$inputs.i].x == 1"
	c, err := ParseCondition(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range c.Expressions() {
		if text[s.Offset:s.End] != s.Expression.Source {
			t.Errorf("%s is not at %d", s.Expression.Source, s.Offset)
		}
		got = append(got, s.Expression.Source)
	}
	if strings.Join(got, " ") != "$statusCode $inputs.n $inputs.m $response.body $inputs.i" {
		t.Error(got)
	}
}
