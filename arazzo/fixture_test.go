package arazzo

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// fixture reads a file of testdata.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// conformance gives a folder of the conformance material, or skips.
func conformance(t testing.TB, folder string) string {
	t.Helper()
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("skipped: WEFT_CONFORMANCE does not say where the conformance material is")
	}
	return filepath.Join(root, folder)
}

// mustTree reads a text that has no faults.
func mustTree(t testing.TB, source string) *Node {
	t.Helper()
	root, faults := ParseTree([]byte(source))
	for _, f := range faults {
		t.Errorf("%q: unexpected fault: %v", source, f.Error())
	}
	if root == nil {
		t.Fatalf("%q: no tree", source)
	}
	return root
}

// walk calls visit for n and all beneath it, keys included.
func walk(n *Node, visit func(*Node)) {
	visit(n)
	for _, item := range n.Items {
		walk(item, visit)
	}
	for _, m := range n.Members {
		visit(m.Key)
		walk(m.Value, visit)
	}
}
