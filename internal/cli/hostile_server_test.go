package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const hostileAPI = `
openapi: 3.1.0
info: {title: Hostile, version: "1"}
paths:
  /thing:
    get:
      operationId: read
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}}}}
    post:
      operationId: write
      responses: {"200": {description: ok, content: {application/json: {schema: {type: object}}}}}
`

const hostileFlow = `
arazzo: 1.1.0
info: {title: t, version: "1"}
sourceDescriptions: [{name: api, url: api.yaml, type: openapi}]
workflows:
- workflowId: w
  steps:
  - stepId: s
    operationId: OPERATION
    successCriteria:
    - condition: $statusCode == 200
    - {context: $response.body, type: jsonpath, condition: "$..id"}
    outputs: {body: $response.body#/id}
`

// megabyte is what the servers repeat.
var megabyte = bytes.Repeat([]byte{' '}, 1<<20)

// memoryLimit is how far the heap may grow in a run, in bytes, whatever a server
// sends and a document makes of it: some times the largest value that there can be,
// 16 MiB, which may be of millions of small ones: the report keeps what it tells
// until the end.
const memoryLimit = 1 << 30

// TestHostileServers: whatever a server sends, the run ends in time, within bounded
// memory, with a complete report that says what was wrong, and with the right exit
// code.
func TestHostileServers(t *testing.T) {
	bombBytes() // what it takes is not the run's
	tests := []struct {
		name       string
		answer     http.HandlerFunc
		code       int    // of a read
		afterwrite int    // of a write, the outcome of which may then be unknown
		says       string // on the console
	}{
		{"a body without end", endless, 1, 3, "larger than the limit of 10485760 bytes"},
		{"a body of 100 MB, announced", sized(100 << 20), 1, 3, "larger than the limit of 10485760 bytes"},
		{"a body of 100 MB, in chunks", chunks(100), 1, 3, "larger than the limit of 10485760 bytes"},
		{"a byte at a time", slow, 1, 3, "timeout"},
		{"a header and no body", silent, 1, 3, "timeout"},
		{"no gzip where gzip is announced", junkGzip, 1, 3, "the gzip encoding of the response is broken"},
		{"gzip that is cut off", cutGzip, 1, 3, "the gzip encoding of the response is broken"},
		{"200 MB within gzip", bomb, 1, 3, "larger than the limit of 10485760 bytes"},
		{"a body shorter than announced", written("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"id\":1}"), 1, 3, "broke off"},
		{"a body longer than announced", written("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"id\":1}{\"id\":2}HTTP/1.1 200 OK\r\n\r\n"), 0, 0, ""},
		{"two lengths", written("HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 9\r\n\r\n{\"id\":1}"), 1, 3, "unknown"},
		{"a length below nothing", written("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{\"id\":1}"), 1, 3, "unknown"},
		{"a chunk of no size", written("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}"), 1, 3, "unknown"},
		{"something that is no HTTP", written("220 mail.example.com ESMTP\r\n"), 1, 3, "unknown"},
		{"a closed connection", written(""), 1, 3, "unknown"},
		{"informational responses without end", hinting, 1, 3, "unknown"},
		{"text that is not UTF-8", respondJSON(http.StatusOK, "{\"id\":\"\xff\xfe\"}"), 1, 1, "not UTF-8"},
		{"names that stand twice", respondJSON(http.StatusOK, `{"id":1,"id":2}`), 1, 1, "stands twice"},
		{"a coding that nobody knows", codedIn("br"), 1, 1, `the coding "br" of the body is not understood`},
		{"JSON nested 100,000 deep", respondJSON(http.StatusOK, strings.Repeat(`{"id":`, 100_000)+"1"+strings.Repeat("}", 100_000)), 1, 1, "nested"},
		{"JSON that ends too soon", respondJSON(http.StatusOK, `{"id":`), 1, 1, "not JSON"},
		{"1,000 headers", headers(1000, 20), 0, 0, ""},
		{"2 MB of headers", headers(2000, 1000), 1, 3, "unknown"},
	}
	for _, test := range tests {
		for operation, code := range map[string]int{"read": test.code, "write": test.afterwrite} {
			t.Run(test.name+" to a "+operation, func(t *testing.T) {
				_, base := start(t, test.answer)
				limit := "10s" // a busy machine takes its time; what is to time out does so soon
				if test.says == "timeout" || test.says == "unknown" {
					limit = "700ms"
				}
				files := map[string]string{"flow.yaml": strings.Replace(hostileFlow, "OPERATION", operation, 1)}
				h := runHostile(t, files, base, "--step-timeout", limit)
				h.expect(t, code, test.says)
			})
		}
	}
}

// TestRedirectLoops end after a few redirects.
func TestRedirectLoops(t *testing.T) {
	loops := map[string]http.HandlerFunc{
		"to itself": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/thing", http.StatusFound) },
		"ever on": func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			http.Redirect(w, r, "/thing?n="+strconv.Itoa(n+1), http.StatusTemporaryRedirect)
		},
	}
	for name, answer := range loops {
		t.Run(name, func(t *testing.T) {
			server, base := start(t, answer)
			h := runHostile(t, map[string]string{"flow.yaml": strings.Replace(hostileFlow, "OPERATION", "read", 1)}, base)
			h.expect(t, 1, "redirect")
			if n := len(server.requests); n < 2 || n > 20 {
				t.Errorf("%d requests were made", n)
			}
		})
	}
}

// hostileRun is what came of a run against something hostile.
type hostileRun struct {
	code   int
	output string
	report string
	took   time.Duration
	grown  uint64 // of the heap at its highest, in bytes
}

// runHostile runs flow.yaml of the files with the limits that a careful user sets.
func runHostile(t *testing.T, files map[string]string, base string, more ...string) hostileRun {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), hostileAPI)
	for name, text := range files {
		writeFile(t, filepath.Join(dir, name), text)
	}
	report := filepath.Join(dir, "run.json")
	args := append([]string{"run", filepath.Join(dir, "flow.yaml"), "--server", base, "--json", report, "--step-timeout", "700ms"}, more...)
	h := hostileRun{}
	highest := watchHeap()
	began := time.Now()
	h.code, h.output = weft(args...)
	h.took, h.grown = time.Since(began), highest()
	h.output = strings.ReplaceAll(h.output, dir, "DIR") // the name of the test is in it
	h.report = readFile(t, report)
	return h
}

// watchHeap looks at the heap every few milliseconds until it is asked how far it
// grew. What the collector has not yet freed counts.
func watchHeap() (highest func() uint64) {
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	runtime.GC()
	before, peak := heap(), uint64(0)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			peak = max(peak, heap())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 {
		close(done)
		<-ended
		return max(peak, before) - before
	}
}

// expect holds what must be true of every run, and what is particular to this one.
func (h hostileRun) expect(t *testing.T, code int, says string) {
	t.Helper()
	if h.code != code || !strings.Contains(h.output, says) {
		t.Errorf("exit code %d, want %d and the word %q:\n%s", h.code, code, says, clipped(h.output))
	}
	if h.took > 2*time.Minute { // a hang, also on a slow machine under the race detector
		t.Errorf("the run took %v", h.took)
	}
	if h.grown > memoryLimit {
		t.Errorf("the heap grew by %d MiB", h.grown>>20)
	}
	t.Logf("%v, heap +%d MiB", h.took.Round(time.Millisecond), h.grown>>20)
	if strings.Contains(h.output, "panic") || strings.Contains(h.output, "goroutine ") {
		t.Errorf("a panic:\n%s", clipped(h.output))
	}
	if code == 2 {
		return // nothing ran
	}
	var report struct {
		Runs []struct {
			Result *struct{ Status string }
			Events []struct{ Type string }
		}
	}
	if err := json.Unmarshal([]byte(h.report), &report); err != nil {
		t.Fatalf("the report is no JSON: %v", err)
	}
	for _, run := range report.Runs {
		if run.Result == nil || len(run.Events) == 0 || run.Events[len(run.Events)-1].Type != "runFinished" {
			t.Error("the report is not complete")
		}
	}
	if len(report.Runs) != 1 {
		t.Errorf("the report has %d runs", len(report.Runs))
	}
}

func clipped(text string) string {
	if len(text) > 4000 {
		return text[:2000] + "\n…\n" + text[len(text)-2000:]
	}
	return text
}

func asJSON(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
}

func endless(w http.ResponseWriter, _ *http.Request) {
	asJSON(w)
	for {
		if _, err := w.Write(megabyte); err != nil {
			return
		}
	}
}

func chunks(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		asJSON(w)
		for range n {
			if _, err := w.Write(megabyte); err != nil {
				return
			}
		}
	}
}

func sized(n int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(n))
		chunks(n>>20)(w, r)
	}
}

// slow sends a byte whenever a moment is over, and never ends by itself.
func slow(w http.ResponseWriter, r *http.Request) {
	asJSON(w)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			_, _ = w.Write([]byte{' '})
			_ = http.NewResponseController(w).Flush()
		}
	}
}

func silent(w http.ResponseWriter, r *http.Request) {
	asJSON(w)
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func junkGzip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	respondJSON(http.StatusOK, `{"id":1}`)(w, r)
}

func zipped(plain func(io.Writer)) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	plain(w)
	_ = w.Close()
	return out.Bytes()
}

func cutGzip(w http.ResponseWriter, r *http.Request) {
	whole := zipped(func(w io.Writer) { _, _ = io.WriteString(w, `{"id":1}`) })
	w.Header().Set("Content-Encoding", "gzip")
	respondJSON(http.StatusOK, string(whole[:len(whole)-6]))(w, r)
}

var bombBytes = sync.OnceValue(func() []byte {
	return zipped(func(w io.Writer) {
		for range 200 {
			_, _ = w.Write(megabyte)
		}
	})
})

func bomb(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Encoding", "gzip")
	respondJSON(http.StatusOK, string(bombBytes()))(w, r)
}

// written writes bytes onto the connection and closes it.
func written(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

func hinting(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	for err == nil {
		_, err = io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n")
	}
}

func headers(n, size int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := range n {
			w.Header().Set(fmt.Sprintf("X-Field-%d", i), strings.Repeat("v", size))
		}
		respondJSON(http.StatusOK, `{"id":1}`)(w, r)
	}
}

// codedIn answers with content of a coding that was not asked for.
func codedIn(coding string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", coding)
		respondJSON(http.StatusOK, `{"id":1}`)(w, nil)
	}
}
