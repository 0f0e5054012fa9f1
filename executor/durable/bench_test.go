package durable

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
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

// BenchmarkCallsBesideCommits makes keyed POSTs in one run, and reports calls a second and
// the share that is kept of the rate of bare commits, two for each call. These are made in
// between, one pair while each request is answered, so that both meet the same disk and
// the same load. It counts from the first request on: how long a run stands in line is not
// what a call takes. What the processor does for both says more than the clock where other
// work keeps the machine busy.
func BenchmarkCallsBesideCommits(b *testing.B) {
	for name, url := range benchDatabases(b) {
		b.Run(name, func(b *testing.B) {
			s := openStore(b, url, Options{})
			if err := s.Drive(b.Context(), DriveOptions{}); err != nil {
				b.Fatal(err)
			}
			if _, err := s.db.exec(b.Context(), "CREATE TABLE IF NOT EXISTS bare (n integer, t text)"); err != nil {
				b.Fatal(err)
			}
			var began, all, bare spent
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if now := spentNow(); began.wall == 0 {
					began = now
				} else if err := commitTwice(b.Context(), s); err != nil {
					b.Error(err)
				} else {
					bare.addSince(now)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusCreated)
				_, _ = io.WriteString(w, `{"id":"o-1","more":true}`)
			}))
			defer server.Close()
			const calls = 301 // the first only begins
			spec := Spec{Bundle: flowBundle(b, loopFlow), Config: executor.Config{Servers: map[string]string{"": server.URL}, MaxSteps: calls}}
			for b.Loop() {
				began = spent{}
				started, err := s.Start(b.Context(), spec)
				if err != nil {
					b.Fatal(err)
				}
				result, err := s.Wait(b.Context(), started.Run)
				if err != nil || result.Counts.Requests != calls {
					b.Fatalf("%+v, %v", result, err)
				}
				all.addSince(began)
			}
			woven := spent{all.wall - bare.wall, all.processor - bare.processor}
			n := float64(b.N * (calls - 1))
			b.ReportMetric(n/woven.wall.Seconds(), "calls/s")
			b.ReportMetric(bare.wall.Seconds()/woven.wall.Seconds(), "of-commits")
			b.ReportMetric(1000*woven.processor.Seconds()/n, "cpu-ms/call")
			b.ReportMetric(1000*bare.processor.Seconds()/n, "cpu-ms/commits")
		})
	}
}

func commitTwice(ctx context.Context, s *Store) error {
	for n := range 2 {
		err := s.db.within(ctx, func(tx *transaction) error {
			_, err := tx.exec(context.WithoutCancel(ctx), "INSERT INTO bare (n, t) VALUES ($1, $2)", n, "a record of a few bytes")
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// spent is what was spent of time, and of the time of processors by this process.
type spent struct{ wall, processor time.Duration }

var processBegan = time.Now()

func spentNow() spent {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // it never fails
	}
	return spent{time.Since(processBegan), time.Duration(usage.Utime.Nano() + usage.Stime.Nano())}
}

func (s *spent) addSince(began spent) {
	now := spentNow()
	s.wall += now.wall - began.wall
	s.processor += now.processor - began.processor
}

func benchDatabases(b *testing.B) map[string]string {
	urls := map[string]string{"sqlite": "sqlite:" + filepath.Join(b.TempDir(), "weft.db")}
	if os.Getenv("WEFT_TEST_POSTGRES") != "" {
		urls["postgres"] = freshPostgres(b)
	}
	return urls
}
