package contract_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor/contract"
)

// TestTwins holds that of two documents which are alike but for one defect the one fails by
// the check that is for it, and the other does not: in JSON, with components, with workflows
// that call each other, under keys of another name, by webhooks.
func TestTwins(t *testing.T) {
	for _, test := range []struct {
		name, step string
		check      contract.Check
	}{
		{"unkeyed-retry", "minibar", contract.UnsafeRepeat},
		{"new-key", "charge", contract.UnstableKey},
		{"early", "door", contract.TooEarly},
		{"accepted", "door", contract.TooEarly},
		{"cancel", "undo", contract.UnknownActed},
		{"correlation", "await", contract.Uncorrelated},
	} {
		for _, twin := range []string{"bad", "good"} {
			t.Run(twin+"-"+test.name, func(t *testing.T) {
				set := load(t, filepath.Join("../../testdata/contract/hotel", twin+"-"+test.name+".arazzo.json"))
				report, err := contract.Explore(context.Background(), set, contract.Options{Budget: 100 * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				found := false
				for _, w := range report.Workflows {
					if len(w.Refused) > 0 {
						t.Fatal(w.Refused)
					}
					for _, f := range w.Failures {
						found = found || f.Check == test.check && f.Step == test.step
						if twin == "good" || f.Check != test.check {
							t.Errorf("%s %s: %s\n%v\n%s", f.Check, f.Step, f.Message, f.Conditions, f.Story)
						}
					}
				}
				if found != (twin == "bad") {
					t.Errorf("%s at step %s: found %t", test.check, test.step, found)
				}
			})
		}
	}
}
