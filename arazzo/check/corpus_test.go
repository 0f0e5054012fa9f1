package check_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/arazzo/check"
	"github.com/weft-flow/weft/arazzo/source"
)

// TestForeignDescriptions reads the schemas of real descriptions: each of them is
// understood, or told as a gap.
func TestForeignDescriptions(t *testing.T) {
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE does not name a folder with foreign descriptions")
	}
	descriptions, bodies := 0, 0
	gaps := map[string]int{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		c := loadAny(t, path)
		if c == nil {
			return nil
		}
		descriptions++
		checker := new(check.Checker)
		for _, op := range c.Operations {
			bodies += probe(t, checker, op, gaps)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d descriptions, %d schemas", descriptions, bodies)
	for reason, count := range gaps {
		t.Logf("%4d %s", count, reason)
	}
	if descriptions < 10 || bodies < 100 {
		t.Errorf("only %d descriptions with %d schemas were found", descriptions, bodies)
	}
}

// loadAny gives the catalog of a file, nil where it is no OpenAPI description.
func loadAny(t *testing.T, path string) *source.Catalog {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if head := data[:min(len(data), 4096)]; !bytes.Contains(head, []byte("openapi")) && !bytes.Contains(head, []byte("swagger")) {
		return nil
	}
	text := fmt.Sprintf(`{"arazzo":"1.1.0","info":{"title":"t","version":"1"},"sourceDescriptions":[{"name":"api","url":%q}],"workflows":[]}`, "file://"+path)
	doc, _ := arazzo.Parse("flow.yaml", []byte(text))
	set, _ := source.NewLoader(source.Options{Offline: true}).Load(context.Background(), doc, "file:///flow.yaml")
	return set.Sources[0].OpenAPI
}

// probe sends each representation of an operation a body and counts the gaps.
func probe(t *testing.T, checker *check.Checker, op *source.Operation, gaps map[string]int) (probed int) {
	t.Helper()
	note := func(r check.Result) {
		probed++
		for _, g := range r.Gaps {
			gaps[g.Reason]++
		}
	}
	for _, described := range op.Responses {
		for _, m := range described.Content {
			if m.Schema == nil {
				continue
			}
			status := 299
			if _, err := fmt.Sscanf(described.Status, "%3d", &status); err != nil && described.Status != "default" {
				continue
			}
			header := map[string][]string{"Content-Type": {m.Type}}
			note(checker.Response(op, check.Response{Status: status, Header: header, Body: []byte(`{}`)}))
		}
	}
	if op.Body != nil {
		for _, m := range op.Body.Content {
			if m.Schema != nil {
				note(checker.Request(op, check.Request{Header: map[string][]string{"Content-Type": {m.Type}}, Body: []byte(`{}`)}))
			}
		}
	}
	return probed
}
