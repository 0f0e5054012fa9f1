package durable

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/idempotency"
)

// TestStopGivesUpARequest: what a node that stops does not await is told of, with its
// run and step, and the next node does not send it again.
func TestStopGivesUpARequest(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		shop, servers := playGated(t)
		defer shop.release()
		var log bytes.Buffer
		o := quickOptions(t)
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		s := openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{StopTimeout: 50 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
		run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, StepTimeout: time.Minute}}, `{"ref":"1"}`).Run
		<-shop.arrived
		_ = s.Close() // tells that the journal did not end either
		told := log.String()
		if !strings.Contains(told, "its outcome is not recorded") || !strings.Contains(told, run) || !strings.Contains(told, "pay") {
			t.Errorf("the log says:\n%s", told)
		}
		if result := end(t, driving(t, url), run); result.Status != executor.Unknown || shop.count() != 1 {
			t.Errorf("%+v after %d payments", result, shop.count())
		}
	})
}

// TestACloseThatIsQuickerThanARun says nothing of the run: the next node takes it over.
func TestACloseThatIsQuickerThanARun(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, waitFlow)
		_, servers := playShop(t, b)
		var log bytes.Buffer
		o := quickOptions(t)
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		s := openStore(t, url, o)
		if err := s.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, Timeout: executor.NoTimeout}}, `{"ref":"1"}`).Run
		awaits(t, s, run)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s.driver.giveBack(run) // as an execution does that was about to
		if strings.Contains(log.String(), "level=WARN") {
			t.Errorf("the log says:\n%s", log.String())
		}
		awaits(t, driving(t, url), run)
	})
}

// TestANodeThatStopsTakesNoRun: runs that are started while a node awaits what is in the
// air are another's at once.
func TestANodeThatStopsTakesNoRun(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow)
		shop, servers := playGated(t)
		defer shop.release()
		stops, other := driving(t, url), openStore(t, url, quickOptions(t))
		spec := Spec{Bundle: b, Config: executor.Config{Servers: servers, StepTimeout: time.Minute}}
		run := begin(t, stops, spec, `{"ref":"1"}`).Run
		<-shop.arrived
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			stops.Stop()
		}()
		for !stops.driver.isStopping() {
			time.Sleep(time.Millisecond)
		}
		if err := other.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		_, quick := playShop(t, b)
		spec.Config.Servers = quick
		for range 8 {
			end(t, other, begin(t, stops, spec, `{"ref":"2"}`).Run)
		}
		select {
		case <-stopped:
			t.Error("it did not await what was in the air")
		default:
		}
		shop.release()
		<-stopped
		if result := end(t, other, run); result.Status != executor.Succeeded || shop.count() != 1 {
			t.Errorf("%+v after %d payments", result, shop.count())
		}
	})
}

// TestAStopKeepsWhatItAwaited: who looks before another node goes on sees what came of
// the request, and that node tells it once.
func TestAStopKeepsWhatItAwaited(t *testing.T) {
	onEach(t, func(t *testing.T, url string) {
		b := flowBundle(t, unsafeFlow+
			"  - {stepId: payAgain, operationId: pay, requestBody: {contentType: application/json, payload: {ref: b}}}\n")
		shop, servers := playGated(t)
		defer shop.release()
		s := driving(t, url)
		run := begin(t, s, Spec{Bundle: b, Config: executor.Config{Servers: servers, StepTimeout: time.Minute}}, `{"ref":"1"}`).Run
		<-shop.arrived
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			s.Stop()
		}()
		for !s.driver.isStopping() {
			time.Sleep(time.Millisecond)
		}
		shop.release()
		<-stopped
		other := openStore(t, url, quickOptions(t))
		d, err := other.Show(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Steps) != 1 || d.Steps[0].Class != idempotency.Succeeded || d.Parked != "" {
			t.Errorf("it is told as parked %q, with steps %+v", d.Parked, d.Steps)
		}
		if err := other.Drive(t.Context(), DriveOptions{}); err != nil {
			t.Fatal(err)
		}
		if result := end(t, other, run); result.Status != executor.Succeeded || shop.count() != 2 {
			t.Errorf("%+v after %d payments", result, shop.count())
		}
	})
}
