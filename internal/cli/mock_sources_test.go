package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// TestMockOfSourcesOfOneName plays both, each under a name of its own, and says which is
// which; what nobody broke ends well.
func TestMockOfSourcesOfOneName(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"x", "y"} {
		writeFile(t, filepath.Join(dir, name+".api.yaml"), "openapi: 3.1.0\ninfo: {title: A, version: '1'}\npaths: {/"+name+": {get: {operationId: get"+name+", responses: {'204': {description: ok}}}}}\n")
		files = append(files, filepath.Join(dir, name+".yaml"))
		writeFile(t, files[len(files)-1], "arazzo: 1.0.1\ninfo: {title: A, version: '1'}\nsourceDescriptions: [{name: a, url: "+name+".api.yaml, type: openapi}]\nworkflows: [{workflowId: w, steps: [{stepId: s, operationId: get"+name+"}]}]\n")
	}
	out, lines := io.Pipe()
	var errs bytes.Buffer
	done := make(chan int)
	go func() {
		code := cli.Run(append([]string{"mock"}, files...), cli.Stdio{Out: lines, Err: &errs})
		_ = lines.Close()
		done <- code
	}()
	played := map[string]string{}
	for read := bufio.NewScanner(out); played["ledger"] == "" && read.Scan(); {
		name, url, _ := strings.Cut(read.Text(), " ")
		played[name] = strings.TrimSpace(url)
	}
	for _, url := range []string{played["a"] + "/x", played["a-2"] + "/y"} {
		r, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Body.Close()
		if r.StatusCode != http.StatusNoContent {
			t.Errorf("GET %s: %d", url, r.StatusCode)
		}
	}
	interrupt(t)
	code := <-done
	want := `a-2 is the source "a" that was read from ` + filepath.Join(dir, "y.api.yaml")
	if code != 0 || !strings.Contains(errs.String(), want) {
		t.Errorf("exit code %d, want 0: %s, want %s", code, &errs, want)
	}
}
