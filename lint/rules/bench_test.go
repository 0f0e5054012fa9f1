package rules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
	"github.com/weft-flow/weft/lint"
	"github.com/weft-flow/weft/lint/rules"
)

// BenchmarkOneDocument lints one small document under all rules; its source is
// loaded already.
func BenchmarkOneDocument(b *testing.B) {
	path := "testdata/criteria-satisfiable/good.arazzo.yaml"
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, []lint.Input{{Path: path, Data: data}})
}

// BenchmarkOrderFlow lints the bundled order flow under all rules; its sources
// are loaded already.
func BenchmarkOrderFlow(b *testing.B) {
	path := "../../specs/orderflow/order.arazzo.yaml"
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	benchmark(b, []lint.Input{{Path: path, Data: data}})
}

func benchmark(b *testing.B, inputs []lint.Input) {
	linter := lint.New(lint.Options{Rules: rules.All(), Loader: source.NewLoader(source.Options{Offline: true})})
	if _, err := linter.Run(context.Background(), inputs); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := linter.Run(context.Background(), inputs); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkThousandDocuments lints 1,000 documents that have ten sources between
// them.
func BenchmarkThousandDocuments(b *testing.B) {
	inputs := thousandDocuments(b)
	for b.Loop() {
		if _, err := lint.Run(context.Background(), inputs, lint.Options{Rules: rules.All()}); err != nil {
			b.Fatal(err)
		}
	}
}

// thousandDocuments writes 1,000 documents with ten sources into a new folder.
func thousandDocuments(t testing.TB) []lint.Input {
	t.Helper()
	root := t.TempDir()
	api, err := os.ReadFile("testdata/shop.openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	flow, err := os.ReadFile("testdata/criteria-satisfiable/good.arazzo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("shop%d.openapi.yaml", i)), api, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var inputs []lint.Input
	for i := range 1000 {
		text := strings.ReplaceAll(string(flow), "../shop.", fmt.Sprintf("./shop%d.", i%10))
		inputs = append(inputs, lint.Input{Path: filepath.Join(root, fmt.Sprintf("%d.arazzo.yaml", i)), Data: []byte(text)})
	}
	return inputs
}
