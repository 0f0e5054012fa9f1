package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Input is one file to look at.
type Input struct {
	Path string
	// Data is the file's content; nil to read it from Path.
	Data []byte
	// Found tells that nobody named the file: it was found in a directory, and
	// is passed over in silence where it is no Arazzo document, unless its name says
	// that it is one.
	Found bool
	// Config is what the user wants of the rules for this file; nil: that of the
	// Options. Whether it suits the rules is for the caller to ask: see Config.Check.
	Config *Config
}

// Find gives the inputs that paths name: files, and what directories hold of
// .yaml, .yml and .json files, at any depth, but not in .git and node_modules.
// The order is that of the paths, then of the names; what is named twice, ./a and
// /flows/a say, is there once, under the name that came first. A path that cannot be read
// is told in the error, beside the inputs of the others.
func Find(paths []string) ([]Input, error) {
	f := finder{at: map[string]int{}}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			f.failed(path, err)
		case info.IsDir():
			f.walk(path)
		default:
			f.add(Input{Path: path})
		}
	}
	return f.inputs, errors.Join(f.errs...)
}

type finder struct {
	inputs []Input
	at     map[string]int // position in inputs, by absolute path
	errs   []error
}

func (f *finder) failed(path string, err error) {
	if cause := new(fs.PathError); errors.As(err, &cause) {
		err = cause.Err // it names the path and the system call; the path is enough
	}
	f.errs = append(f.errs, fmt.Errorf("lint: read %s: %w", path, err))
}

// add adds a file once, however often and by whatever way it is named.
func (f *finder) add(in Input) {
	path, err := filepath.Abs(in.Path)
	if err != nil {
		path = filepath.Clean(in.Path)
	}
	if at, seen := f.at[path]; seen {
		f.inputs[at].Found = f.inputs[at].Found && in.Found
		return
	}
	f.at[path] = len(f.inputs)
	f.inputs = append(f.inputs, in)
}

func (f *finder) walk(root string) {
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			f.failed(path, err)
			return nil
		}
		if entry.IsDir() {
			if path != root && (entry.Name() == ".git" || entry.Name() == "node_modules") {
				return fs.SkipDir
			}
			return nil
		}
		if isDocumentName(path) && isFile(path, entry) {
			f.add(Input{Path: path, Found: true})
		}
		return nil
	})
}

func isDocumentName(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".yaml", ".yml", ".json":
		return true
	default:
		return false
	}
}

// isFile tells whether entry is a regular file, or a link to one.
func isFile(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
