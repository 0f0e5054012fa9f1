package contract_test

import (
	"context"
	"testing"

	"github.com/weft-flow/weft/executor/contract"
)

// TestEachActionOfXMLAndChannels holds that a document whose branches hang on XML and on a
// channel of AsyncAPI is tested wholly, and in the same way each time.
func TestEachActionOfXMLAndChannels(t *testing.T) {
	set := load(t, "../../testdata/contract/parcel/parcel.arazzo.yaml")
	runs := 0
	for range 2 {
		report, err := contract.Explore(context.Background(), set, contract.Options{Budget: -1})
		if err != nil {
			t.Fatal(err)
		}
		w := report.Workflows[0]
		c := w.Coverage
		if c.Actions != (contract.Count{Covered: 8, Total: 8}) || c.Criteria != (contract.Count{Covered: 20, Total: 20}) || len(w.Failures) > 0 {
			t.Errorf("%+v %+v %+v", c, w.Failures, w.Unreached)
		}
		if runs != 0 && w.Runs != runs {
			t.Errorf("%d runs, the first time %d", w.Runs, runs)
		}
		runs = w.Runs
	}
}
