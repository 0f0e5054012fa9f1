package idempotency

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const statements = 29

// TestEachStatementHasItsTest: the documentation says where each numbered statement is
// shown, and there is a test or a case of that number there.
func TestEachStatementHasItsTest(t *testing.T) {
	page, err := os.ReadFile("../docs/idempotency.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- begin statements -->\n")
	section, _, ended := strings.Cut(rest, "<!-- end statements -->")
	rows := strings.Split(strings.TrimSpace(section), "\n")
	if !ended || len(rows) != statements+2 {
		t.Fatalf("the table has %d rows, want %d and a head", len(rows)-2, statements)
	}
	for i, row := range rows[2:] {
		number := i + 1
		cells := strings.Split(strings.Trim(row, "| "), " | ")
		if len(cells) != 3 || cells[0] != fmt.Sprint(number) {
			t.Errorf("row %d is %q", number, row)
			continue
		}
		if strings.HasSuffix(cells[2], "(to come)") {
			continue
		}
		for _, place := range strings.Split(cells[2], ", ") {
			if dir := strings.Trim(place, "`"); !shows(t, dir, number) {
				t.Errorf("statement %d: nothing in %s is named after it", number, dir)
			}
		}
	}
}

// shows tells whether a package has a test or a case that is named after a statement.
func shows(t *testing.T, dir string, number int) bool {
	t.Helper()
	named := regexp.MustCompile(fmt.Sprintf(`(?m)^func TestStatement%02d[A-Z]|\{"Statement%02d[A-Z]`, number, number))
	files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if named.Match(text) {
			return true
		}
	}
	return false
}

// TestEachTypeHasAnExample: of each exported type of the packages that others import
// there is an example, of the type itself or of one of its methods.
func TestEachTypeHasAnExample(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(dir string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return err
		case entry.Name() == "internal" || entry.Name() == "testdata":
			return filepath.SkipDir
		}
		types, examples := declared(t, dir)
		for name := range types {
			seen++
			if !examples[name] {
				t.Errorf("package %s: there is no example of %s", filepath.Join("idempotency", dir), name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 40 {
		t.Errorf("only %d types were seen: the walk does not work", seen)
	}
}

// declared lists the exported types of a folder, and those of which there are examples.
func declared(t *testing.T, dir string) (types, examples map[string]bool) {
	t.Helper()
	types, examples = map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		isTest := strings.HasSuffix(path, "_test.go")
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if of, ok := strings.CutPrefix(d.Name.Name, "Example"); ok && isTest {
					name, _, _ := strings.Cut(of, "_")
					examples[name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() && !isTest {
						types[spec.Name.Name] = true
					}
				}
			}
		}
	}
	return types, examples
}
