// Package report folds the stream of events of a run into what people and
// programs read: lines on a console while the run goes on, one JSON document, a
// JUnit report, and an HTTP archive (HAR).
//
// A reporter is an executor.Sink. It takes what it shows from events alone: it has
// no clock, and asks nobody. The package imports executor, idempotency and
// arazzo/value, and must never know how runs are made, or which flags asked for a
// report. Secrets are masked before an event is made; nothing here adds one.
package report
