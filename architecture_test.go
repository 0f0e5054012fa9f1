package weft_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/weft-flow/weft/"

// layers lists the packages from the ground up. A package may import those of
// lower layers, never those of its own. A name with /... stands
// for all packages beneath it.
var layers = [][]string{
	{"arazzo/value", "arazzo/pattern", "specs", "idempotency", "internal/circle", "internal/junit", "internal/spelling"},
	{"arazzo/expression", "arazzo/selector", "arazzo/schema", "idempotency/internal/relational"},
	{"arazzo"},
	{"arazzo/dynamic", "arazzo/source/asyncapi"},
	{"arazzo/source"},
	{"arazzo/check", "arazzo/correlation", "arazzo/keying", "lint/reason"},
	{"lint", "executor"},
	{"executor/channel"},
	{
		"lint/format", "lint/rules", "executor/httpcall", "executor/channel/...", "executor/mock", "executor/report", "executor/credential",
		"idempotency/memory", "idempotency/sqlite", "idempotency/postgres", "idempotency/middleware", "idempotency/storetest",
	},
	{"executor/live", "executor/sim", "executor/durable"},
	{"executor/contract"},
	{"internal/config", "internal/server"},
	{"internal/cli"},
	{"cmd/weft"},
}

// never lists imports that the order would allow and the architecture does not.
var never = map[string][]string{
	"specs":           {"arazzo", "lint", "executor", "idempotency"},
	"idempotency":     {"arazzo", "executor", "specs"},
	"executor/mock":   {"executor"}, // it plays servers and does not know who calls
	"executor":        {"specs"},
	"executor/report": {"arazzo/source"},
}

func layerOf(pkg string) int {
	for i, layer := range layers {
		for _, name := range layer {
			if name == pkg || strings.HasSuffix(name, "/...") && strings.HasPrefix(pkg, strings.TrimSuffix(name, "...")) {
				return i
			}
		}
	}
	return -1
}

// TestImportsPointOneWay holds the order of the packages.
func TestImportsPointOneWay(t *testing.T) {
	seen := 0
	for pkg, files := range goFiles(t) {
		at := layerOf(pkg)
		if at < 0 {
			t.Errorf("package %s stands in no layer", pkg)
			continue
		}
		for _, file := range files {
			for _, imported := range importsOf(t, file) {
				seen++
				if from := layerOf(imported); from < 0 || from >= at {
					t.Errorf("%s: package %s must not import %s", file, pkg, imported)
				}
				for _, forbidden := range never[pkg] {
					if imported == forbidden {
						t.Errorf("%s: package %s must never know %s", file, pkg, imported)
					}
				}
			}
		}
	}
	if seen < 20 {
		t.Fatalf("only %d imports were seen: the walk does not work", seen)
	}
}

// TestEachPackageSaysWhatItOwns holds that every package has its doc.go, and that
// this says what the package must never know.
func TestEachPackageSaysWhatItOwns(t *testing.T) {
	for pkg := range goFiles(t) {
		if strings.HasPrefix(pkg, "cmd/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.FromSlash(pkg), "doc.go"))
		if err != nil {
			t.Errorf("package %s has no doc.go", pkg)
			continue
		}
		if flat := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", " ")), " "); !strings.Contains(flat, "must never") {
			t.Errorf("%s/doc.go does not say what the package must never know", pkg)
		}
	}
}

// goFiles lists the non-test Go files of each package.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			pkg := filepath.ToSlash(filepath.Dir(path))
			files[pkg] = append(files[pkg], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// importsOf lists the packages of this module that a file imports.
func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	for _, spec := range parsed.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if inside, ok := strings.CutPrefix(path, module); ok {
			own = append(own, inside)
		}
	}
	return own
}
