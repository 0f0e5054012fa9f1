package format

import (
	"path/filepath"
	"strings"
)

// root is the folder from which a report names files: that of the repository, so that
// who reads it finds them wherever it was written. Empty: as they are called.
type root string

// path gives the name of a file in a report, with / between names: from the root on
// where it lies in it, else as it is called.
func (r root) path(path string) string {
	if below, ok := r.below(path); ok {
		return below
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// below gives the path of a file from the root on; false where it lies elsewhere.
func (r root) below(path string) (string, bool) {
	if r == "" {
		return "", false
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	below, err := filepath.Rel(string(r), absolute)
	if err != nil || below == ".." || strings.HasPrefix(below, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(below), true
}
