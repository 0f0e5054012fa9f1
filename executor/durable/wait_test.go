package durable

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// TestARunWaitsForDays: a wait of three days goes on over two restarts, and is over when
// the clock says so.
func TestARunWaitsForDays(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		server, servers := playShop(t, b)
		var passed atomic.Int64
		o := quickOptions(t)
		o.Now = func() time.Time { return time.Now().Add(time.Duration(passed.Load())) }
		var run string
		var until time.Time
		for day := range 3 {
			s := openStore(t, url, o)
			if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
				t.Fatal(err)
			}
			if day == 0 {
				run = begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
			}
			found := awaits(t, s, run)
			if day == 0 {
				until = found.Waiting.Until
			}
			if !found.Waiting.Until.Equal(until) {
				t.Errorf("on day %d it waits until %v, at first until %v", day, found.Waiting.Until, until)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			passed.Add(int64(25 * time.Hour))
		}
		s := openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		result := end(t, s, run)
		if result.Workflows[0].State != "EXPIRED" || effects(server)["createOrder"] != 1 || effects(server)["closeOrder"] != 1 {
			t.Errorf("%+v, effects %v", result, effects(server))
		}
	})
}

// TestNestedWorkflowsMoveOneState: a workflow without states of its own moves those of the
// one that calls it.
func TestNestedWorkflowsMoveOneState(t *testing.T) {
	b := flowBundle(t, `
workflows:
- workflowId: outer
  x-weft-states: {initial: NEW, terminal: [DONE], transitions: {NEW: [OPEN], OPEN: [DONE]}}
  steps:
  - {stepId: call, workflowId: inner}
  - {stepId: close, operationId: closeOrder, requestBody: {contentType: application/json, payload: {ref: "1"}}, x-weft-state: DONE}
- workflowId: inner
  steps:
  - {stepId: order, operationId: createOrder, requestBody: {contentType: application/json, payload: {ref: "1"}}, x-weft-state: OPEN}
`)
	_, servers := playShop(t, b)
	s := driving(t, readyFile(t))
	started := begin(t, s, Spec{Bundle: b, Workflows: []string{"outer"}, Config: executor.Config{Servers: servers}}, `{}`)
	if result := end(t, s, started.Run); result.Workflows[0].State != "DONE" {
		t.Errorf("%+v", result)
	}
	d, err := s.Show(t.Context(), started.Run)
	if err != nil || len(d.States) != 1 || d.States[0].State != "DONE" || d.States[0].Workflow != "outer" {
		t.Errorf("%+v, %v", d.States, err)
	}
}
