package config

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/weft-flow/weft/arazzo"
)

// Fault is one thing that is wrong with the file. Its message never holds what may
// be a secret, and the line must not be shown beside it for the same reason.
type Fault struct {
	Place   Place
	Message string
	// Unset tells that nothing is wrong but that a variable of the environment is
	// not set: of no weight for those who need neither servers nor credentials.
	Unset bool
}

// Error gives the fault with file, line and column.
func (f Fault) Error() string { return f.Place.String() + ": " + f.Message }

// Load reads a file. The faults, in the order of their places, are all that is
// wrong with it; the Config then holds what could be read, and must not be used for
// a run. It is an error if the file itself cannot be read.
func Load(path string) (*Config, []Fault, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read the configuration: %w", err)
	}
	c, faults := parse(path, data)
	return c, faults, nil
}

// parse reads the text of a file. Its path is the base of relative ones.
func parse(path string, data []byte) (*Config, []Fault) {
	r := &reader{file: path, folder: filepath.Dir(path)}
	c := &Config{Path: path}
	if isBlank(data) {
		return c, nil
	}
	tree, faults := arazzo.ParseTree(data)
	for _, f := range faults {
		if f.Rule != mergeRule {
			r.fault(f.Span.Start, "%s", f.Message)
		}
	}
	if tree != nil {
		r.config(tree, c)
	}
	c.Secrets = r.secret.Secrets()
	SortFaults(r.faults)
	return c, r.faults
}

// SortFaults puts faults of one file into the order of their places.
func SortFaults(faults []Fault) {
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
}

// mergeRule warns of the merge key because other tools may read it differently. No
// other tool reads this file.
const mergeRule = "yaml-merge"

// isBlank tells whether a file has nothing but comments in it: a file whose
// settings are all commented out says nothing, and is no fault.
func isBlank(data []byte) bool {
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

func (r *reader) config(n *arazzo.Node, c *Config) {
	r.object(n, "the file", []field{
		{name: "$schema", read: func(n *arazzo.Node) { r.text(n) }},
		{name: "sources", read: func(n *arazzo.Node) { c.Sources = r.sources(n) }},
		{name: "run", read: func(n *arazzo.Node) { c.Run = r.run(n) }},
		{name: "lint", read: func(n *arazzo.Node) { c.Lint = r.lint(n) }},
		{name: "serve", read: func(n *arazzo.Node) { c.Serve = r.serve(n) }},
	})
}
