package cli_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestAnInterruptLeavesAReport: the first awaits the request in the air, the second
// gives it up; the run's report is complete as far as it came.
func TestAnInterruptLeavesAReport(t *testing.T) {
	arrived := make(chan struct{}, 1)
	_, base := start(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server see that the client is gone
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), securedAPI)
	writeFile(t, filepath.Join(dir, "flow.yaml"), securedFlow)
	report := filepath.Join(dir, "run.json")
	type ended struct {
		code   int
		output string
	}
	done := make(chan ended)
	go func() {
		code, output := weft("run", filepath.Join(dir, "flow.yaml"), "--server", base, "--json", report)
		done <- ended{code, output}
	}()
	<-arrived
	interrupt(t)
	interrupt(t)
	select {
	case got := <-done:
		if got.code != 3 || !strings.Contains(got.output, "giving up what is in the air") {
			t.Errorf("exit code %d, want 3: a POST was in the air\n%s", got.code, got.output)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the run went on after two interrupts")
	}
	if text := readFile(t, report); !strings.Contains(text, `"status": "unknown"`) || !strings.Contains(text, `"type": "runFinished"`) {
		t.Errorf("the report is not complete:\n%s", text)
	}
}

// interrupt sends SIGINT to this process, which weft handles while it runs.
func interrupt(t *testing.T) {
	t.Helper()
	process, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond) // two signals of a kind that wait are one
}
