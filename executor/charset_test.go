package executor_test

import (
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestTextIsReadByItsCharset, so that what is sent on is what the server meant.
func TestTextIsReadByItsCharset(t *testing.T) {
	const flow = `
workflows:
- workflowId: w
  steps: [{stepId: a, operationId: listOrders, outputs: {text: $response.body}}]
  outputs: {text: $steps.a.outputs.text}
`
	tests := []struct{ name, contentType, body, want, says string }{
		{"Latin-1", "text/plain; charset=iso-8859-1", "caf\xe9", "café", ""},
		{"UTF-16", "text/csv; charset=utf-16le", "a\x00b\x00", "ab", ""},
		{"UTF-16 with a mark", "text/csv; charset=utf-16", "\xff\xfea\x00b\x00", "ab", ""},
		{"UTF-16 the other way round", "text/csv; charset=UTF-16", "\xfe\xff\x00a\x00b", "ab", ""},
		{"UTF-16 without a mark", "text/csv; charset=utf-16", "a\x00b\x00", "ab", ""},
		{"UTF-8", `text/plain; charset="UTF-8"`, "café", "café", ""},
		{"none", "text/plain", "café", "café", ""},
		{"unknown", "text/plain; charset=klingon", "x", "", `the charset "klingon" is not understood`},
		{"XML that declares its own", "text/xml; charset=iso-8859-1", "<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>", "<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>", ""},
		{"XML that does not", "text/xml; charset=iso-8859-1", "<a>\xe9</a>", "<a>é</a>", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := flowTest{flow: flow, config: executor.Config{Contract: executor.ContractOff}, runtime: &script{answer: func(executor.Call, int) executor.Exchange {
				x := respond(200, nil, "Content-Type", test.contentType)
				x.Response.Body = []byte(test.body)
				return x
			}}}.run(t)
			if text := got.Workflows[0].Outputs.Get("text").Text(); text != test.want {
				t.Errorf("read as %q, want %q", text, test.want)
			}
			if notices := strings.Join(got.texts("notice"), "\n"); test.says != "" && !strings.Contains(notices, test.says) {
				t.Errorf("the notices are %q, want %q", notices, test.says)
			}
		})
	}
}
