package source

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNamesBecomeLocations(t *testing.T) {
	working, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.yaml":                 fileURL(filepath.Join(working, "a.yaml")),
		"./x/../a b.yaml":        fileURL(filepath.Join(working, "a b.yaml")),
		"/d/a#1.yaml":            "file:///d/a%231.yaml",
		"file:///d/a.yaml":       "file:///d/a.yaml",
		"https://H.example/a#/b": "https://h.example/a",
	} {
		got, err := Locate(name)
		if err != nil || got != want {
			t.Errorf("%s is at %s (%v), want %s", name, got, err, want)
		}
	}
	if _, err := Locate("http://h.example/%zz"); err == nil {
		t.Error("a URL with a broken escape has a location")
	}
}

func TestLocationsAreShownAsPeopleWriteThem(t *testing.T) {
	working, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for location, want := range map[string]string{
		fileURL(filepath.Join(working, "testdata", "a b.yaml")): filepath.Join("testdata", "a b.yaml"),
		"file:///elsewhere/a.yaml":                              filepath.FromSlash("/elsewhere/a.yaml"),
		"https://h.example/a.yaml":                              "https://h.example/a.yaml",
	} {
		if got := Display(location); got != want {
			t.Errorf("%s is shown as %s, want %s", location, got, want)
		}
	}
}
