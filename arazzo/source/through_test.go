package source_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-flow/weft/arazzo/source"
)

// TestWhatWasReadIsEnoughToLoadAgain: a document is loaded with what an earlier load
// read, when the files are no longer there.
func TestWhatWasReadIsEnoughToLoadAgain(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"flow.yaml": "arazzo: 1.1.0\ninfo: {title: t, version: '1'}\nsourceDescriptions: [{name: api, url: api.yaml, type: openapi}]\n" +
			"workflows: [{workflowId: w, steps: [{stepId: s, operationId: ping}]}]\n",
		"api.yaml": "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths: {/ping: {get: {operationId: ping, responses: {'200': {description: ok}}}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept := map[string][]byte{}
	first := source.NewLoader(source.Options{Through: func(ctx context.Context, location string, next source.ReadFunc) ([]byte, string, error) {
		data, final, err := next(ctx, location)
		if err == nil {
			kept[location] = data
		}
		return data, final, err
	}})
	load := func(loader *source.Loader, name string) error {
		doc, location, _, err := loader.LoadDocument(t.Context(), name)
		if err != nil {
			return err
		}
		set, problems := loader.Load(t.Context(), doc, location)
		if len(problems) > 0 {
			return fmt.Errorf("%v", problems)
		}
		if _, _, err := set.FindOperation("ping"); err != nil {
			return err
		}
		return nil
	}
	name := filepath.Join(dir, "flow.yaml")
	if err := load(first, name); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := load(source.NewLoader(source.Options{}), name); err == nil {
		t.Fatal("the files are still there: the test shows nothing")
	}
	again := source.NewLoader(source.Options{Through: func(_ context.Context, location string, _ source.ReadFunc) ([]byte, string, error) {
		if data, ok := kept[location]; ok {
			return data, location, nil
		}
		return nil, "", fmt.Errorf("%w: not kept", source.ErrAbsent)
	}})
	if err := load(again, name); err != nil {
		t.Errorf("loaded from what was kept: %v", err)
	}
	if _, _, _, err := again.LoadDocument(t.Context(), filepath.Join(dir, "other.yaml")); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was not kept: %v", err)
	}
}
