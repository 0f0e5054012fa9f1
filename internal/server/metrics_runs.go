package server

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/weft-flow/weft/executor"
	"github.com/weft-flow/weft/executor/durable"
	"github.com/weft-flow/weft/idempotency"
)

// event counts what happens in the runs that this node executes.
func (m *metrics) event(e executor.Event) {
	switch d := e.Detail.(type) {
	case executor.AttemptFinished:
		m.attempts.WithLabelValues(string(d.Attempt)).Inc()
	case executor.RetryWithheld:
		cause := "rule"
		if d.Reason == idempotency.ReasonBudget {
			cause = "budget"
		}
		m.withheld.WithLabelValues(cause).Inc()
	case executor.RunFinished:
		m.ended.WithLabelValues(string(d.Result.Status)).Inc()
	}
}

var (
	runsByState = prometheus.NewDesc("weft_runs", "Runs of the store, of all nodes, by state: accepted, running or ended.", []string{"state"}, nil)
	runsParked  = prometheus.NewDesc("weft_runs_parked", "Runs that something keeps from being executed.", nil, nil)
	runsWaiting = prometheus.NewDesc("weft_runs_waiting", "Runs that wait, by what for: a message, or a time.", []string{"for"}, nil)
)

// countedFor is how long a count of runs holds: whoever asks all the time costs the
// database no more.
const countedFor = 5 * time.Second

// counted counts the runs of the store when it is asked. Where the store does not
// answer, it tells nothing of them.
type counted struct {
	runs Runs

	mu   sync.Mutex
	at   time.Time
	last durable.Counts
	good bool
}

// Describe tells what is counted (prometheus.Collector).
func (c *counted) Describe(to chan<- *prometheus.Desc) {
	to <- runsByState
	to <- runsParked
	to <- runsWaiting
}

// Collect counts (prometheus.Collector).
func (c *counted) Collect(to chan<- prometheus.Metric) {
	n, good := c.count()
	if !good {
		return
	}
	gauge := func(d *prometheus.Desc, count int, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(count), labels...)
	}
	gauge(runsByState, n.Accepted, string(idempotency.Accepted))
	gauge(runsByState, n.Running, string(idempotency.Running))
	gauge(runsByState, n.Ended, string(idempotency.Ended))
	gauge(runsParked, n.Parked)
	gauge(runsWaiting, n.AwaitingMessage, "message")
	gauge(runsWaiting, n.Sleeping, "time")
}

func (c *counted) count() (durable.Counts, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.at) < countedFor {
		return c.last, c.good
	}
	ctx, cancel := context.WithTimeout(context.Background(), countedFor)
	defer cancel()
	n, err := c.runs.Count(ctx)
	c.at, c.last, c.good = time.Now(), n, err == nil
	return c.last, c.good
}
