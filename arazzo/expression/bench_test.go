package expression

import (
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

// fixed is a scope that knows the values of a few expressions by their name.
type fixed map[string]value.Value

func (f fixed) Resolve(e *Expression) value.Value {
	switch e.Root {
	case StatusCode:
		return f["status"]
	case Inputs:
		return f[e.Name]
	case Response:
		if e.Part == HeaderPart {
			return f[e.Name]
		}
		return f["body"]
	default:
		return value.Absent
	}
}

func example(tb testing.TB) fixed {
	tb.Helper()
	body, err := value.ParseJSON([]byte(`{"status": "DONE", "items": [{"sku": "A1", "price": 9.90}], "big": 9007199254740993}`))
	if err != nil {
		tb.Fatal(err)
	}
	return fixed{"status": value.Int(200), "body": body, "n": value.Int(5), "name": value.String("Ann")}
}

func BenchmarkConditionEval(b *testing.B) {
	for _, text := range []string{
		"$statusCode == 200",
		"$statusCode >= 200 && $statusCode < 300",
		"$response.body#/status == 'done'",
		"$response.body.items[0].sku == 'a1' || {$inputs.n} > 7",
	} {
		b.Run(text, func(b *testing.B) {
			c, err := ParseCondition(text, nil)
			if err != nil {
				b.Fatal(err)
			}
			scope := example(b)
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := c.Eval(scope); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

func BenchmarkConditionParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseCondition("$statusCode == 200 && $response.body#/status == 'done'", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpressionParse(b *testing.B) {
	names := &Names{Steps: []string{"create", "pay"}, StepOutputs: map[string][]string{"pay": {"id", "status"}}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("$steps.pay.outputs.status#/code", names); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpressionEval(b *testing.B) {
	e, err := Parse("$response.body#/items/0/price", nil)
	if err != nil {
		b.Fatal(err)
	}
	scope := example(b)
	b.ReportAllocs()
	for b.Loop() {
		if e.Eval(scope).IsAbsent() {
			b.Fatal("absent")
		}
	}
}

func BenchmarkTemplateEval(b *testing.B) {
	t, err := ParseTemplate("https://example.com/{$inputs.name}/items/{$response.body#/items/0/sku}", nil)
	if err != nil {
		b.Fatal(err)
	}
	scope := example(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Eval(scope); err != nil {
			b.Fatal(err)
		}
	}
}
