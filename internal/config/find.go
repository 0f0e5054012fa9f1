package config

import (
	"os"
	"path/filepath"
)

// FileName is the name under which the configuration is looked for.
const FileName = "weft.yaml"

// Find looks for weft.yaml in the folder start and in those above it, and gives the
// path of the nearest. ok is false where there is none.
func Find(start string) (path string, ok bool) {
	folder, err := filepath.Abs(start)
	if err != nil {
		return "", false
	}
	for {
		path = filepath.Join(folder, FileName)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return "", false
		}
		folder = above
	}
}
