package cli_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/weft-flow/weft/internal/server"
)

// example is one call of curl on docs/serve.md.
type example struct {
	status             string // that it must have; empty: it is not run
	method, path, body string
	header             http.Header
}

var (
	shFence = regexp.MustCompile("(?s)```sh\n(.*?)```")
	words   = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)
)

// serveExamples reads the calls of curl.
func serveExamples(t *testing.T) (all []example) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range shFence.FindAllStringSubmatch(string(page), -1) {
		status := ""
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			if comment, ok := strings.CutPrefix(line, "# "); ok {
				status = strings.TrimSpace(comment)
				continue
			}
			all = append(all, readCurl(t, line, status))
			status = ""
		}
	}
	return all
}

func readCurl(t *testing.T, line, status string) example {
	t.Helper()
	e := example{status: status, header: http.Header{}}
	all := words.FindAllString(line, -1)
	for i := range all {
		all[i] = strings.Trim(all[i], `'"`)
	}
	if len(all) == 0 || all[0] != "curl" {
		t.Fatalf("%q is no call of curl", line)
	}
	for i := 1; i < len(all); i++ {
		switch all[i] {
		case "-N":
		case "-X":
			i++
			e.method = all[i]
		case "-H":
			i++
			name, text, _ := strings.Cut(all[i], ": ")
			e.header.Set(name, text)
		case "-d":
			i++
			e.body = all[i]
		default:
			path, ok := strings.CutPrefix(all[i], "$WEFT")
			if !ok {
				t.Fatalf("%q has the word %q", line, all[i])
			}
			e.path = path
		}
	}
	if e.method == "" && e.body != "" {
		e.method = http.MethodPost
	} else if e.method == "" {
		e.method = http.MethodGet
	}
	return e
}

// TestTheExamplesOfServeAreDescribed holds the calls against the API's description.
func TestTheExamplesOfServeAreDescribed(t *testing.T) {
	described, err := openapi3.NewLoader().LoadFromData(server.Description)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, e := range serveExamples(t) {
		path, _, _ := strings.Cut(strings.NewReplacer("$RUN", "{run}", "placeOrder/order-7", "{workflow}/{token}").Replace(e.path), "?")
		if strings.HasPrefix(path, "/webhooks/") {
			continue
		}
		seen++
		item := described.Paths.Value(path)
		if item == nil || item.GetOperation(e.method) == nil {
			t.Errorf("there is no %s %s", e.method, path)
			continue
		}
		request := item.GetOperation(e.method).RequestBody
		if e.body == "" || request == nil || request.Value.Content["application/json"] == nil {
			continue
		}
		var body any
		if err := json.Unmarshal([]byte(e.body), &body); err != nil {
			t.Errorf("%s: %v", e.body, err)
			continue
		}
		if err := request.Value.Content["application/json"].Schema.Value.VisitJSON(body, openapi3.EnableJSONSchema2020()); err != nil {
			t.Errorf("%s: %v", e.body, err)
		}
	}
	if seen < 10 {
		t.Fatalf("%d examples were seen", seen)
	}
}

// TestTheExamplesOfServeRun makes the calls of the page against the bundled order flow.
func TestTheExamplesOfServeRun(t *testing.T) {
	s := newShop(t)
	if out, err := exec.Command("weft", "init", filepath.Join(s.dir, "shop")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	servers := s.playAPIs("shop/order.arazzo.yaml")
	p := s.serve(nil, "--server", "orders="+servers["orders"], "--server", "payments="+servers["payments"], "shop")
	run, ran := "", 0
	for _, e := range serveExamples(t) {
		if e.status == "" {
			continue
		}
		ran++
		if strings.HasSuffix(e.path, "paymentChanged") {
			p.untilWaiting(run)
		}
		request, err := http.NewRequestWithContext(t.Context(), e.method, p.base+strings.ReplaceAll(e.path, "$RUN", run), strings.NewReader(e.body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = e.header
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || !strings.HasPrefix(response.Status, e.status) {
			t.Fatalf("%s %s: %s, want %s: %s (%v)", e.method, e.path, response.Status, e.status, text, err)
		}
		var answer struct{ Run, Status string }
		if json.Unmarshal(text, &answer) == nil && run == "" {
			run = answer.Run
		}
		if strings.HasSuffix(e.path, "/result") && answer.Status != "succeeded" {
			t.Errorf("the run ends as %s", text)
		}
	}
	if ran < 8 {
		t.Fatalf("%d examples were run", ran)
	}
}

// playAPIs plays the APIs of a document, and gives their servers by source.
func (s *shop) playAPIs(document string) map[string]string {
	s.Helper()
	cmd := exec.Command("weft", "mock", document)
	cmd.Dir = s.dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	servers := map[string]string{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		name, url, _ := strings.Cut(lines.Text(), " ")
		servers[name] = strings.TrimSpace(url)
		if name == "ledger" {
			return servers
		}
	}
	s.Fatal("the mock ends")
	return nil
}
