package contract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStrangersModule holds that a module of somebody else can use the package: its tests
// are built and run as they would be there, without a network. It needs nothing but Go
// and what the tests of this module have needed already.
func TestStrangersModule(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "testdata", "contract", "module"))); err != nil {
		t.Fatal(err)
	}
	rewrite(t, filepath.Join(dir, "go.mod"), "=> ../../..", "=> "+root)
	addRequirements(t, filepath.Join(dir, "go.mod"), filepath.Join(root, "go.mod"))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644); err != nil {
		t.Fatal(err)
	}
	goTest := func(args ...string) (string, error) {
		cmd := exec.Command("go", append([]string{"test"}, args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := goTest("-count=1", "-v", "./..."); err != nil || !strings.Contains(out, "--- PASS: TestALostAnswerDoesNotPayTwice") {
		t.Fatalf("%v\n%s", err, out)
	}

	// A claim that does not hold fails there as it does anywhere.
	rewrite(t, filepath.Join(dir, "order_test.go"), `run.Output("state", "PAID")`, `run.Output("state", "OPEN")`)
	out, err := goTest("-count=1", "-run", "TestAnOrderIsPaidAndShipped", "./...")
	if err == nil || !strings.Contains(out, `order_test.go:27: testdata/order.arazzo.yaml: order: output "state" = "PAID", want "OPEN"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

func rewrite(t *testing.T, file, old, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not have %q", file, old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, to, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// addRequirements lists in a go.mod what this module requires, as go mod tidy would: then
// nothing has to be looked up.
func addRequirements(t *testing.T, file, from string) {
	t.Helper()
	own, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	out := string(own) + "\nrequire (\n"
	for line := range strings.Lines(string(ours)) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "\t") && len(fields) >= 2 && strings.HasPrefix(fields[1], "v") && !strings.Contains(string(own), fields[0]+" ") {
			out += "\t" + fields[0] + " " + fields[1] + " // indirect\n"
		}
	}
	if err := os.WriteFile(file, []byte(out+")\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
