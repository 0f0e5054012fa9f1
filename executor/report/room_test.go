package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/report"
	"github.com/weft-flow/weft/idempotency"
)

// TestReportsDoNotGrowWithoutBound: of a run with gigabytes of answers all events are
// told, and the first of the bodies.
func TestReportsDoNotGrowWithoutBound(t *testing.T) {
	body := []byte(strings.Repeat("x", 8<<20))
	archive, document := report.NewHAR("1"), report.NewJSON()
	const attempts = 100
	for i := range attempts {
		attempt := executor.AttemptFinished{
			Sent:     executor.Sent{Method: "GET", URL: "http://a.test/", Header: executor.Header{"Accept": {"*/*"}}},
			Response: &executor.Response{Status: 200, Header: executor.Header{"Content-Type": {"text/plain"}}, Body: body},
			Attempt:  idempotency.Succeeded,
		}
		finished := executor.StepFinished{Succeeded: true, Outputs: value.Object(value.Member{Name: "body", Value: value.String(string(body))})}
		for j, d := range []executor.Detail{attempt, finished} {
			e := executor.Event{Run: "r", Sequence: 2*i + j + 1, Time: time.Unix(0, 0), Step: "s", Detail: d}
			if err := archive.Write(e); err != nil {
				t.Fatal(err)
			}
			if err := document.Write(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	var har, json bytes.Buffer
	if _, err := archive.WriteTo(&har); err != nil {
		t.Fatal(err)
	}
	if _, err := document.WriteTo(&json); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		text     string
		mark     string
		entries  int
		complete string
	}{
		"archive":  {har.String(), "left out, since the archive was too large", attempts, `"url": "http://a.test/"`},
		"document": {json.String(), `"shortened": true`, 2 * attempts, `"sequence": `},
	} {
		if n := len(test.text); n < 32<<20 || n > 96<<20 {
			t.Errorf("the %s has %d MiB", name, n>>20)
		}
		if n := strings.Count(test.text, test.complete); n != test.entries {
			t.Errorf("the %s tells %d of %d events", name, n, test.entries)
		}
		if n := strings.Count(test.text, test.mark); n < attempts/2 || n >= test.entries {
			t.Errorf("%d events of the %s are marked", n, name)
		}
	}
}
