package executor_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/arazzo/value"
	"github.com/weft-flow/weft/executor"
)

// TestWhateverComesInWhateverOrder draws messages, in any order and at any time, that
// may be about the run's payment, with any status, and repeats of them.
func TestWhateverComesInWhateverOrder(t *testing.T) {
	plan, refusals := flowTest{flow: payFlow, config: executor.Config{Linger: 10 * time.Second}}.compile(t)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	took, aside, refused := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		first, result := drawnRun(rt, plan, drawMail(rt))
		if fault := streamFault(first.events); fault != "" {
			rt.Fatal(fault)
		}
		seen := map[int]bool{}
		counted, accounted := 0, 0
		states := []string{"NEW"}
		for _, e := range first.events {
			switch d := e.Detail.(type) {
			case executor.MessageReceived:
				if seen[d.Number] {
					rt.Fatalf("message %d was taken twice", d.Number)
				}
				seen[d.Number] = true
				accounted++
			case executor.MessageSetAside:
				counted += d.Count
				if d.Why == executor.Duplicate || d.Why == executor.Conflicting {
					continue
				}
				if accounted += d.Count; seen[d.Number] {
					rt.Fatalf("message %d was taken and set aside as %s", d.Number, d.Why)
				}
				seen[d.Number] = true
			case executor.StateMoved:
				states = append(states, d.To)
			case executor.StateRefused:
				refused++
			}
		}
		if counted != result.Counts.SetAside || result.Counts.Messages > 1 {
			rt.Fatalf("%d messages set aside, the result says %+v", counted, result.Counts)
		}
		if last := states[len(states)-1]; len(states) > 2 || last != result.Workflows[0].State {
			rt.Fatalf("the state went %v, and the result says %s", states, result.Workflows[0].State)
		}
		if accounted != len(first.mail) {
			rt.Fatalf("%d messages came, %d were told", len(first.mail), accounted)
		}
		took, aside = took+result.Counts.Messages, aside+counted
	})
	if took == 0 || aside == 0 || refused == 0 {
		t.Errorf("%d messages were taken, %d set aside, %d moves refused: the test tells little", took, aside, refused)
	}
}

// drawnEvents are the events of a run, and the messages that came to it.
type drawnEvents struct {
	recorder
	mail []executor.Message
}

// drawnRun runs twice: the same messages must give the same events.
func drawnRun(rt *rapid.T, plan *executor.Plan, inbox inboxScript) (*drawnEvents, executor.Result) {
	var all []*drawnEvents
	var last executor.Result
	for range 2 {
		runtime := paying()
		runtime.inbox = inbox
		events := &drawnEvents{mail: inbox.mail}
		result, err := plan.Run(rt.Context(), runtime, executor.Start{Inputs: value.Absent, Sink: events})
		if err != nil {
			rt.Fatal(err)
		}
		all, last = append(all, events), result
	}
	texts := func(d *drawnEvents) []string {
		var out []string
		for _, e := range d.events {
			out = append(out, fmt.Sprintf("%d %s %s %T %v", e.Sequence, e.Time, e.Step, e.Detail, e.Detail.Type()))
		}
		return out
	}
	if !slices.Equal(texts(all[0]), texts(all[1])) {
		rt.Fatal("two runs with the same messages are not the same")
	}
	return all[0], last
}

// drawMail draws messages with their repeats, in the order in which they come.
func drawMail(rt *rapid.T) (inbox inboxScript) {
	at := time.Duration(0)
	for range rapid.IntRange(0, 5).Draw(rt, "messages") {
		at += time.Duration(rapid.IntRange(0, 900).Draw(rt, "later by ms")) * time.Millisecond
		identity := rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "identity")
		body := rapid.SampledFrom([]string{
			paidMessage, `{"ref":"r-1","status":"FAILED"}`, `{"ref":"r-1","status":"ODD"}`, `{"ref":"r-2","status":"PAID"}`, `{}`, `no JSON`, ``,
		}).Draw(rt, "body")
		inbox.comes(at, paidBox, identity, body)
		if identity != "" && rapid.Bool().Draw(rt, "again") {
			inbox.repeats = append(inbox.repeats, repeatAt{at, executor.Repeat{
				Number: len(inbox.mail), Same: rapid.IntRange(0, 3).Draw(rt, "same"), Different: rapid.IntRange(0, 1).Draw(rt, "different"),
			}})
		}
	}
	return inbox
}
