package report

import (
	"context"
	"log/slog"
	"net/url"

	"github.com/weft-flow/weft/executor"
)

// Log writes events to a structured log, for those who watch many runs: what went
// wrong as errors and warnings, requests and how runs and workflows end as
// information, all else for debugging. Header fields, bodies, inputs and outputs are
// in the other reports. It is an executor.Sink.
type Log struct{ logger *slog.Logger }

// NewLog gives a Log that writes through the logger.
func NewLog(logger *slog.Logger) *Log { return &Log{logger} }

// Write takes the next event. It fails where the log cannot be written.
func (l *Log) Write(e executor.Event) error {
	level, attributes := logged(e.Detail)
	ctx := context.Background()
	if !l.logger.Enabled(ctx, level) {
		return nil
	}
	where := []slog.Attr{slog.String("run", e.Run)}
	for _, part := range []struct{ name, text string }{{"workflow", e.Workflow}, {"step", e.Step}} {
		if part.text != "" {
			where = append(where, slog.String(part.name, part.text))
		}
	}
	if e.Activation > 0 {
		where = append(where, slog.Int("activation", e.Activation))
	}
	if e.Attempt > 0 {
		where = append(where, slog.Int("attempt", e.Attempt))
	}
	record := slog.NewRecord(e.Time, level, e.Detail.Type(), 0)
	record.AddAttrs(append(where, attributes...)...)
	return l.logger.Handler().Handle(ctx, record)
}

// logged gives the level of an event, and what is particular to it.
func logged(d executor.Detail) (slog.Level, []slog.Attr) {
	switch d := d.(type) {
	case executor.RunStarted:
		return slog.LevelInfo, []slog.Attr{slog.String("document", d.Document), slog.Any("origins", d.Origins)}
	case executor.RunFinished:
		return levelOf(d.Result.Status), withReason(d.Result.Reason, slog.String("status", string(d.Result.Status)), slog.Int("requests", d.Result.Counts.Requests))
	case executor.WorkflowFinished:
		return levelOf(d.Status), withReason(d.Reason, slog.String("id", d.ID), slog.String("status", string(d.Status)))
	case executor.AttemptFinished:
		return slog.LevelInfo, loggedAttempt(d)
	case executor.StepFinished:
		return slog.LevelDebug, withReason(d.Reason, slog.Bool("succeeded", d.Succeeded))
	case executor.CriterionEvaluated:
		return slog.LevelDebug, withReason(d.Fault, slog.String("condition", d.Condition), slog.Bool("passed", d.Passed))
	case executor.ActionChosen:
		return slog.LevelInfo, []slog.Attr{slog.String("action", d.Name), slog.String("kind", d.Kind), slog.String("target", d.Target)}
	case executor.RetryScheduled:
		return slog.LevelInfo, []slog.Attr{slog.String("action", d.Action), slog.Duration("after", d.After)}
	case executor.RetryWithheld:
		return slog.LevelWarn, withReason(d.Reason, slog.String("action", d.Action))
	case executor.ContractFinding:
		return slog.LevelWarn, []slog.Attr{slog.String("of", d.Of), slog.String("kind", d.Kind), slog.String("message", d.Message)}
	case executor.StateMoved:
		return slog.LevelInfo, []slog.Attr{slog.String("from", d.From), slog.String("to", d.To)}
	case executor.StateRefused:
		return slog.LevelWarn, withReason(d.Reason, slog.String("state", d.State), slog.String("to", d.To))
	case executor.OperationSettled:
		return slog.LevelInfo, []slog.Attr{slog.String("outcome", string(d.Outcome)), slog.String("by", d.By)}
	case executor.Notice:
		return slog.LevelWarn, []slog.Attr{slog.String("message", d.Message)}
	default:
		return slog.LevelDebug, nil
	}
}

// loggedAttempt leaves the query out of the URL: the other reports have it.
func loggedAttempt(d executor.AttemptFinished) []slog.Attr {
	attributes := []slog.Attr{slog.String("method", d.Sent.Method), slog.String("class", string(d.Attempt)), slog.Duration("took", d.Duration)}
	if u, err := url.Parse(d.Sent.URL); err == nil {
		attributes = append(attributes, slog.String("server", u.Host), slog.String("path", u.Path))
	}
	if d.Response != nil {
		attributes = append(attributes, slog.Int("status", d.Response.Status))
	}
	if d.Refused != "" {
		return withReason(d.Refused, attributes...)
	}
	return withReason(d.Reason, attributes...)
}

func levelOf(s executor.Status) slog.Level {
	switch s {
	case executor.Failed, executor.Unknown:
		return slog.LevelError
	case executor.Cancelled, executor.Recovered:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

func withReason(reason string, attributes ...slog.Attr) []slog.Attr {
	if reason == "" {
		return attributes
	}
	return append(attributes, slog.String("reason", reason))
}
