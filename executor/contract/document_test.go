package contract_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/specs"
)

// orderDocument loads a copy of the bundled flow.
func orderDocument(t *testing.T, as contract.T) *contract.Document {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	return contract.Load(as, filepath.Join(dir, "orderflow", "order.arazzo.yaml"))
}

// heard is a T that keeps what it is told.
type heard struct {
	errors   []string
	fatal    []string
	cleanups []func()
}

func (*heard) Helper()                        {}
func (h *heard) Errorf(f string, args ...any) { h.errors = append(h.errors, fmt.Sprintf(f, args...)) }
func (h *heard) Fatalf(f string, args ...any) { h.fatal = append(h.fatal, fmt.Sprintf(f, args...)) }
func (h *heard) Cleanup(f func())             { h.cleanups = append(h.cleanups, f) }
func (h *heard) only(t *testing.T) (told string) {
	t.Helper()
	if len(h.errors) != 1 || len(h.fatal) != 0 {
		t.Fatalf("told %q and %q, want one failure", h.errors, h.fatal)
	}
	told = h.errors[0]
	h.errors = nil
	return told
}

func TestRunThroughTheCallersClient(t *testing.T) {
	doc := orderDocument(t, t)
	seen := 0
	client := &http.Client{Transport: counting{doc.Transport(), &seen}}
	doc.Use(client)
	seen = 0
	run := doc.Run(t, "placeOrder", contract.Inputs{"orderReference": "order-7", "quantity": 3})
	run.Status(executor.Succeeded)
	run.State("SUCCEEDED")
	run.Output("status", "CLOSED")
	run.Output("orderId", "ord-1")
	run.Calls("createOrder", "requestPayment", "closeOrder", "getOrder")
	run.Key("createOrder", "create-order-7")
	run.OneKey("requestPayment")
	run.Effects(map[string]int{"createOrder": 1, "requestPayment": 1, "closeOrder": 1, "releaseOrder": 0})
	run.Took("awaitPayment", "paid")
	run.NoFindings()
	if seen != 4 {
		t.Errorf("%d requests went through the client, want 4", seen)
	}
}

// counting is a transport of somebody's own.
type counting struct {
	next http.RoundTripper
	seen *int
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	*c.seen++
	return c.next.RoundTrip(r)
}

// elsewhere is a transport that leads to somebody else.
type elsewhere struct{}

func (elsewhere) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody, Request: r}, nil
}

func TestRespondersOneByOne(t *testing.T) {
	doc := orderDocument(t, t)
	doc.Respond("payments/requestPayment", httpmock.NewStringResponder(http.StatusUnprocessableEntity, `{}`))
	run := doc.Run(t, "placeOrder", nil)
	run.Status(executor.Recovered)
	run.State("FAILED")
	run.Output("status", "RELEASED")
	run.Took("requestPayment", "refused")
	run.Effects(map[string]int{"createOrder": 1, "releaseOrder": 1})

	refused := errors.New("connection refused by the test")
	times := 0
	doc.Respond("createOrder", func(r *http.Request) (*http.Response, error) {
		if times++; times > 2 {
			doc.Respond("createOrder", nil)
		}
		return nil, refused
	})
	doc.Respond("POST /payments", nil)
	run = doc.Run(t, "placeOrder", nil)
	run.Status(executor.Succeeded)
	run.Called("createOrder", 4)
	run.OneKey("createOrder")
}

func TestFaultsInTests(t *testing.T) {
	doc := orderDocument(t, t)
	doc.Break(mock.Fault{Operation: "requestPayment", Kind: mock.HangAfterEffect})
	run := doc.Run(t, "placeOrder", nil)
	run.Status(executor.Recovered)
	run.Called("requestPayment", 1)
	run.Called("getPaymentByReference", 1)
	run.Effects(map[string]int{"createOrder": 1, "requestPayment": 1, "closeOrder": 1})
	doc.Mend()
	doc.Run(t, "placeOrder", nil).Status(executor.Succeeded)
}

// TestFailuresReadWell holds what a person reads when a claim does not hold.
func TestFailuresReadWell(t *testing.T) {
	var told heard
	run := orderDocument(t, &told).Run(&told, "placeOrder", nil)
	run.Output("status", "OPEN")
	first := told.only(t)
	for _, part := range []string{`placeOrder: output "status" = "CLOSED", want "OPEN"`, "\t  ✓ createOrder ", "POST /orders"} {
		if !strings.Contains(first, part) {
			t.Errorf("the first failure does not tell %q:\n%s", part, first)
		}
	}
	for _, test := range []struct {
		claim func()
		want  string
	}{
		{func() { run.Status(executor.Failed) }, "status = succeeded, want failed"},
		{func() { run.State("NEW") }, `state = "SUCCEEDED", want "NEW"`},
		{func() { run.Output("nothing", 1) }, `output "nothing" = absent, want 1; the outputs are {"orderId":"ord-1","status":"CLOSED"}`},
		{func() { run.Calls("createOrder") }, "calls:\n\t got createOrder, requestPayment, closeOrder, getOrder\n\twant createOrder"},
		{func() { run.Called("createOrder", 2) }, "createOrder was called 1 times, want 2"},
		{func() { run.Key("closeOrder", "k") }, `attempt 1 of 1 at closeOrder bore the key "close-order-1001", want "k"`},
		{func() { run.Key("releaseOrder", "k") }, `releaseOrder was not called, want its key to be "k"`},
		{func() { run.OneKey("getOrder") }, "attempt 1 of 1 at getOrder bore no key"},
		{func() { run.Effects(map[string]int{"createOrder": 2}) }, "effects:\n\t got closeOrder 1×, createOrder 1×, requestPayment 1×\n\twant createOrder 2×"},
		{func() { run.Took("createOrder", "sameKeyAgain") }, `step "createOrder" took none, want the action sameKeyAgain`},
	} {
		test.claim()
		if got := told.only(t); !strings.HasSuffix(got, "placeOrder: "+test.want) {
			t.Errorf("got %q, want it to end in %q", got, test.want)
		}
	}
}

func TestFaultThatDoesNotFireFailsTheTest(t *testing.T) {
	var told heard
	doc := orderDocument(t, &told)
	doc.Break(mock.Fault{Operation: "releaseOrder", Kind: mock.HangAfterEffect})
	doc.Run(&told, "placeOrder", nil)
	if got := told.only(t); !strings.Contains(got, "never fired: there was no request 1 to releaseOrder") {
		t.Errorf("got %q", got)
	}
}

func TestWhatCannotBeRunEndsTheTest(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(told *heard)
		want string
	}{
		{"a file that is not there", func(told *heard) { contract.Load(told, "nowhere.yaml") }, "nowhere.yaml"},
		{"a workflow that is not there", func(told *heard) { orderDocument(t, told).Run(told, "nothing", nil) }, `there is no workflow "nothing"`},
		{"an operation that is not there", func(told *heard) { orderDocument(t, told).Respond("createOrdr", nil) }, "did you mean createOrder?"},
		{"a client that leads elsewhere", func(told *heard) {
			orderDocument(t, told).Use(&http.Client{Transport: elsewhere{}})
		}, "does not lead to the mocked APIs"},
		{"a wrong input", func(told *heard) {
			orderDocument(t, told).Run(told, "placeOrder", contract.Inputs{"quantity": "many"})
		}, "quantity"},
		{"a mistyped input", func(told *heard) {
			orderDocument(t, told).Run(told, "placeOrder", contract.Inputs{"quantty": 3})
		}, `did you mean "quantity"?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var told heard
			test.do(&told)
			if len(told.fatal) == 0 || !strings.Contains(told.fatal[0], test.want) {
				t.Errorf("told %q, want %q", told.fatal, test.want)
			}
		})
	}
}

// TestEverything holds that a defect fails a test of everything, with its story.
func TestEverything(t *testing.T) {
	var told heard
	doc := contract.Load(&told, "../../testdata/contract/lost-reference.arazzo.yaml")
	report := doc.Everything(&told, contract.Options{Budget: -1})
	if !report.Failed() || len(told.errors) == 0 || !strings.Contains(told.errors[0], "never-came") || !strings.Contains(told.errors[0], "--replay ") {
		t.Errorf("told %q", told.errors)
	}
}
