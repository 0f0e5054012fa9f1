package contract_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
)

// TestClaimsAreOfWhatWasReceived holds that a request which was prepared and found nobody
// who listened is no call.
func TestClaimsAreOfWhatWasReceived(t *testing.T) {
	doc := orderDocument(t, t)
	doc.Break(mock.Fault{Operation: "createOrder", Kind: mock.NoConnection})
	run := doc.Run(t, "placeOrder", nil)
	run.Status(executor.Succeeded)
	if len(run.Requests) != 5 || run.Requests[0].Outcome != "not_sent" {
		t.Fatalf("%d requests were prepared, the first is %+v", len(run.Requests), run.Requests[0])
	}
	run.Called("createOrder", 1)
	run.Calls("createOrder", "requestPayment", "closeOrder", "getOrder")
	run.OneKey("createOrder")
	run.Key("createOrder", "create-order-1001")

	var told heard
	doc = orderDocument(t, &told)
	for n := range 4 {
		doc.Break(mock.Fault{Operation: "createOrder", Occurrence: n + 1, Kind: mock.NoConnection})
	}
	run = doc.Run(&told, "placeOrder", nil)
	told.errors = nil // whether it gives up is the document's own affair
	run.Called("createOrder", 9)
	if got := told.only(t); !strings.Contains(got, "times, want 9 (4 more did not come to it)") {
		t.Errorf("got %q", got)
	}
}

// TestRespondersOfExactURLsReceive holds that requests count that a responder of the test's
// own takes at the transport.
func TestRespondersOfExactURLsReceive(t *testing.T) {
	doc := orderDocument(t, t)
	var seen http.Header
	url := doc.Run(t, "placeOrder", nil).Requests[0].URL
	doc.Transport().RegisterResponder(http.MethodPost, url, func(r *http.Request) (*http.Response, error) {
		seen = r.Header.Clone()
		return httpmock.NewStringResponse(http.StatusUnprocessableEntity, "{}"), nil
	})
	run := doc.Run(t, "placeOrder", nil)
	if seen == nil {
		t.Fatalf("the responder for %s was not asked", url)
	}
	run.Called("createOrder", 1)
	run.Key("createOrder", "create-order-1001")
}

// TestParallelSubtests holds that tests may use one document at once, and that a copy keeps
// what is broken to itself.
func TestParallelSubtests(t *testing.T) {
	doc := orderDocument(t, t)
	for n := range 8 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			own := doc
			if n%2 == 1 {
				own = doc.Copy(t)
				own.Break(mock.Fault{Operation: "requestPayment", Kind: mock.HangAfterEffect})
			}
			run := own.Run(t, "placeOrder", contract.Inputs{"orderReference": fmt.Sprintf("order-%d", n), "quantity": n + 1})
			run.Key("createOrder", fmt.Sprintf("create-order-%d", n))
			run.Called("createOrder", 1)
			run.Called("requestPayment", 1)
			run.Effects(map[string]int{"createOrder": 1, "requestPayment": 1, "closeOrder": 1})
			if n%2 == 1 {
				run.Status(executor.Recovered)
			} else {
				run.Status(executor.Succeeded)
			}
		})
	}
}

// TestWrongNamesAreAskedAfter holds that a claim about what the document does not have says
// so, and what may be meant.
func TestWrongNamesAreAskedAfter(t *testing.T) {
	var told heard
	run := orderDocument(t, &told).Run(&told, "placeOrder", nil)
	for _, test := range []struct {
		claim func()
		want  string
	}{
		{func() { run.Took("creatOrder", "again") }, `there is no step "creatOrder"; did you mean createOrder?`},
		{func() { run.Took("awaitPayment", "payd") }, `, want the action payd, which it does not have; did you mean paid?`},
		{func() { run.Called("createOrdr", 1) }, `there is no operation "createOrdr"; did you mean createOrder?`},
		{func() { run.OneKey("createOrdr") }, `there is no operation "createOrdr"; did you mean createOrder?`},
		{func() { run.Calls("createOrdr") }, `there is no operation "createOrdr"; did you mean createOrder?`},
		{func() { run.Effects(map[string]int{"createOrdr": 1}) }, `there is no operation "createOrdr"; did you mean createOrder?`},
		{func() { run.Output("statos", "CLOSED") }, `; did you mean status?`},
	} {
		test.claim()
		if got := told.only(t); !strings.HasSuffix(got, test.want) && !strings.Contains(got, test.want+"\n") {
			t.Errorf("got %q, want %q in it", got, test.want)
		}
	}
	doc := orderDocument(t, &told)
	doc.Break(mock.Fault{Operation: "createOrdr", Kind: mock.NoConnection})
	if len(told.fatal) != 1 || !strings.Contains(told.fatal[0], "did you mean createOrder?") {
		t.Errorf("told %q", told.fatal)
	}
}
