package sim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/mock"
	"github.com/weft-flow/weft/executor/sim"
	"github.com/weft-flow/weft/specs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// flow is the bundled order flow, ready to be run.
type flow struct {
	stage *sim.Stage
	plan  *executor.Plan
}

func orderFlow(t testing.TB, config executor.Config) flow {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	loader := source.NewLoader(source.Options{Offline: true})
	doc, location, faults, err := loader.LoadDocument(context.Background(), filepath.Join(dir, "orderflow", "order.arazzo.yaml"))
	if err != nil || len(faults) > 0 {
		t.Fatal(err, faults)
	}
	set, problems := loader.Load(context.Background(), doc, location)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	stage := sim.NewStage(set)
	config.Servers = stage.Servers()
	plan, refusals := executor.Compile(set, nil, config)
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	return flow{stage, plan}
}

// recorder keeps events.
type recorder struct{ events []executor.Event }

func (r *recorder) Write(e executor.Event) error {
	r.events = append(r.events, e)
	return nil
}

func (r *recorder) texts() []string {
	texts := make([]string, len(r.events))
	for i, e := range r.events {
		detail := fmt.Sprintf("%+v", e.Detail)
		if x, ok := e.Detail.(executor.AttemptFinished); ok {
			response := executor.Response{}
			if x.Response != nil {
				response, x.Response = *x.Response, nil // a pointer is never the same
			}
			detail = fmt.Sprintf("%+v %d %v %s", x, response.Status, response.Header, response.Body)
		}
		texts[i] = fmt.Sprintf("%d %s %s %s#%d/%d %s %s", e.Sequence, e.Time.Format(time.RFC3339Nano), e.Run, e.Step, e.Activation, e.Attempt, e.Detail.Type(), detail)
	}
	return texts
}

func (f flow) run(t testing.TB, o sim.Options) (executor.Result, *sim.Runtime, *recorder) {
	t.Helper()
	world, err := f.stage.New(o)
	if err != nil {
		t.Fatal(err)
	}
	events := &recorder{}
	result, err := f.plan.Run(t.Context(), world, executor.Start{Sink: events})
	if err != nil {
		t.Fatal(err)
	}
	return result, world, events
}

func plan(faults ...mock.Fault) mock.FaultPlan { return mock.FaultPlan{Faults: faults} }

func TestTheSameSeedGivesTheSameEvents(t *testing.T) {
	f := orderFlow(t, executor.Config{Jitter: time.Second})
	faults := mock.FaultPlan{Faults: []mock.Fault{
		{Operation: "createOrder", Occurrence: 1, Upto: 3, Kind: mock.HangAfterEffect},
		{Operation: "createOrder", Kind: mock.CloseInResponse},
		{Operation: "createOrder", Occurrence: 2, Kind: mock.TooManyDate},
		{Operation: "requestPayment", Kind: mock.SlowBody},
		lost,
		{Operation: "getPaymentByReference", Kind: mock.ReadNotFound, Times: 3},
	}}
	texts := map[uint64][]string{}
	for seed := range uint64(20) {
		_, _, first := f.run(t, sim.Options{Seed: seed, Faults: faults})
		_, _, second := f.run(t, sim.Options{Seed: seed, Faults: faults})
		if texts[seed] = first.texts(); !slices.Equal(texts[seed], second.texts()) {
			t.Fatalf("seed %d gives\n%s\nand then\n%s", seed, strings.Join(texts[seed], "\n"), strings.Join(second.texts(), "\n"))
		}
	}
	if slices.Equal(texts[0], texts[1]) {
		t.Error("two seeds give the same events")
	}
}

func TestRunsHaveNoTimeInThem(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	began := time.Now()
	_, world, _ := f.run(t, sim.Options{Faults: plan(lost, mock.Fault{Operation: "getPaymentByReference", Kind: mock.ReadNotFound, Times: 9})})
	if passed := world.Now().Sub(sim.Epoch); passed < 20*time.Second {
		t.Errorf("only %v passed in the world", passed)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAHangEndsWithTheAttemptsTimeout(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	_, world, events := f.run(t, sim.Options{Faults: plan(mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect})})
	for _, e := range events.events {
		if x, ok := e.Detail.(executor.AttemptFinished); ok {
			if x.Reason != "timeout after the request was sent" || x.Duration != 5*time.Second {
				t.Errorf("the first attempt: %q after %v", x.Reason, x.Duration)
			}
			break
		}
	}
	if errs := world.Server().Unfired(); len(errs) > 0 {
		t.Error(errs)
	}
}

func TestCancelInTheWorldsTime(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	for _, after := range []time.Duration{time.Microsecond, 1500 * time.Millisecond, 5500 * time.Millisecond, 8 * time.Second} {
		result, world, _ := f.run(t, sim.Options{
			CancelAfter: after,
			Faults:      plan(mock.Fault{Operation: "createOrder", Kind: mock.HangAfterEffect}, mock.Fault{Operation: "requestPayment", Kind: mock.HangAfterEffect}),
		})
		if result.Status == executor.Succeeded || result.Status == executor.Recovered {
			t.Errorf("cancelled after %v, it ended as %s", after, result.Status)
		}
		for _, e := range world.Server().Effects() {
			if e.Count > 1 {
				t.Errorf("cancelled after %v: %+v", after, e)
			}
		}
	}
}

func TestAFaultThatCannotBePlanned(t *testing.T) {
	f := orderFlow(t, executor.Config{})
	_, err := f.stage.New(sim.Options{Faults: plan(mock.Fault{Operation: "createOrdr", Kind: mock.HangAfterEffect})})
	if !errors.Is(err, mock.ErrFault) || !strings.Contains(err.Error(), "did you mean createOrder?") {
		t.Errorf("error %v", err)
	}
}
