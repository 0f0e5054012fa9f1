package lint

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo"
)

// conformance gives a folder of the conformance data, or skips the test.
func conformance(t *testing.T, folder string) string {
	t.Helper()
	root := os.Getenv("WEFT_CONFORMANCE")
	if root == "" {
		t.Skip("WEFT_CONFORMANCE is not set: the conformance data is not at hand")
	}
	return filepath.Join(root, folder)
}

// documents lists the YAML and JSON files beneath a folder of the conformance data.
func documents(t *testing.T, folder string) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(conformance(t, folder), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && isDocumentName(path) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// official gives the official schema tests, with whether each is valid.
func official(t *testing.T) map[string]bool {
	t.Helper()
	valid := make(map[string]bool)
	for _, path := range documents(t, "oai/pass") {
		valid[path] = true
	}
	for _, path := range documents(t, "oai/fail") {
		valid[path] = false
	}
	if len(valid) != 62 {
		t.Fatalf("there are %d official schema tests, expected 62", len(valid))
	}
	return valid
}

func TestOfficialSchemaTests(t *testing.T) {
	for path, valid := range official(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			result, err := Run(context.Background(), []Input{{Path: path}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := result.Count(Error) == 0; got != valid {
				t.Errorf("valid: got %t, want %t: %v", got, valid, result.Files[0].Diagnostics)
			}
		})
	}
}

func TestOfficialSchemaTestsByTheSchemaAlone(t *testing.T) {
	s := newShapes()
	for path, valid := range official(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			faults := bySchema(t, s, path)
			if got := len(faults) == 0; got != valid {
				t.Errorf("valid: got %t, want %t: %v", got, valid, faults)
			}
		})
	}
}

// bySchema gives what the JSON Schema of 1.1 alone says of a file.
func bySchema(t *testing.T, s *shapes, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root, faults := arazzo.ParseTree(data)
	if root == nil {
		return []string{fmt.Sprint(faults)}
	}
	version := arazzo.Version11
	if v := root.Get("arazzo"); v != nil && strings.HasPrefix(v.Text, "1.0") {
		version = arazzo.Version10
	}
	found, err := s.check(&arazzo.Document{Node: root, Version: version})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, f.Pointer+": "+f.Message)
	}
	return out
}

// disagreements are the files on which the parser and the JSON Schema differ by
// right, with the reason.
var disagreements = map[string]string{
	"01-basic-sequential.arazzo.yaml": "only the schema looks into the JSON Schema of inputs, where required: true is wrong",
}

func TestParserAndSchemaAgree(t *testing.T) {
	s := newShapes()
	paths := append(documents(t, "oai"), documents(t, "corpus")...)
	compared := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !looksLikeArazzo(data) {
			continue
		}
		document, faults := arazzo.Parse(path, data)
		if document == nil {
			continue // nothing that a schema could look at
		}
		compared++
		parsed := 0
		for _, f := range faults {
			if f.Rule != "yaml-merge" {
				parsed++
			}
		}
		found := bySchema(t, s, path)
		_, excused := disagreements[filepath.Base(path)]
		if agree := (parsed > 0) == (len(found) > 0); agree == excused {
			t.Errorf("%s: excused %t, the parser says %v, the schema says %v", path, excused, faults, found)
		}
	}
	t.Logf("compared %d documents", compared)
}

func TestRealDocuments(t *testing.T) {
	var inputs []Input
	for _, path := range append(documents(t, "corpus"), documents(t, "oai/examples")...) {
		inputs = append(inputs, Input{Path: path, Found: true})
	}
	result, err := Run(context.Background(), inputs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	findings := 0
	for _, file := range result.Files {
		for _, d := range file.Diagnostics {
			findings++
			if d.Message == "" || d.Rule == "" || d.Span.Start.Line < 1 || d.Span.End.Offset < d.Span.Start.Offset {
				t.Errorf("%s: %+v", file.Path, d)
			}
		}
	}
	t.Logf("%d findings in %d Arazzo documents among %d files", findings, len(result.Files), len(inputs))
}
