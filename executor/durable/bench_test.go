package durable

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

const loopFlow = `
workflows:
- workflowId: loop
  steps:
  - stepId: order
    operationId: createOrder
    requestBody: {contentType: application/json, payload: {ref: "1"}}
    successCriteria: [{condition: $statusCode == 201}]
    onSuccess: [{name: again, type: goto, stepId: order, criteria: [{condition: "$response.body#/more == true"}]}]
`

// BenchmarkCallsBesideCommits makes keyed POSTs in one run, and as many bare commits
// beside, two for each call, and reports calls a second and the share of the commits'
// rate that is kept.
func BenchmarkCallsBesideCommits(b *testing.B) {
	const calls = 300
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"o-1","more":true}`)
	}))
	defer server.Close()
	for name, url := range benchDatabases(b) {
		b.Run(name, func(b *testing.B) {
			bundle := flowBundle(b, loopFlow)
			s := openStore(b, url, Options{})
			if err := s.Drive(b.Context(), DriveOptions{}); err != nil {
				b.Fatal(err)
			}
			if _, err := s.db.exec(b.Context(), "CREATE TABLE IF NOT EXISTS bare (n integer, t text)"); err != nil {
				b.Fatal(err)
			}
			var woven, bare time.Duration
			for b.Loop() {
				began := time.Now()
				spec := Spec{Bundle: bundle, Config: executor.Config{Servers: map[string]string{"": server.URL}, MaxSteps: calls}}
				started, err := s.Start(b.Context(), spec)
				if err != nil {
					b.Fatal(err)
				}
				result, err := s.Wait(b.Context(), started.Run)
				if err != nil || result.Counts.Requests != calls {
					b.Fatalf("%+v, %v", result, err)
				}
				woven += time.Since(began)
				began = time.Now()
				for n := range 2 * calls {
					err := s.db.within(b.Context(), func(tx *transaction) error {
						_, err := tx.exec(context.WithoutCancel(b.Context()), "INSERT INTO bare (n, t) VALUES ($1, $2)", n, "a record of a few bytes")
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
				bare += time.Since(began)
			}
			b.ReportMetric(float64(calls*b.N)/woven.Seconds(), "calls/s")
			b.ReportMetric(bare.Seconds()/woven.Seconds(), "of-commits")
		})
	}
}

func benchDatabases(b *testing.B) map[string]string {
	urls := map[string]string{"sqlite": "sqlite:" + filepath.Join(b.TempDir(), "weft.db")}
	if os.Getenv("WEFT_TEST_POSTGRES") != "" {
		urls["postgres"] = freshPostgres(b)
	}
	return urls
}
