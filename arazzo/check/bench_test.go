package check_test

import (
	"net/http"
	"testing"

	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/value"
)

const orderSchema = `{"type":"object","required":["id","items"],"properties":{
	"id":{"type":"string"},"status":{"enum":["open","paid"]},"total":{"type":"number","multipleOf":0.01},
	"items":{"type":"array","items":{"type":"object","required":["sku"],"properties":{
		"sku":{"type":"string"},"count":{"type":"integer","minimum":1}}}}}}`

const order = `{"id":"x","status":"open","total":10.10,"items":[{"sku":"a","count":1},{"sku":"b","count":2}]}`

func BenchmarkResponse(b *testing.B) {
	for name, version := range map[string]string{"3.0": v30, "3.1": v31} {
		op := withSchema(b, version, orderSchema, "")
		header := http.Header{"Content-Type": {"application/json"}}
		body := []byte(order)
		parsed, err := value.ParseJSON(body)
		if err != nil {
			b.Fatal(err)
		}
		for _, of := range []struct {
			name  string
			value value.Value
		}{{"bytes", value.Absent}, {"value", parsed}} {
			b.Run(name+"/"+of.name, func(b *testing.B) {
				c := new(check.Checker)
				b.ReportAllocs()
				for b.Loop() {
					r := c.Response(op, check.Response{Status: 200, Header: header, Body: body, Value: of.value})
					if len(r.Findings)+len(r.Gaps) > 0 {
						b.Fatal(r)
					}
				}
			})
		}
	}
}

func BenchmarkFirstResponse(b *testing.B) {
	op := withSchema(b, v31, orderSchema, "")
	header := http.Header{"Content-Type": {"application/json"}}
	b.ReportAllocs()
	for b.Loop() {
		new(check.Checker).Response(op, check.Response{Status: 200, Header: header, Body: []byte(order)})
	}
}
