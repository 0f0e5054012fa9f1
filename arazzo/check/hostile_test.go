package check_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

// What a stranger describes and another stranger answers must end, in bounded
// time and memory.
func TestHostileSchemasAndBodies(t *testing.T) {
	const branching = `{"Many":{"anyOf":[%s],"properties":{"a":{"$ref":"#/components/schemas/Many"}}}}`
	branch := `{"properties":{"a":{"$ref":"#/components/schemas/Many"}},"required":["never"]}`
	chain := func(length int) string {
		var b strings.Builder
		for i := range length {
			fmt.Fprintf(&b, `"S%d":{"allOf":[{"$ref":"#/components/schemas/S%d"}]},`, i, i+1)
		}
		fmt.Fprintf(&b, `"S%d":{"type":"string"}`, length)
		return "{" + b.String() + "}"
	}
	doubling := func(length int) string {
		var b strings.Builder
		for i := range length {
			fmt.Fprintf(&b, `"S%d":{"allOf":[{"$ref":"#/components/schemas/S%d"},{"$ref":"#/components/schemas/S%d"}]},`, i, i+1, i+1)
		}
		fmt.Fprintf(&b, `"S%d":{"type":"string"}`, length)
		return "{" + b.String() + "}"
	}
	deep := strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300)
	for _, test := range []struct {
		name, schema, components, body string
		gap                            string // expected among the gaps; empty: there are findings
	}{
		{"branches that multiply with depth", `{"$ref":"#/components/schemas/Many"}`,
			fmt.Sprintf(branching, strings.Join([]string{branch, branch, branch, branch}, ",")), deep, "too large or too deep"},
		{"a schema that is only itself", `{"$ref":"#/components/schemas/A"}`, `{"A":{"allOf":[{"$ref":"#/components/schemas/B"}]},"B":{"anyOf":[{"$ref":"#/components/schemas/A"}]}}`,
			`1`, "without an end"},
		{"a long chain of references", `{"$ref":"#/components/schemas/S0"}`, chain(9900), `1`, "without an end, or nearly so"},
		{"references that double", `{"$ref":"#/components/schemas/S0"}`, doubling(40), `1`, "too large or too deep"},
		{"a list of many faults", `{"items":{"type":"string"}}`, `{}`, "[" + strings.Repeat("1,", 200_000) + "1]", ""},
		{"a list beyond the limit", `{"items":{"type":"string"}}`, `{}`, "[" + strings.Repeat("1,", 1_000_000) + "1]", "too large or too deep"},
		{"a deep value", `{"$ref":"#/components/schemas/N"}`, `{"N":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/N"}}}}`,
			strings.Repeat(`{"a":`, 900) + "1" + strings.Repeat("}", 900), "too large or too deep"},
		{"a pattern against a long text", `{"pattern":"^(.*a.{1,200}){1,4}$"}`, `{}`, `"` + strings.Repeat("a", 1<<20) + `"`, "too large or too deep"},
		{"a pattern against a long name", `{"patternProperties":{"^(.*a.{1,200}){1,4}$":false}}`, `{}`, `{"` + strings.Repeat("a", 1<<20) + `":1}`, "too large or too deep"},
		{"a number that takes long to calculate with", `{"multipleOf":3}`, `{}`, "1e999999999", "too large or too deep"},
		{"many long numbers", `{"items":{"multipleOf":3}}`, `{}`, "[" + strings.Repeat("1e1999,", 100_000) + "1]", "too large or too deep"},
		{"a number that is too long", `{"multipleOf":3}`, `{}`, "1e2001", "too long to be checked exactly"},
	} {
		t.Run(test.name, func(t *testing.T) {
			op := withSchema(t, v31, test.schema, test.components)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			r := answered(op, test.body)
			took := time.Since(start)
			runtime.ReadMemStats(&after)
			t.Logf("%s, %d MiB allocated", took, (after.TotalAlloc-before.TotalAlloc)>>20)
			if took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			if test.gap == "" && len(r.Findings) == 0 {
				t.Errorf("no findings, gaps %v", r.Gaps)
			}
			if gaps := strings.Join(gapsOf(r), "\n"); !strings.Contains(gaps, test.gap) {
				t.Errorf("gaps %q, want %q", gaps, test.gap)
			}
		})
	}
}

// A large body of an everyday schema is checked.
func TestALargeBody(t *testing.T) {
	op := withSchema(t, v31, `{"type":"array","items":`+orderSchema+`}`, "")
	r := answered(op, "["+strings.Repeat(order+",", 2000)+`{"id":1,"items":[]}]`)
	if len(r.Findings) != 1 || r.Findings[0].Pointer != "/2000/id" {
		t.Errorf("findings %v, gaps %v", told(r), r.Gaps)
	}
}

// A list that nests in itself, with a few alternatives, is checked.
func TestAnEverydayTree(t *testing.T) {
	op := withSchema(t, v31, `{"$ref":"#/components/schemas/Block"}`, `{"Block":{"oneOf":[{"$ref":"#/components/schemas/Text"},{"$ref":"#/components/schemas/List"}]},
		"Text":{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}},
		"List":{"type":"object","required":["blocks"],"properties":{"blocks":{"type":"array","items":{"$ref":"#/components/schemas/Block"}}}}}`)
	body := `{"text":1}`
	for range 20 {
		body = `{"blocks":[` + body + `,{"text":"a"}]}`
	}
	if r := answered(op, body); len(r.Findings) == 0 || len(r.Gaps) > 0 {
		t.Errorf("findings %v, gaps %v", told(r), r.Gaps)
	}
}

func TestManyAtOnce(t *testing.T) {
	op := withSchema(t, v31, orderSchema, "")
	c := new(check.Checker)
	body := value.Object(value.Member{Name: "id", Value: value.Int(1)})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			r := c.Response(op, check.Response{Status: 200, Header: asJSON, Body: []byte("x"), Value: body})
			if len(r.Findings) != 2 {
				t.Errorf("findings %v", told(r))
			}
		})
	}
	wg.Wait()
}
