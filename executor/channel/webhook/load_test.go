package webhook_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/weft-flow/weft/executor/channel/webhook"
)

// keepAlive is a client whose connections are used again.
func keepAlive(t testing.TB, connections int) *http.Client {
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// send posts a signed message and gives the status.
func send(t testing.TB, client *http.Client, url, body string, fields []string) (int, error) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(fields); i += 2 {
		request.Header.Set(fields[i], fields[i+1])
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode, err
}

// TestStatement13DuplicatesAtOnceOverLoopback sends one message from 64 connections at
// once: each is acknowledged, and it is there once.
func TestStatement13DuplicatesAtOnceOverLoopback(t *testing.T) {
	const senders, each = 64, 10
	s := newStand(t, webhook.Source{Secrets: []string{secret}}, nil)
	l := listen(t, s.receiver, webhook.ListenOptions{})
	client := keepAlive(t, senders)
	const body = `{"ref":"1"}`
	fields := signed(t, secret, "x", noon, body)
	begin := make(chan struct{})
	var acknowledged atomic.Int64
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			<-begin
			for range each {
				status, err := send(t, client, l.URL()+path, body, fields)
				if err != nil || status != 202 {
					t.Errorf("%d, %v", status, err)
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()
	s.only()
	repeats, err := s.hub.Repeats(t.Context(), "run")
	if err != nil || len(repeats) != 1 || repeats[0].Same != senders*each-1 || acknowledged.Load() != senders*each {
		t.Errorf("%d acknowledged, repeats %+v, %v", acknowledged.Load(), repeats, err)
	}
}

// BenchmarkDuplicatesBesideNetHTTP sends a signed message again and again over loopback,
// to a receiver and to a handler that only reads it.
func BenchmarkDuplicatesBesideNetHTTP(b *testing.B) {
	s := newStand(b, webhook.Source{Secrets: []string{secret}}, nil)
	const body = `{"ref":"1"}`
	fields := signed(b, secret, "x", noon, body)
	for name, handler := range map[string]http.Handler{
		"receiver": s.receiver,
		"bare": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(http.StatusAccepted)
		}),
	} {
		b.Run(name, func(b *testing.B) {
			l, err := webhook.Listen(handler, webhook.ListenOptions{})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = l.Close(b.Context()) }()
			client := keepAlive(b, 16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if status, err := send(b, client, l.URL()+path, body, fields); err != nil || status != 202 {
						b.Errorf("%d, %v", status, err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			client.CloseIdleConnections()
		})
	}
}
