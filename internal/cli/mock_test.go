package cli_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// TestMockOverHTTPS plays faults of HTTP/2 to a client of another program: it trusts the
// authority that was written, and at the end it is told what never fired.
func TestMockOverHTTPS(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), payAPI)
	writeFile(t, filepath.Join(dir, "flow.yaml"), strings.Replace(payFlow, "OPERATION", "keyed", 1))
	writeFile(t, filepath.Join(dir, "faults.yaml"), `
faults:
  - {operation: keyed, fault: h2-refused-stream}
  - {operation: keyless, fault: h2-goaway}
`)
	authority := filepath.Join(dir, "ca.pem")
	out, lines := io.Pipe()
	var errs bytes.Buffer
	done := make(chan int)
	go func() {
		code := cli.Run([]string{
			"mock", filepath.Join(dir, "flow.yaml"), "--faults", filepath.Join(dir, "faults.yaml"), "--ca", authority,
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
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(readFile(t, authority)))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	post := func() (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(`{"amount":1}`)) // one that cannot be sent again unseen
		return client.Post(base+"/api/keyed", "application/json", body)
	}
	if r, err := post(); err == nil {
		t.Errorf("the first request was answered with %d", r.StatusCode)
		_ = r.Body.Close()
	} else if !strings.Contains(err.Error(), "REFUSED_STREAM") {
		t.Errorf("the first request: %v", err)
	}
	if r, err := post(); err != nil || r.StatusCode != http.StatusCreated || r.ProtoMajor != 2 {
		t.Errorf("the second request: %+v, %v", r, err)
	} else {
		_ = r.Body.Close()
	}
	interrupt(t)
	if code := <-done; code != 1 || !strings.Contains(errs.String(), "h2-goaway at request 1 to keyless never fired") {
		t.Errorf("exit code %d, want 1: %s", code, &errs)
	}
}
