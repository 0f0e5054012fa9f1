package report

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/weft-flow/weft/executor"
)

// TestTheLog tells each event at its level, on one line, without what other reports
// are for.
func TestTheLog(t *testing.T) {
	for level, want := range map[slog.Level][]string{
		slog.LevelError: {},
		slog.LevelWarn:  {`time=2026-11-30T09:00:00.000Z level=WARN msg=notice run=run-1 message="a\nb"`},
		slog.LevelInfo:  {`msg=runStarted run=run-1 document=order.arazzo.yaml origins=[http://a.test]`, `msg=attemptFinished run=run-1 workflow=w step=s activation=1 attempt=2 method=GET class=succeeded took=12ms server=a.test path=/x status=200 reason="after a redirect"`},
		slog.LevelDebug: {`msg=criterionEvaluated run=run-1 workflow=w step=s activation=1 attempt=2 condition="$statusCode == 200" passed=true`},
	} {
		var out bytes.Buffer
		log := NewLog(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level})))
		s := newStream("http://a.test")
		s.add(executor.Notice{Message: "a\nb"})
		s.at = executor.Event{Workflow: "w", Step: "s", Activation: 1, Attempt: 2}
		s.add(executor.AttemptFinished{
			Sent:     executor.Sent{Method: "GET", URL: "http://a.test/x?token=no", Header: executor.Header{"X": {"no"}}, Body: []byte("no")},
			Response: &executor.Response{Status: 200, Body: []byte("no")}, Duration: 12_000_000, Attempt: "succeeded", Reason: "after a redirect",
		})
		s.add(executor.CriterionEvaluated{Condition: "$statusCode == 200", Passed: true})
		for _, e := range s.events {
			if err := log.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range want {
			if !strings.Contains(out.String(), line) {
				t.Errorf("from %s up there is no %s in\n%s", level, line, &out)
			}
		}
		lines := map[slog.Level]int{slog.LevelError: 0, slog.LevelWarn: 1, slog.LevelInfo: 3, slog.LevelDebug: 4}[level]
		if got := strings.Count(out.String(), "\n"); got != lines || strings.Contains(out.String(), "token=no") {
			t.Errorf("from %s up there are %d lines, want %d:\n%s", level, got, lines, &out)
		}
	}
}

// TestTheLogKnowsHowRunsEnd by their levels.
func TestTheLogKnowsHowRunsEnd(t *testing.T) {
	for status, want := range map[executor.Status]string{
		executor.Succeeded: "INFO", executor.Recovered: "WARN", executor.Cancelled: "WARN", executor.Failed: "ERROR", executor.Unknown: "ERROR",
	} {
		var out bytes.Buffer
		log := NewLog(slog.New(slog.NewTextHandler(&out, nil)))
		for _, e := range newStream().end(status, "why") {
			if err := log.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(out.String(), "level="+want+" msg=runFinished") {
			t.Errorf("%s: got\n%s", status, &out)
		}
	}
}
