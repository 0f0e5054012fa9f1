package server

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what Prometheus is told.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	starts    *prometheus.CounterVec
	messages  *prometheus.CounterVec
	attempts  *prometheus.CounterVec
	withheld  *prometheus.CounterVec
	ended     *prometheus.CounterVec
	handler   http.Handler
}

func newMetrics(runs Runs) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_http_requests_total", Help: "Requests that were answered, by route, method and status.",
		}, []string{"route", "method", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "weft_http_request_duration_seconds", Help: "How long answers took, streams and waits included.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60},
		}, []string{"route", "method"}),
		starts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_starts_total", Help: "Starts of runs, by outcome: started, again, joined, held, mismatch, uncertain, unavailable or invalid.",
		}, []string{"outcome"}),
		messages: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_messages_total", Help: "Messages that came in, by outcome: stored, duplicate, conflicting, unmatched, late, gone, full, unknown, refused or failed.",
		}, []string{"outcome"}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_attempts_total", Help: "Requests of runs that this node made, by the outcome class of the attempt.",
		}, []string{"class"}),
		withheld: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_repeats_withheld_total", Help: "Repeats that documents ask for and that were not made, by cause: budget, or rule.",
		}, []string{"cause"}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "weft_runs_ended_total", Help: "Runs that this node brought to their end, by status.",
		}, []string{"status"}),
	}
	healthy := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "weft_node_healthy", Help: "1 where this node may send requests, 0 where its lease is over.",
	}, func() float64 {
		if runs.Health() != nil {
			return 0
		}
		return 1
	})
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.durations, m.starts, m.messages, m.attempts, m.withheld, m.ended, healthy, &counted{runs: runs},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

// count counts the requests of a route.
func (m *metrics) count(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		answer := &observed{ResponseWriter: w}
		defer func() {
			method := methodOf(r)
			m.requests.WithLabelValues(route, method, strconv.Itoa(answer.code())).Inc()
			m.durations.WithLabelValues(route, method).Observe(time.Since(began).Seconds())
		}()
		next.ServeHTTP(answer, r)
	})
}

// methodOf gives the method of a request, if it is one of HTTP's: a caller must not be
// able to make labels.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	default:
		return "other"
	}
}

// observed remembers the status of an answer.
type observed struct {
	http.ResponseWriter
	status int
}

// WriteHeader remembers the status.
func (o *observed) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (o *observed) Unwrap() http.ResponseWriter { return o.ResponseWriter }

func (o *observed) code() int {
	if o.status == 0 {
		return http.StatusOK
	}
	return o.status
}

func (s *Server) writeMetrics(w http.ResponseWriter, r *http.Request) error {
	s.metrics.handler.ServeHTTP(w, r)
	return nil
}
