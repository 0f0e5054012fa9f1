package cli_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/internal/cli"
)

// TestEmptyInputsAreToldAsSuch, not as a document that is empty.
func TestEmptyInputsAreToldAsSuch(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "api.yaml"), securedAPI)
	writeFile(t, filepath.Join(dir, "flow.yaml"), securedFlow)
	var out bytes.Buffer
	code := cli.Run([]string{"run", filepath.Join(dir, "flow.yaml"), "--server", "http://127.0.0.1:1", "--inputs", "-"},
		cli.Stdio{In: strings.NewReader(" \n"), Out: &out, Err: &out})
	if code != 2 || !strings.Contains(out.String(), "--inputs -: there are no inputs in it, it is empty; expected an object") {
		t.Errorf("exit code %d:\n%s", code, &out)
	}
}
