package durable

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
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
