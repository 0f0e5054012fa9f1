package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/weft-flow/weft/lint"
)

// Func writes a result in one format.
type Func func(w io.Writer, result lint.Result) error

// Options is what formats are told beside the result.
type Options struct {
	Color   bool          // for text
	Rules   []lint.Rule   // those that were asked; their documentation goes into SARIF
	Version string        // of the tool, for SARIF; may be empty
	FailOn  lint.Severity // from which on a finding is a failure, for JUnit; zero: Error
	// Root is the absolute path of the folder from which SARIF, GitHub and GitLab name
	// files that lie in it; empty: files are named as they are.
	Root string
}

// format is one format with its name.
type format struct {
	name string
	make func(Options) Func
}

// formats lists all; the first is the default.
func formats() []format {
	return []format{
		{"text", func(o Options) Func { return Text(o.Color) }},
		{"json", func(Options) Func { return JSON }},
		{"sarif", func(o Options) Func { return SARIF(o.Rules, o.Version, o.Root) }},
		{"junit", func(o Options) Func { return JUnit(o.FailOn) }},
		{"github", func(o Options) Func { return GitHub(o.Root) }},
		{"gitlab", func(o Options) Func { return GitLab(o.Root) }},
	}
}

// Names lists the formats; the first is the default.
func Names() []string { return each(formats(), func(f format) string { return f.name }) }

// Named gives the format of a name.
func Named(name string, o Options) (Func, error) {
	for _, f := range formats() {
		if f.name == name {
			return f.make(o), nil
		}
	}
	return nil, fmt.Errorf("there is no format %q: expected %s", name, ListNames())
}

// ListNames lists the formats as a sentence does.
func ListNames() string {
	names := Names()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
