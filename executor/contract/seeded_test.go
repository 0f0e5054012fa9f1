package contract_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/contract"
)

// TestSeededDefects holds that each workflow with one defect fails by the check that is
// for it, and that its story names the step at fault.
func TestSeededDefects(t *testing.T) {
	for _, test := range []struct {
		file, step string
		check      contract.Check
		story      []string // in the story, in this order
	}{
		{"unkeyed-retry", "takeMoney", contract.UnsafeRepeat, []string{"takeMoney", "retry withheld", "the run ended unknown"}},
		{"new-key", "takeMoney", contract.UnstableKey, []string{"takeMoney", "makeKey#2", "takeMoney"}},
		{"jump-back", "takeMoney", contract.DoubleEffect, []string{"sendGoods", "409", "takeMoney#2", "shop.pay"}},
		{"finalize-early", "awaitPayment", contract.StateRegression, []string{"sendGoods", "awaitPayment", "SUCCEEDED is terminal"}},
		{"handled-twice", "sendGoods", contract.DoubleEffect, []string{"sendGoods", "awaitPayment#2", "sendGoods#2", "shop.ship 2×"}},
		{"endless-poll", "poll", contract.NoEnd, []string{"poll", "poll#2", "its limit"}},
		{"cancel-unknown", "giveBack", contract.UnknownActed, []string{"takeMoney", "unknown", "giveBack", "the run ended unknown"}},
		{"regressing-state", "look", contract.StateRegression, []string{"look", "SUCCEEDED is terminal"}},
		{"lost-reference", "ask", contract.NeverCame, []string{"takeMoney", "unknown", "ask", "$steps.takeMoney.outputs.chargeId is absent"}},
		{"uncorrelated", "awaitPayment", contract.Uncorrelated, []string{"awaitPayment", "no message", "no run expects"}},
	} {
		t.Run(test.file, func(t *testing.T) {
			set := load(t, filepath.Join("../../testdata/contract", test.file+".arazzo.yaml"))
			report, err := contract.Explore(context.Background(), set, contract.Options{Budget: 200 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			w := report.Workflows[0]
			if len(w.Refused) > 0 {
				t.Fatal(w.Refused)
			}
			for _, f := range w.Failures {
				t.Logf("%s %s: %s\n%s\n%s", f.Check, f.Step, f.Message, strings.Join(f.Conditions, "\n"), f.Story)
			}
			at := slices.IndexFunc(w.Failures, func(f contract.Failure) bool { return f.Check == test.check && f.Step == test.step })
			if at < 0 {
				t.Fatalf("%s at step %q was not found", test.check, test.step)
			}
			rest := w.Failures[at].Story
			for _, part := range test.story {
				_, after, found := strings.Cut(rest, part)
				if !found {
					t.Fatalf("the story does not tell %q after the rest:\n%s", part, w.Failures[at].Story)
				}
				rest = after
			}
			if len(w.Failures) > 1 {
				t.Logf("%d failures of one defect", len(w.Failures))
			}
		})
	}
}
