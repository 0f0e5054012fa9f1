package lint

import (
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/dynamic"
	"github.com/weft-flow/weft/arazzo/expression"
	"github.com/weft-flow/weft/arazzo/value"
)

func TestWhereConditionsHold(t *testing.T) {
	tests := []struct{ condition, may, must string }{
		{"$statusCode == 200", "200", "200"},
		{"$statusCode == '200'", "200", "200"},
		{"200 == $statusCode", "200", "200"},
		{"$statusCode != 200", "100-199, 201-599, no response, done", "100-199, 201-599, no response, done"},
		{"$statusCode >= 500", "500-599", "500-599"},
		{"500 <= $statusCode", "500-599", "500-599"},
		{"$statusCode > 199.5 && $statusCode < 300", "200-299", "200-299"},
		{"!($statusCode < 500)", "500-599, no response, done", "500-599, no response, done"},
		{"$statusCode == null", "no response, done", "no response, done"},
		{"$statusCode != null", "100-599", "100-599"},
		{"$statusCode", "100-599", "100-599"},
		{"$statusCode == 200 || $statusCode == 201", "200-201", "200-201"},
		{"$statusCode == 5", "never", "never"},
		{"$statusCode == 1e2", "100", "100"},
		{"$statusCode == 'x'", "never", "never"},
		{"$response.body#/status == 'PAID'", "100-599, done", "never"},
		{"$response.body#/status != 'PAID'", "100-599, no response, done", "no response"},
		{"$response.body#/status == null", "100-599, no response, done", "no response"},
		{"$response.body.items[0].n > 1", "100-599, done", "never"},
		{"$response.body#/ok", "100-599, done", "never"},
		{"!$response.body#/ok", "100-599, no response, done", "no response"},
		{"$statusCode == 503 && $response.header.Retry-After != null", "503", "never"},
		{"$statusCode == 503 && $response.header.Retry-After == null", "503", "never"},
		{"$statusCode == 503 || $response.header.Retry-After == null", "100-599, no response, done", "503, no response"},
		{"$inputs.x == 'a'", "100-599, no response, done", "never"},
		{"$inputs.x == $response.body#/x", "100-599, no response, done", "never"},
		{"$inputs.x < $response.body#/x", "100-599, done", "never"},
		{"{$statusCode} != 200", "100-199, 201-599", "100-199, 201-599"},
		{"{$response.body#/a} != 'x'", "100-599, done", "never"},
		{"true", "100-599, no response, done", "100-599, no response, done"},
		{"1 == 2", "never", "never"},
		{"'a' == 'A'", "100-599, no response, done", "100-599, no response, done"},
		{"$statusCode ==", "100-599, no response, done", "never"},
	}
	for _, test := range tests {
		t.Run(test.condition, func(t *testing.T) {
			got := criterionOf(test.condition, "", "").Verdict()
			if got.May.String() != test.may || got.Must.String() != test.must {
				t.Errorf("may %s, must %s; want %s and %s", got.May, got.Must, test.may, test.must)
			}
			if !got.May.Contains(got.Must) {
				t.Errorf("must %s is not within may %s", got.Must, got.May)
			}
		})
	}
}

func TestWhereOtherCriteriaHold(t *testing.T) {
	tests := []struct{ kind, context, condition, may, must string }{
		{"regex", "$statusCode", "^2\\d\\d$", "200-299", "200-299"},
		{"regex", "$statusCode", "^(200|404)$", "200, 404", "200, 404"},
		{"regex", "$response.body#/a", "x", "100-599, done", "never"},
		{"jsonpath", "$response.body", "$[?@.a == 1]", "100-599, done", "never"},
		{"jsonpath", "$inputs.x", "$[?@.a == 1]", "100-599, no response, done", "never"},
		{"regex", "$statusCode", "(", "100-599, no response, done", "never"},
	}
	for _, test := range tests {
		t.Run(test.kind+" "+test.condition, func(t *testing.T) {
			got := criterionOf(test.condition, test.kind, test.context).Verdict()
			if got.May.String() != test.may || got.Must.String() != test.must {
				t.Errorf("may %s, must %s; want %s and %s", got.May, got.Must, test.may, test.must)
			}
		})
	}
}

// TestVerdictsAgreeWithEvaluation holds conditions on the status alone against
// what the evaluation of expressions says for every status and for none.
func TestVerdictsAgreeWithEvaluation(t *testing.T) {
	literals := []string{"200", "'200'", "199.5", "2e2", "null", "true", "''", "'abc'", "-1", "600"}
	for _, literal := range literals {
		for _, operator := range []string{"==", "!=", "<", "<=", ">", ">="} {
			for _, condition := range []string{
				"$statusCode " + operator + " " + literal,
				literal + " " + operator + " $statusCode",
				"!($statusCode " + operator + " " + literal + ") || $statusCode == 404",
			} {
				c := criterionOf(condition, "", "")
				want := Never
				for s := minStatus; s <= maxStatus; s++ {
					if c.Compiled.Eval(statusScope(s)).Passed {
						want = want.Union(Status(s))
					}
				}
				if c.Compiled.Eval(statusScope(0)).Passed {
					want = want.Union(NoResponse).Union(Done)
				}
				if got := c.Verdict(); got.May != want || got.Must != want {
					t.Errorf("%s: may %s, must %s; want %s", condition, got.May, got.Must, want)
				}
			}
		}
	}
}

func criterionOf(condition, kind, context string) *Criterion {
	text := func(s string) arazzo.Text {
		if s == "" {
			return arazzo.Text{}
		}
		return arazzo.Text{Node: &arazzo.Node{Kind: value.KindString, Text: s}, Value: s}
	}
	model := &arazzo.Criterion{Node: &arazzo.Node{Kind: value.KindObject}, Condition: text(condition), Context: text(context)}
	if kind != "" {
		model.Type = &arazzo.ExpressionType{Type: kind}
	}
	c := &Criterion{Model: model}
	c.Compiled, c.Faults = dynamic.CompileCriterion(model, arazzo.Version11, nil)
	return c
}

// Each stretch of statuses compares with a value as all of its statuses do, and a
// value that no status can be like leaves one stretch.
func TestStatusesOfAStretchCompareAlike(t *testing.T) {
	for _, against := range []value.Value{
		value.Int(404), value.Int(7), value.Int(700), must(value.Number("404.5")), must(value.Number("4.04e2")),
		value.String("404"), value.String("4e2"), value.String("0404"), value.String("4xx"), value.String(""),
		value.Bool(true), value.Null, value.Array(value.Int(404)), value.Object(),
	} {
		of := make(map[int]int)
		for _, r := range statusRanges(against) {
			for s := max(r[0], minStatus); s <= min(r[1], maxStatus); s++ {
				of[s] = r[0]
			}
		}
		for s := minStatus; s <= maxStatus; s++ {
			first, found := of[s]
			for o := expression.Equal; o <= expression.GreaterOrEqual; o++ {
				if !found || holds(o, value.Int(int64(s)), against) != holds(o, value.Int(int64(first)), against) {
					t.Fatalf("%d compares by %v with %s otherwise than %d", s, o, against, first)
				}
			}
		}
	}
	if got := statusRanges(value.String("4xx")); len(got) != 1 {
		t.Errorf("4xx parts the statuses into %d stretches", len(got))
	}
}

func must(v value.Value, err error) value.Value {
	if err != nil {
		panic(err)
	}
	return v
}
