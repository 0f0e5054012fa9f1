package executor_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestAnyFlowUnderAnyAnswers holds what must hold whatever a document says and a
// server does.
func TestAnyFlowUnderAnyAnswers(t *testing.T) {
	dir := writeFiles(t, map[string]string{"shop.yaml": shopAPI})
	ran, calls, repeats := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := drawDocument(rt)
		answers := rapid.SliceOfN(rapid.SampledFrom(answerKinds), 1, 12).Draw(rt, "answers")
		config := executor.Config{
			MaxSteps:    rapid.SampledFrom([]int{60, 10, 3}).Draw(rt, "max steps"),
			Timeout:     rapid.SampledFrom([]time.Duration{time.Minute, 50 * time.Millisecond}).Draw(rt, "timeout"),
			UnsafeRetry: rapid.IntRange(0, 9).Draw(rt, "unsafe") == 9,
		}
		set := parseFlow(t, dir, text)
		plan, refusals := executor.Compile(set, drawSelection(rt, set), config)
		if plan == nil {
			if len(refusals) == 0 {
				rt.Fatal("neither a plan nor a refusal")
			}
			return
		}
		ran++
		cancelAt := rapid.SampledFrom([]int{-1, 0, 1, 2, 3, 5, 8}).Draw(rt, "cancel at")
		first, second := runOnce(rt, plan, answers, cancelAt), runOnce(rt, plan, answers, cancelAt)
		checkSame(rt, first, second)
		checkLimits(rt, first, config)
		checkCalls(rt, first, config.UnsafeRetry)
		calls, repeats = calls+len(first.calls), repeats+first.Counts.Withheld
	})
	if ran == 0 || calls == 0 { // whether a repeat is withheld too is left to what is drawn
		t.Errorf("%d documents were run, with %d calls and %d repeats withheld: the test tells little", ran, calls, repeats)
	}
}

// parseFlow parses a document whose sources are in dir.
func parseFlow(t *testing.T, dir, text string) *source.Set {
	t.Helper()
	path := filepath.Join(dir, "flow.yaml")
	loader := source.NewLoader(source.Options{Offline: true})
	doc, faults := arazzo.Parse(path, []byte(text))
	if len(faults) > 0 {
		t.Fatalf("the document that was drawn has faults: %v\n%s", faults, text)
	}
	set, problems := loader.Load(t.Context(), doc, path)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// drawDocument draws a small document: some of it makes no sense, and is refused.
func drawDocument(rt *rapid.T) string {
	var b strings.Builder
	b.WriteString("arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: shop, url: shop.yaml, type: openapi}]\nworkflows:\n")
	workflows := rapid.IntRange(1, 3).Draw(rt, "workflows")
	for w := range workflows {
		fmt.Fprintf(&b, "- workflowId: w%d\n", w)
		if rapid.IntRange(0, 5).Draw(rt, "depends") == 5 {
			fmt.Fprintf(&b, "  dependsOn: [w%d]\n", rapid.IntRange(0, workflows-1).Draw(rt, "on"))
		}
		steps := rapid.IntRange(1, 4).Draw(rt, "steps")
		if rapid.IntRange(0, 3).Draw(rt, "shared") == 3 {
			fmt.Fprintf(&b, "  failureActions: [%s]\n", drawAction(rt, "shared", steps, workflows, true))
		}
		if rapid.IntRange(0, 3).Draw(rt, "compensates") == 3 {
			fmt.Fprintf(&b, "  x-weft-on-cancel: [%s]\n", drawAction(rt, "undo", steps, workflows, false))
		}
		b.WriteString("  steps:\n")
		for s := range steps {
			fmt.Fprintf(&b, "  - {stepId: s%d, %s}\n", s, drawStep(rt, steps, workflows))
		}
		b.WriteString("  outputs: {x: $steps.s0.outputs.n}\n")
	}
	return b.String()
}

func drawStep(rt *rapid.T, steps, workflows int) string {
	calls := rapid.SampledFrom([]string{"tick", "pay", "createOrder", "workflow"}).Draw(rt, "calls")
	step := "operationId: " + calls
	switch calls {
	case "workflow":
		step = fmt.Sprintf("workflowId: w%d", rapid.IntRange(0, workflows-1).Draw(rt, "called"))
	case "createOrder", "pay":
		step += ", requestBody: {payload: {a: 1}}"
	}
	if calls != "workflow" {
		step += ", outputs: {n: $response.body#/n}"
		if rapid.IntRange(0, 3).Draw(rt, "criteria") == 3 {
			step += ", successCriteria: [" + drawCriterion(rt) + "]"
		}
	}
	if rapid.IntRange(0, 7).Draw(rt, "depends") == 7 {
		step += fmt.Sprintf(", dependsOn: [s%d]", rapid.IntRange(0, steps-1).Draw(rt, "on"))
	}
	for field, failure := range []bool{false, true} {
		var actions []string
		for i := range rapid.IntRange(0, 2).Draw(rt, "actions") {
			actions = append(actions, drawAction(rt, fmt.Sprintf("a%d", i), steps, workflows, failure))
		}
		if len(actions) > 0 {
			step += fmt.Sprintf(", %s: [%s]", [2]string{"onSuccess", "onFailure"}[field], strings.Join(actions, ", "))
		}
	}
	return step
}

func drawAction(rt *rapid.T, name string, steps, workflows int, failure bool) string {
	kinds := []string{"end", "goto"}
	if failure {
		kinds = append(kinds, "retry", "retry")
	}
	kind := rapid.SampledFrom(kinds).Draw(rt, "kind")
	action := fmt.Sprintf("name: %s, type: %s", name, kind)
	target := rapid.SampledFrom([]string{"step", "workflow", "none"}).Draw(rt, "target")
	if kind == "retry" {
		action += fmt.Sprintf(", retryLimit: %d, retryAfter: %d", rapid.IntRange(0, 3).Draw(rt, "limit"), rapid.IntRange(0, 1).Draw(rt, "after"))
	}
	switch {
	case kind == "end" || kind == "retry" && target == "none":
	case target == "workflow":
		action += fmt.Sprintf(", workflowId: w%d", rapid.IntRange(0, workflows-1).Draw(rt, "workflow"))
	default:
		action += fmt.Sprintf(", stepId: s%d", rapid.IntRange(0, steps-1).Draw(rt, "step"))
	}
	if rapid.Bool().Draw(rt, "conditional") {
		action += ", criteria: [" + drawCriterion(rt) + "]"
	}
	return "{" + action + "}"
}

func drawCriterion(rt *rapid.T) string {
	condition := rapid.SampledFrom([]string{
		"$statusCode == 200", "$statusCode >= 400", "$statusCode == null", "$statusCode != 503", "$response.body#/n > 2", "$steps.s0.outputs.n > 1",
	}).Draw(rt, "condition")
	return "{condition: " + condition + "}"
}

// drawSelection names some workflows, or none: then all run.
func drawSelection(rt *rapid.T, set *source.Set) []string {
	var ids []string
	for _, w := range set.Document.Workflows {
		if rapid.Bool().Draw(rt, "selected") {
			ids = append(ids, w.WorkflowID.Value)
		}
	}
	return ids
}

// answerKinds are what a server, or the way to it, may do.
var answerKinds = []string{"200", "201", "401", "404", "422", "429", "500", "503 later", "in flight", "lost", "not sent", "refused"}

func answerOf(call executor.Call, kind string, n int) executor.Exchange {
	body := map[string]int{"n": n}
	switch kind {
	case "lost":
		return lost()
	case "not sent":
		return executor.Exchange{Class: idempotency.NotSent, Reason: "no connection"}
	case "refused":
		return executor.Exchange{Class: idempotency.NotSent, Refused: "it cannot be written"}
	case "in flight":
		x := respond(409, body)
		if call.Key != nil {
			x.Class = idempotency.Deferred
		}
		return x
	case "503 later":
		return respond(503, body, "Retry-After", "1")
	}
	var status int
	if _, err := fmt.Sscan(kind, &status); err != nil {
		panic(err)
	}
	return respond(status, body)
}

// ranFlow is one run with all that was seen of it.
type ranFlow struct {
	executor.Result
	*script
	*recorder
	classes []idempotency.Class // of the calls
	answers []*executor.Response
}

// runOnce runs the plan; the answers come round again when they are used up, and
// from the call cancelAt on, if there are as many, the run is cancelled.
func runOnce(rt *rapid.T, plan *executor.Plan, answers []string, cancelAt int) *ranFlow {
	f := &ranFlow{recorder: &recorder{}}
	f.script = &script{answer: func(call executor.Call, n int) executor.Exchange {
		at := len(f.classes)
		x := answerOf(call, answers[at%len(answers)], n)
		x.Cancelled = at == cancelAt
		f.classes, f.answers = append(f.classes, x.Class), append(f.answers, x.Response)
		return x
	}}
	result, err := plan.Run(rt.Context(), f.script, executor.Start{Sink: f.recorder})
	if err != nil {
		rt.Fatal(err)
	}
	f.Result = result
	return f
}

func checkSame(rt *rapid.T, a, b *ranFlow) {
	if len(a.events) != len(b.events) {
		rt.Fatalf("%d events, and %d the second time", len(a.events), len(b.events))
	}
	for i := range a.events {
		if one, other := told(a.events[i]), told(b.events[i]); one != other {
			rt.Fatalf("event %d was\n%s\nand the second time\n%s", i+1, one, other)
		}
	}
	for i := range a.calls {
		if a.calls[i].Name != b.calls[i].Name || !sameKey(a.calls[i], b.calls[i]) {
			rt.Fatalf("call %d differs the second time", i+1)
		}
	}
}

func told(e executor.Event) string {
	text := fmt.Sprintf("%d %s %s %d %s#%d/%d %s %s %+v", e.Sequence, e.Time, e.Workflow, e.Depth, e.Step, e.Activation, e.Attempt, e.Place.Pointer, e.Detail.Type(), e.Detail)
	return addresses.ReplaceAllString(text, "")
}

var addresses = regexp.MustCompile(`0x[0-9a-f]+`)

func sameKey(a, b executor.Call) bool {
	return (a.Key == nil) == (b.Key == nil) && (a.Key == nil || *a.Key == *b.Key)
}

func checkLimits(rt *rapid.T, f *ranFlow, config executor.Config) {
	checkStream(rt, f.events)
	if f.Counts.Steps > config.MaxSteps {
		rt.Fatalf("%d steps, at most %d are allowed", f.Counts.Steps, config.MaxSteps)
	}
	attempts, requests := 0, 0
	for _, e := range f.events {
		if e.Depth > 32 {
			rt.Fatalf("the depth of %s is %d", e.Workflow, e.Depth)
		}
		if e.Detail.Type() == "attemptFinished" {
			attempts++
		}
	}
	for _, class := range f.classes {
		if class != idempotency.NotSent {
			requests++
		}
	}
	if attempts != len(f.calls) || requests != f.Counts.Requests {
		rt.Fatalf("%d calls and %d requests; told were %d, counted %d", len(f.calls), requests, attempts, f.Counts.Requests)
	}
	if over := f.now.Sub(epoch); over > config.Timeout+time.Second {
		rt.Fatalf("the run took %v, at most %v are allowed", over, config.Timeout)
	}
}

// checkStream is wellFormed for a test of properties; it also holds that what
// begins last ends first.
func checkStream(rt *rapid.T, events []executor.Event) {
	if fault := streamFault(events); fault != "" {
		rt.Fatal(fault)
	}
}

var (
	activations = regexp.MustCompile(`#\d+(~\d+)?(/\d+)?`)
	attemptsOf  = regexp.MustCompile(`(#\d+)~\d+`)
	transfers   = regexp.MustCompile(`[^/]+~\d+/`)
)

// chain names the step of a call without activations, attempts and jumps between
// workflows.
func chain(call executor.Call) string {
	return transfers.ReplaceAllString(activations.ReplaceAllString(call.Name, ""), "")
}

// activation is a call's name without its attempt; work is the same without the
// attempts of the workflows around it.
func activation(call executor.Call) string { return call.Name[:strings.LastIndex(call.Name, "/")] }
func work(call executor.Call) string       { return attemptsOf.ReplaceAllString(activation(call), "$1") }

// checkCalls holds the rules that Weft exists for.
func checkCalls(rt *rapid.T, f *ranFlow, unsafeAllowed bool) {
	names, unknown, done := map[string]bool{}, map[string]int{}, map[string]int{}
	first, byKey := map[string]int{}, map[string]int{}
	// What was unknown may be gone on with until it is seen to succeed: a refusal after
	// it may be about the key.
	joined := map[string]int{}
	succeeded, unsafeUnknown := map[string]bool{}, false
	for i, call := range f.calls {
		if names[call.Name] {
			rt.Fatalf("two calls are named %s", call.Name)
		}
		names[call.Name] = true
		open, continues := joined[chain(call)]
		at, known := first[activation(call)]
		if !known || continues && sameKey(call, f.calls[open]) {
			first[activation(call)], at = i, i
		}
		if !sameKey(call, f.calls[at]) {
			rt.Fatalf("the attempts of %s have several keys", activation(call))
		}
		if call.Key != nil {
			if at, known := byKey[call.Key.Value]; known && chain(f.calls[at]) != chain(call) {
				rt.Fatalf("%s and %s have one key", f.calls[at].Name, call.Name)
			}
			byKey[call.Key.Value] = i
		}
		if !call.Effectful {
			continue
		}
		if at, open := unknown[chain(call)]; open {
			if call.Key == nil && !unsafeAllowed {
				rt.Fatalf("%s was sent though the outcome of %s is unknown", call.Name, f.calls[at].Name)
			}
			if !sameKey(call, f.calls[at]) {
				rt.Fatalf("%s has another key than %s, whose outcome is unknown", call.Name, f.calls[at].Name)
			}
		}
		if at, before := done[work(call)]; before && !call.Contract && !unsafeAllowed {
			rt.Fatalf("%s was sent though %s succeeded", call.Name, f.calls[at].Name)
		}
		status := 0
		if f.answers[i] != nil {
			status = f.answers[i].Status
		}
		switch class := f.classes[i]; {
		case class == idempotency.Deferred && status == 409 && succeeded[call.Key.Value]: // it was seen before
		case class == idempotency.Unknown || class == idempotency.Deferred && status == 409:
			unknown[chain(call)], joined[chain(call)] = i, i
			unsafeUnknown = unsafeUnknown || !call.Contract
		case class == idempotency.Succeeded:
			done[work(call)] = i
			if call.Key != nil {
				succeeded[call.Key.Value] = true
			}
			delete(unknown, chain(call))
			delete(joined, chain(call))
		case class == idempotency.Rejected && call.Contract && status != 401: // 401 comes before the key is looked at
			delete(unknown, chain(call))
		}
	}
	if unsafeUnknown && f.Status != executor.Unknown {
		rt.Fatalf("an outcome is unknown, and the run ended as %s", f.Status)
	}
}
