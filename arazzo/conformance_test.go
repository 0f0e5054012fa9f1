package arazzo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOfficialDocumentsThatPass(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(conformance(t, "oai/pass"), "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, path := range paths {
		for _, f := range parseFile(t, path) {
			if f.Rule != "yaml-merge" {
				t.Errorf("%s: %v", filepath.Base(path), f.Error())
			}
		}
	}
}

func TestOfficialDocumentsThatFail(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(conformance(t, "oai/fail"), "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, path := range paths {
		if len(parseFile(t, path)) == 0 {
			t.Errorf("%s: no fault", filepath.Base(path))
		}
	}
}

// TestRealDocuments reads public documents: those that the official schema
// accepts have no faults, and the broken one has its fault at its place.
func TestRealDocuments(t *testing.T) {
	corpus := conformance(t, "corpus")
	index, err := os.ReadFile(filepath.Join(corpus, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
		columns := strings.Split(line, "\t")
		path := filepath.Join(corpus, strings.Replace(columns[0], "/", "__", 1), columns[1])
		faults := parseFile(t, path)
		switch columns[4] {
		case "y":
			for _, f := range faults {
				t.Errorf("%s: %v", columns[1], f.Error())
			}
		case "unparseable":
			if len(faults) != 1 || faults[0].Span.Start.Line != 72 || faults[0].Span.Start.Column != 8 {
				t.Errorf("%s: got %v, want one fault at 72:8", columns[1], faults)
			}
		}
	}
}

// TestSpansOfRealDocuments cuts every node of the public documents out of its
// file and reads it alone.
func TestSpansOfRealDocuments(t *testing.T) {
	for _, folder := range []string{"corpus", "oai", "exec", "lint"} {
		err := filepath.WalkDir(conformance(t, folder), func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".yaml" || strings.Contains(path, "openapi") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if root, _ := ParseTree(data); root != nil {
				walk(root, func(n *Node) {
					if n.Parent() == root || n.Items == nil && n.Members == nil {
						checkSpan(t, string(data), n)
					}
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func parseFile(t *testing.T, path string) []Fault {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, faults := Parse(path, data)
	return faults
}
