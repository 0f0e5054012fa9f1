package durable

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/weft-flow/weft/executor"
)

// waitingVariable says how many runs BenchmarkWaiting has wait, such as "10000".
const waitingVariable = "WEFT_BENCH_WAITING"

// BenchmarkWaiting has many runs wait for messages, and reports what each holds of the
// heap and of stacks, what all of them ask of the database in a second, over how many
// connections, and how long it takes to get there.
func BenchmarkWaiting(b *testing.B) {
	runs := 1000
	if text := os.Getenv(waitingVariable); text != "" {
		var err error
		if runs, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"o-1"}`)
	}))
	defer server.Close()
	for name, url := range benchDatabases(b) {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				if n > 0 {
					b.Fatal("runs that wait are not taken back: use -benchtime 1x")
				}
				haveWait(b, url, server.URL, runs)
			}
		})
	}
}

// haveWait has runs wait and reports what that takes.
func haveWait(b *testing.B, url, server string, runs int) {
	url, options, asked := counted(b, url)
	s := openStore(b, url, options)
	if err := s.Drive(b.Context(), DriveOptions{}); err != nil {
		b.Fatal(err)
	}
	spec := Spec{Bundle: flowBundle(b, waitFlow), Config: executor.Config{Servers: map[string]string{"": server}, Timeout: executor.NoTimeout}}
	start := func(ref string) {
		one := spec
		one.Inputs = inputs(b, fmt.Sprintf(`{"ref":%q}`, ref))
		if _, err := s.Start(b.Context(), one); err != nil {
			b.Error(err)
		}
	}
	start("first") // all runs share what was made for it
	awaitWaiting(b, s, 1)
	heap, stacks := inUse()
	began := time.Now()
	startAll(runs, start)
	started := time.Since(began)
	awaitWaiting(b, s, runs+1)
	all := time.Since(began)
	moreHeap, moreStacks := inUse()
	each := func(more, before uint64) float64 { return (float64(more) - float64(before)) / float64(runs) / 1024 }
	b.ReportMetric(started.Seconds(), "s-to-start")
	b.ReportMetric(all.Seconds(), "s-to-wait")
	b.ReportMetric(each(moreHeap, heap), "heap-KiB/run")
	b.ReportMetric(each(moreStacks, stacks), "stack-KiB/run")
	b.ReportMetric(each(moreHeap+moreStacks, heap+stacks), "KiB/run")
	b.ReportMetric(float64(connections(b, s)), "connections")
	const quiet = 10 * time.Second
	before := asked()
	time.Sleep(quiet)
	b.ReportMetric(float64(asked()-before)/quiet.Seconds(), "queries/s")
}

// startAll starts runs, some at a time.
func startAll(runs int, start func(ref string)) {
	const atOnce = 8
	refs := make(chan string)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for ref := range refs {
				start(ref)
			}
		})
	}
	for i := range runs {
		refs <- strconv.Itoa(i)
	}
	close(refs)
	all.Wait()
}

// awaitWaiting waits until so many runs wait.
func awaitWaiting(t testing.TB, s *Store, runs int) {
	t.Helper()
	for waiting := 0; waiting < runs; time.Sleep(100 * time.Millisecond) {
		if _, err := one(t.Context(), s.db, "SELECT count(*) FROM weft_run WHERE waiting <> ''", nil, &waiting); err != nil {
			t.Fatal(err)
		}
	}
}

// connections gives how many connections there are to the database of a store.
func connections(t testing.TB, s *Store) (n int) {
	t.Helper()
	if s.db.lite != nil {
		return s.db.lite.Stats().OpenConnections
	}
	_, err := one(t.Context(), s.db, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()", nil, &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func inUse() (heap, stacks uint64) {
	for range 6 { // each halves a stack that is mostly free
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, m.StackInuse
}
