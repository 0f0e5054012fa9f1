package contract_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/contract"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
	"github.com/weft-flow/weft/idempotency"
)

// TestDomains holds workflows of several trades to what is wrong with them, and those beside
// them to nothing.
func TestDomains(t *testing.T) {
	for _, test := range []struct {
		domain, name, step string // the step at which the bad one fails
		check              contract.Check
	}{
		{"cloud", "operation", "disk", contract.TooEarly},
		{"tickets", "question", "charge", contract.DoubleEffect},
		{"tickets", "two-faults", "charge", contract.UnsafeRepeat},
		{"bank", "nested", "recall", contract.UnsafeRepeat},
		{"bank", "list", "book", contract.TooEarly},
		{"claims", "message", "pay", contract.TooEarly},
		{"claims", "key", "file", contract.UnsafeRepeat},
		{"claims", "place", "assessed", contract.Uncorrelated},
		{"clinic", "xml", "bill", contract.TooEarly},
		{"pay", "poll", "mail", contract.TooEarly},
		{"pay", "expired", "ship", contract.TooEarly},
		{"delivery", "twice", "waitAgain", contract.NeverSucceeds},
		{"clinic", "job", "letter", contract.TooEarly},
		{"clinic", "questions", "letter", contract.TooEarly},
	} {
		t.Run(test.domain+" good "+test.name, func(t *testing.T) {
			for _, f := range failuresOf(t, test.domain, "good-"+test.name) {
				t.Errorf("%s %s: %s\n%v\n%s", f.Check, f.Step, f.Message, f.Conditions, f.Story)
			}
		})
		t.Run(test.domain+" bad "+test.name, func(t *testing.T) {
			mustFail(t, failuresOf(t, test.domain, "bad-"+test.name), test.check, test.step)
		})
	}
}

// TestAListThatIsEmpty holds that what it takes of a list is made up where the played API has
// nothing in it.
func TestAListThatIsEmpty(t *testing.T) {
	for _, f := range failuresOf(t, "clinic", "good-empty") {
		t.Errorf("%s %s: %s", f.Check, f.Step, f.Message)
	}
}

// TestAWorkflowThatIsCalledTwice holds that the answers in it are chosen in each of its calls:
// both need one that the played API does not give by itself.
func TestAWorkflowThatIsCalledTwice(t *testing.T) {
	for _, f := range failuresOf(t, "clinic", "good-twice") {
		t.Errorf("%s %s: %s", f.Check, f.Step, f.Message)
	}
}

// TestPagesWithoutEnd holds that a loop over pages is not blamed for an API that always has
// another one, and that a poll whose own answer names what it polls is.
func TestPagesWithoutEnd(t *testing.T) {
	for _, f := range failuresOf(t, "clinic", "good-pages") {
		t.Errorf("%s %s: %s", f.Check, f.Step, f.Message)
	}
	mustFail(t, failuresOf(t, "clinic", "bad-pages"), contract.NoEnd, "look")
}

// TestAWebhookThatNothingCauses holds that it comes where a step waits for it, as the messages
// on a channel do, and that its faults do.
func TestAWebhookThatNothingCauses(t *testing.T) {
	set := load(t, "../../testdata/contract/pay/good-message.arazzo.yaml")
	report, err := contract.Explore(t.Context(), set, contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	w := report.Workflows[0]
	if w.Plain != executor.Succeeded || len(w.Failures) > 0 {
		t.Errorf("%s: %+v", w.Plain, w.Failures)
	}
	for _, u := range w.Unreached {
		if strings.Contains(u.Name, "webhook-") {
			t.Errorf("%s: %s", u.Name, u.Why)
		}
	}
	contract.Load(t, "../../testdata/contract/pay/good-message.arazzo.yaml").Run(t, "w", nil).Status(executor.Succeeded)
}

// TestAKeyThatNothingSaysIsHonoured holds that it is told why a request with a key is unsafe to
// repeat.
func TestAKeyThatNothingSaysIsHonoured(t *testing.T) {
	failure := mustFail(t, failuresOf(t, "pay", "bad-header"), contract.UnsafeRepeat, "mail")
	if !strings.Contains(failure.Message, "It bears a key (Idempotency-Key), but nothing says that the API honours it") {
		t.Errorf("got %q", failure.Message)
	}
}

// TestAKeyThatTheConfigurationNames holds that a retry is safe under a key which only the
// configuration knows the API to honour, and that the faults of keys befall it.
func TestAKeyThatTheConfigurationNames(t *testing.T) {
	set := load(t, "../../testdata/contract/unkeyed-retry.arazzo.yaml")
	o := contract.Options{Budget: -1}
	o.Config.Sources = map[string]executor.SourceConfig{"shop": {Profile: &idempotency.Profile{Dialect: idempotency.Plain("X-Pay-Key")}}}
	report, err := contract.Explore(t.Context(), set, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Workflows[0].Failures {
		t.Errorf("%s %s: %s\n%s", f.Check, f.Step, f.Message, f.Story)
	}
	server := mock.New(sim.Sources(set, o.Config), mock.Options{})
	if err := server.Plan(mock.Fault{Operation: "charge", Kind: mock.ConflictThenReplay}); err != nil {
		t.Errorf("a fault of keys cannot befall the operation: %v", err)
	}
}

// TestAKeyOfTheTime holds that a key is found to change that is made of when another answer
// came.
func TestAKeyOfTheTime(t *testing.T) {
	mustFail(t, failuresOf(t, "tickets", "bad-date"), contract.UnstableKey, "hold")
}

func mustFail(t *testing.T, failures []contract.Failure, check contract.Check, step string) contract.Failure {
	t.Helper()
	for _, f := range failures {
		if f.Check == check && f.Step == step {
			return f
		}
	}
	t.Fatalf("%s at step %s was not found: %+v", check, step, failures)
	return contract.Failure{}
}

func failuresOf(t *testing.T, domain, name string) []contract.Failure {
	t.Helper()
	set := load(t, filepath.Join("../../testdata/contract", domain, name+".arazzo.yaml"))
	report, err := contract.Explore(context.Background(), set, contract.Options{Budget: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var all []contract.Failure
	for _, w := range report.Workflows {
		if len(w.Refused) > 0 {
			t.Fatal(w.Refused)
		}
		all = append(all, w.Failures...)
	}
	return all
}

// TestWhatAMessageLeadsToAfterALostAnswer holds that the branches of a message are covered, and
// its faults played, where the message is awaited only after an answer that was lost.
func TestWhatAMessageLeadsToAfterALostAnswer(t *testing.T) {
	set := load(t, "../../testdata/contract/delivery/after-loss.arazzo.yaml")
	report, err := contract.Explore(t.Context(), set, contract.Options{Budget: -1})
	if err != nil {
		t.Fatal(err)
	}
	c := report.Workflows[0].Coverage
	if c.Steps != (contract.Count{Covered: 3, Total: 3}) || c.Actions != (contract.Count{Covered: 5, Total: 5}) || c.Criteria != (contract.Count{Covered: 4, Total: 4}) {
		t.Errorf("steps %+v, actions %+v, criteria %+v", c.Steps, c.Actions, c.Criteria)
	}
	for _, u := range report.Workflows[0].Unreached {
		if strings.Contains(u.Name, "webhook-lost") {
			t.Errorf("%s: %s", u.Name, u.Why)
		}
	}
}
