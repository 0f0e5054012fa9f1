package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

func console(t *testing.T, options Options, events []executor.Event) string {
	t.Helper()
	var out bytes.Buffer
	c := NewConsole(&out, options)
	for _, e := range events {
		if err := c.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestConsole(t *testing.T) {
	tests := []struct {
		file    string
		events  []executor.Event
		options Options
	}{
		{"order.txt", orderRun(), Options{}},
		{"order-wide.txt", orderRun(), Options{StepWidth: 20}},
		{"order-verbose.txt", orderRun(), Options{Verbose: true}},
		{"order-color.txt", orderRun(), Options{Color: true}},
		{"retry.txt", retryRun(), Options{}},
		{"retry-verbose.txt", retryRun(), Options{Verbose: true}},
		{"nested.txt", nestedRun(), Options{}},
		{"nested-verbose.txt", nestedRun(), Options{Verbose: true}},
		{"odd.txt", oddRun(), Options{}},
		{"contract.txt", contractRun(), Options{}},
		{"contract-verbose.txt", contractRun(), Options{Verbose: true}},
		{"contract-color.txt", contractRun(), Options{Color: true}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			golden(t, test.file, console(t, test.options, test.events))
		})
	}
}

// What is said of an attempt before its criteria must not decide its mark.
func TestTheMarkOfAnAttemptWaitsForItsCriteria(t *testing.T) {
	for name, said := range map[string]executor.Detail{
		"a finding": executor.ContractFinding{Of: "response", Kind: "body", Message: "body: expected an object"},
		"a notice":  executor.Notice{Message: "the body was cut"},
	} {
		for passed, mark := range map[bool]string{true: "✓ s ", false: "✗ s "} {
			events := newStream().workflow("w").step("s", 1).
				attempt(sent{method: "GET", target: "/", status: 200, class: idempotency.Succeeded}).
				add(said).criterion("$statusCode == 201", passed).
				endStep(passed, "", idempotency.Succeeded).end(executor.Failed, "")
			if got := console(t, Options{}, events); !strings.Contains(got, mark) {
				t.Errorf("%s, criterion %v: the output lacks %q:\n%s", name, passed, mark, got)
			}
		}
	}
}

func TestNothingInEventsReachesTheTerminalAsControl(t *testing.T) {
	for _, options := range []Options{{}, {Verbose: true}} {
		for _, r := range console(t, options, oddRun()) + console(t, options, messageRun()) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%+v: the output has the character %U", options, r)
			}
		}
	}
}

func TestColourAddsNothingButColour(t *testing.T) {
	for _, events := range [][]executor.Event{orderRun(), retryRun(), nestedRun(), oddRun(), contractRun(), messageRun(), cancelRun()} {
		for _, verbose := range []bool{false, true} {
			want := console(t, Options{Verbose: verbose}, events)
			got := console(t, Options{Verbose: verbose, Color: true}, events)
			if !strings.Contains(got, "\x1b[") {
				t.Error("there is no colour")
			}
			if got := withoutColour(got); got != want {
				t.Errorf("with colour taken away:\n%s\nwithout colour:\n%s", got, want)
			}
		}
	}
}

func withoutColour(text string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(after, "m")
	}
}

// An attempt's line comes with the first event after its criteria, not at the end.
func TestLinesComeWhileTheRunGoesOn(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out, Options{})
	for _, e := range retryRun() {
		_ = c.Write(e)
		if _, waiting := e.Detail.(executor.RetryScheduled); waiting {
			break
		}
	}
	for _, want := range []string{"✗ reserve", "✗ $statusCode == 201", "↻ retry 1 of 3 in 2s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("while the run waits, the output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestEachEventIsWrittenWhole(t *testing.T) {
	w := &countingWriter{}
	c := NewConsole(w, Options{Verbose: true})
	events := orderRun()
	for _, e := range events {
		_ = c.Write(e)
	}
	for _, chunk := range w.chunks {
		if !strings.HasSuffix(chunk, "\n") {
			t.Errorf("a write ends within a line: %q", chunk)
		}
	}
	if len(w.chunks) > len(events) {
		t.Errorf("%d writes for %d events", len(w.chunks), len(events))
	}
}

type countingWriter struct{ chunks []string }

func (w *countingWriter) Write(p []byte) (int, error) {
	w.chunks = append(w.chunks, string(p))
	return len(p), nil
}

func TestAWriterThatFailsIsTold(t *testing.T) {
	c := NewConsole(brokenWriter{}, Options{})
	failed := 0
	for _, e := range orderRun() {
		if err := c.Write(e); errors.Is(err, errBroken) {
			failed++
		}
	}
	if failed == 0 {
		t.Error("no error was given")
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestBodiesAreClipped(t *testing.T) {
	events := newStream().workflow("w").step("s", 1).
		attempt(sent{method: "POST", target: "/", status: 200, class: idempotency.Succeeded,
			body: strings.Repeat("ä", 50), answer: "\x00\x01\xff"}).
		endStep(true, "", idempotency.Succeeded).end(executor.Succeeded, "")
	got := console(t, Options{Verbose: true, MaxBody: 9}, events)
	for _, want := range []string{"> ääää\n", "> … (92 bytes more)\n", "< (3 bytes, not text)\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the output lacks %q:\n%s", want, got)
		}
	}
}

// A run that breaks off leaves an attempt whose criteria never come.
func TestCloseWritesWhatIsHeld(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out, Options{})
	for _, e := range retryRun() {
		_ = c.Write(e)
		if _, ok := e.Detail.(executor.AttemptFinished); ok {
			break
		}
	}
	if strings.Contains(out.String(), "reserve") {
		t.Error("the line came before its criteria")
	}
	if err := c.Close(); err != nil || !strings.Contains(out.String(), "✗ reserve") {
		t.Errorf("after Close (%v) the output is:\n%s", err, out.String())
	}
}

func TestCloseWritesWhatWasSaidOfAStepThatDidNotEnd(t *testing.T) {
	var out bytes.Buffer
	c := NewConsole(&out, Options{})
	for _, e := range newStream().workflow("w").step("s", 1).add(executor.Notice{Message: "careful"}).events {
		_ = c.Write(e)
	}
	if err := c.Close(); err != nil || !strings.Contains(out.String(), "✗ s ") || !strings.Contains(out.String(), "note: careful") {
		t.Errorf("after Close (%v) the output is:\n%s", err, out.String())
	}
}

// A stream that lacks its beginning, as of a run that was taken over, still reads.
func TestAStreamWithoutItsBeginning(t *testing.T) {
	events := orderRun()
	for from := range events {
		console(t, Options{Verbose: true}, events[from:])
	}
}

func TestTheWayOfTheStatesIsShown(t *testing.T) {
	s := newStream().workflow("w").step("s", 1)
	s.add(executor.StateMoved{From: "NEW", To: "ASKED", Cause: "s"})
	s.add(executor.StateRefused{State: "ASKED", To: "NEW", Cause: "again", Reason: "NEW must not follow ASKED"})
	s.add(executor.StateMoved{From: "ASKED", To: "DONE", Cause: "s"})
	s.add(executor.StepFinished{Succeeded: true})
	s.endWorkflow("w", executor.Succeeded, "")
	var out bytes.Buffer
	c := NewConsole(&out, Options{})
	for _, e := range s.end(executor.Succeeded, "") {
		if err := c.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"  state NEW → ASKED → DONE\n", "! state ASKED stays, not NEW: NEW must not follow ASKED (again)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}
