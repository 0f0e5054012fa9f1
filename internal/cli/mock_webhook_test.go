package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
	"github.com/weft-flow/weft/specs"
)

// TestMockSendsWebhooks lets weft mock send to a receiver of another program: signed, and
// twice, as a plan says.
func TestMockSendsWebhooks(t *testing.T) {
	t.Setenv("WEFT_WEBHOOK_SECRET", "whsec_c2VjcmV0IG9mIHRoZSBtb2Nr")
	dir := t.TempDir()
	if err := os.CopyFS(dir, specs.OrderFlow); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "faults.yaml"), `
faults:
  - {operation: paymentChanged, fault: webhook-doubled-same-id}
  - {operation: paymentChanged, occurrence: 2, fault: webhook-lost}
`)
	came := make(chan *http.Request, 2)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { came <- r }))
	defer receiver.Close()
	out, lines := io.Pipe()
	var errs bytes.Buffer
	done := make(chan int)
	go func() {
		code := cli.Run([]string{
			"mock", filepath.Join(dir, "orderflow", "order.arazzo.yaml"), "--webhooks", receiver.URL + "/hooks/", "--faults", filepath.Join(dir, "faults.yaml"),
		}, cli.Stdio{Out: lines, Err: &errs})
		_ = lines.Close()
		done <- code
	}()
	var base string
	for read := bufio.NewScanner(out); read.Scan(); {
		if name, url, ok := strings.Cut(read.Text(), " "); ok && name == "ledger" {
			base = strings.TrimSuffix(strings.TrimSpace(url), "/_weft/ledger")
			break
		}
	}
	if base == "" {
		t.Fatalf("it does not say where it listens: %s", &errs)
	}
	pay, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/payments/payments", strings.NewReader(`{"orderReference":"r-1","amount":"1.00","currency":"EUR"}`))
	if err != nil {
		t.Fatal(err)
	}
	pay.Header.Set("Content-Type", "application/json")
	pay.Header.Set("Idempotency-Key", "k")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if r, err := client.Do(pay); err != nil || r.StatusCode != http.StatusCreated {
		t.Fatalf("%+v, %v", r, err)
	} else {
		_ = r.Body.Close()
	}
	first, second := <-came, <-came
	for _, r := range []*http.Request{first, second} {
		if r.URL.Path != "/hooks/webhooks/payments/paymentChanged" || !strings.HasPrefix(r.Header.Get("webhook-signature"), "v1,") {
			t.Errorf("%s %+v", r.URL, r.Header)
		}
	}
	if first.Header.Get("webhook-id") == "" || first.Header.Get("webhook-id") != second.Header.Get("webhook-id") {
		t.Errorf("ids %q, %q", first.Header.Get("webhook-id"), second.Header.Get("webhook-id"))
	}
	interrupt(t)
	if code := <-done; code != 1 || !strings.Contains(errs.String(), "webhook-lost at message 2 of paymentChanged never fired: there was no message 2 of paymentChanged") {
		t.Errorf("exit code %d, want 1: %s", code, &errs)
	}
}
