package selector

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/value"
)

// manyOrders gives JSON and XML of count orders.
func manyOrders(count int) (jsonText, xmlText string) {
	var j, x strings.Builder
	for i := range count {
		if i > 0 {
			j.WriteByte(',')
		}
		fmt.Fprintf(&j, `{"id":%d,"sku":"A%d","lines":[{"qty":%d},{"qty":2}]}`, 9007199254740000+i, i%10, i%3)
		fmt.Fprintf(&x, `<order id="%d"><sku>A%d</sku><line><qty>%d</qty></line></order>`, i, i%10, i%3)
	}
	return `{"orders":[` + j.String() + `]}`, "<orders>" + x.String() + "</orders>"
}

func benchmarkSelect(b *testing.B, language Language, text string, data value.Value) {
	s, err := Compile(language, "", text)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Select(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSelect(b *testing.B) {
	jsonText, xmlText := manyOrders(1000)
	data, source := parse(b, jsonText), value.String(xmlText)
	for _, c := range []struct {
		name     string
		language Language
		text     string
		data     value.Value
	}{
		{"pointer", JSONPointer, "/orders/500/lines/0/qty", data},
		{"jsonpath singular", JSONPath, "$.orders[500].lines[0].qty", data},
		{"jsonpath descendants of 8000 nodes", JSONPath, "$..qty", data},
		{"jsonpath filter over 1000 objects", JSONPath, "$.orders[?@.id == 9007199254740993].sku", data},
		{"xpath in 60 kB", XPath, "/orders/order[@id = '500']/sku", source},
		{"xpath count in 60 kB", XPath, "count(//qty[. > 1])", source},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkSelect(b, c.language, c.text, c.data) })
	}
}

func BenchmarkReplace(b *testing.B) {
	jsonText, xmlText := manyOrders(1000)
	for _, c := range []struct {
		name     string
		language Language
		text     string
		data     value.Value
	}{
		{"pointer", JSONPointer, "/orders/500/sku", parse(b, jsonText)},
		{"jsonpath all of 1000", JSONPath, "$.orders[*].sku", parse(b, jsonText)},
		{"xpath all of 1000", XPath, "//sku", value.String(xmlText)},
	} {
		b.Run(c.name, func(b *testing.B) {
			s, err := Compile(c.language, "", c.text)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Replace(c.data, value.Int(7)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct {
		name     string
		language Language
		text     string
	}{
		{"pointer", JSONPointer, "/orders/500/sku"},
		{"jsonpath", JSONPath, "$.orders[?@.id == 7 && @.sku != 'x'].lines[*].qty"},
		{"xpath", XPath, "/orders/order[@id = 7 and sku != 'x']/line/qty"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(c.language, "", c.text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
