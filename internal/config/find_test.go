package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	if path, ok := Find(root); ok {
		t.Skipf("there is a configuration above the folder for tests: %s", path)
	}
	for _, folder := range []string{"a/b/c", "a/with/weft.yaml", "other"} {
		if err := os.MkdirAll(filepath.Join(root, filepath.FromSlash(folder)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"a/weft.yaml", "a/b/weft.yaml"} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for start, want := range map[string]string{
		"a":          "a/weft.yaml",
		"a/b":        "a/b/weft.yaml",
		"a/b/c":      "a/b/weft.yaml",
		"a/b/c/none": "a/b/weft.yaml",
		"a/with":     "a/weft.yaml", // a folder of the name is no configuration
		"other":      "",
	} {
		got, ok := Find(filepath.Join(root, filepath.FromSlash(start)))
		if want != "" {
			want = filepath.Join(root, filepath.FromSlash(want))
		}
		if got != want || ok != (want != "") {
			t.Errorf("Find(%s) = %q, %v, want %q", start, got, ok, want)
		}
	}
}

func TestFindFromARelativeFolder(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, FileName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	if path, ok := Find(""); !ok || !filepath.IsAbs(path) {
		t.Errorf("Find = %q, %v", path, ok)
	}
}
