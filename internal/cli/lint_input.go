package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-flow/weft/arazzo"
	"github.com/weft-flow/weft/lint"
)

// stdinPath is the argument that stands for standard input. A file of that name is
// ./-.
const stdinPath = "-"

// inputs gives the inputs that the arguments name. missing tells of paths that cannot
// be read, beside the inputs of the others.
func (f lintFlags) inputs(paths []string, stdio Stdio) (inputs []lint.Input, missing, err error) {
	at := slices.Index(paths, stdinPath)
	if at < 0 {
		if f.stdinName != "" {
			return nil, nil, usage("--stdin-filename needs -, the document on standard input, among the paths")
		}
		inputs, missing = lint.Find(paths)
		return inputs, missing, nil
	}
	if f.fix {
		return nil, nil, usage("--fix writes into files: it cannot mend the document on standard input (-)")
	}
	stdin, err := f.readStdin(stdio.In)
	if err != nil {
		return nil, nil, err
	}
	before, missing := lint.Find(slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == stdinPath }))
	// What is being edited stands for the file that it is of.
	before = slices.DeleteFunc(before, func(in lint.Input) bool { return samePath(in.Path, stdin.Path) })
	return append([]lint.Input{stdin}, before...), missing, nil
}

// readStdin reads the document on standard input, under the name that it has.
func (f lintFlags) readStdin(from io.Reader) (lint.Input, error) {
	in := lint.Input{Path: f.stdinName, Data: []byte{}}
	if in.Path == "" {
		in.Path = "stdin"
	}
	// The parser reports what is longer.
	data, err := io.ReadAll(io.LimitReader(from, arazzo.MaxSize+1))
	if err != nil {
		return in, usage("read standard input: %w", err)
	}
	in.Data = append(in.Data, data...)
	return in, nil
}

func samePath(a, b string) bool {
	first, err := filepath.Abs(a)
	if err != nil {
		return a == b
	}
	second, err := filepath.Abs(b)
	return err == nil && first == second
}

// repository gives the folder that CI systems name files from: that of the repository
// which holds the working directory, or else the working directory itself.
func repository() string {
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	for folder := here; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
			return folder
		}
		if filepath.Dir(folder) == folder {
			return here
		}
	}
}

// withoutLinks leaves out of inputs that are to be written those that lead to a file
// which another input leads to as well.
func withoutLinks(inputs []lint.Input, tell io.Writer) []lint.Input {
	first := make(map[string]string, len(inputs))
	return slices.DeleteFunc(slices.Clone(inputs), func(in lint.Input) bool {
		target, err := filepath.EvalSymlinks(in.Path)
		if err != nil {
			return false
		}
		if target, err = filepath.Abs(target); err != nil {
			return false
		}
		other, known := first[target]
		if !known {
			first[target] = in.Path
			return false
		}
		fmt.Fprintf(tell, "%s is the same file as %s\n", in.Path, other)
		return true
	})
}
