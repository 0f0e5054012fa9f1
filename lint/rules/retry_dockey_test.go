package rules_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// TestDocumentKey holds that the key of a whole document is of inputs that there are.
func TestDocumentKey(t *testing.T) {
	for key, want := range map[string]string{
		"$inputs.orderId":          "",
		"'pay-{$inputs.oderId}'":   `no workflow declares an input "oderId"; did you mean "orderId"?`,
		"$inputs.oderId":           `no workflow declares an input "oderId"; did you mean "orderId"?`,
		"'a-{$inputs.customerId}'": "",
	} {
		text := strings.Replace(moneyHead, "workflows:", "x-weft-idempotency: {key: "+key+"}\nworkflows:", 1) + indent(steps(charge("")), 4)
		input := lint.Input{Path: "testdata/case.arazzo.yaml", Data: []byte(text)}
		result, err := lint.Run(context.Background(), []lint.Input{input}, lint.Options{Rules: rules.All(), Loader: source.NewLoader(source.Options{Offline: true})})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(result.Files[0].Diagnostics, func(d lint.Diagnostic) bool { return d.Rule != "input-declared" })
		if (want == "") != (len(found) == 0) || want != "" && !strings.HasPrefix(found[0].Message, want) {
			t.Errorf("%s: got %v, want %q", key, found, want)
		}
	}
}
